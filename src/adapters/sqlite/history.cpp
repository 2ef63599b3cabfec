#include "adapters/sqlite/history.h"

#include <algorithm>

#include "core/interval.h"

namespace seqd::sqlite {

Result<Done> SqliteHistory::check_query() const {
  // Outside quotes, which is enough for a query without exotic comments.
  int found = 0;
  char quote = 0;
  for (const char c : query_) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '?') {
      ++found;
    }
  }
  if (found == 1) return Done{};
  return Error{Code::kRefused, "recovery.history_query has " + std::to_string(found) +
                                   " placeholders '?', and needs exactly one"};
}

Result<std::int64_t> SqliteHistory::ask(const Value& id) {
  Result<Rows> rows = database_.run(query_, {id});
  if (!rows) return rows.error();
  if (rows->size() > 1 || (rows->size() == 1 && rows->front().size() != 1)) {
    return Error{Code::kRefused, "recovery.history_query must answer one number"};
  }
  if (rows->empty() || is_null(rows->front().front())) return std::int64_t{0};
  const auto* value = std::get_if<std::int64_t>(&rows->front().front());
  if (value == nullptr || *value < 0 || *value > kMaxSeq) {
    return Error{Code::kRefused, "recovery.history_query answered what is no seq"};
  }
  return *value;
}

Result<std::vector<std::int64_t>> SqliteHistory::max_seq(std::span<const std::string> ids) {
  if (Result<Done> fit = check_query(); !fit) return fit.error();
  if (Result<Done> opened = database_.open(); !opened) return opened.error();
  std::vector<std::int64_t> found;
  for (const std::string& id : ids) {
    // To SQLite a BLOB never equals a TEXT, and the host's table may hold either.
    Result<std::int64_t> as_text = ask(Text{id});
    if (!as_text) return as_text.error();
    Result<std::int64_t> as_blob = ask(id);
    if (!as_blob) return as_blob.error();
    found.push_back(std::max(*as_text, *as_blob));
  }
  return found;
}

Result<std::string> SqliteHistory::explain() {
  if (Result<Done> fit = check_query(); !fit) return fit.error();
  if (Result<Done> opened = database_.open(); !opened) return opened.error();
  Result<Rows> rows = database_.run("EXPLAIN QUERY PLAN " + query_, {Text{"c1"}});
  if (!rows) return rows.error();
  std::string warning;
  for (const Row& row : *rows) {
    const std::string detail = row.empty() ? "" : bytes(row.back());
    // "SEARCH t USING INDEX i" without a "(column=?)" walks the whole index.
    if (detail.rfind("SCAN", 0) == 0 || detail.find("=?") == std::string::npos) {
      warning = "recovery.history_query reads a whole table for each conversation (" + detail +
                "): it needs an index that begins with the conversation's id";
    }
  }
  return warning;
}

}  // namespace seqd::sqlite
