#include "adapters/mysql/history.h"

#include "adapters/mysql/sql_text.h"
#include "core/interval.h"

namespace seqd::mysql {
namespace {

/// The position after the quoted text or comment that begins at `at`; `at` itself if none does.
std::size_t skip(std::string_view sql, std::size_t at) {
  const char c = sql[at];
  if (c == '\'' || c == '"' || c == '`') {
    for (++at; at < sql.size() && sql[at] != c; ++at) {
      if (sql[at] == '\\' && c != '`') ++at;
    }
    return at + 1;
  }
  const auto comment = [&](std::string_view open, std::string_view close) {
    if (sql.substr(at, open.size()) != open) return false;
    const std::size_t end = sql.find(close, at + open.size());
    at = end == std::string_view::npos ? sql.size() : end + close.size();
    return true;
  };
  if (comment("/*", "*/") || comment("-- ", "\n") || comment("#", "\n")) return at;
  return at;
}

}  // namespace

int placeholders(std::string_view sql) {
  int count = 0;
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t next = skip(sql, at);
    if (next != at) {
      at = next;
      continue;
    }
    if (sql[at++] == '?') ++count;
  }
  return count;
}

Result<Done> MysqlHistory::check_query() const {
  const int found = placeholders(query_);
  if (found == 1) return Done{};
  return Error{Code::kRefused, "recovery.history_query has " + std::to_string(found) +
                                   " placeholders '?', and needs exactly one"};
}

Result<std::vector<std::int64_t>> MysqlHistory::max_seq(std::span<const std::string> ids) {
  std::vector<std::int64_t> found;
  found.reserve(ids.size());
  if (Result<Done> fit = check_query(); !fit) return fit.error();
  for (const std::string& id : ids) {
    if (Result<Done> opened = connection_.open(); !opened) return opened.error();
    Result<Rows> rows = connection_.query_bound(query_, id);
    if (!rows) return Error{rows.error().code, "recovery.history_query: " + rows.error().message};
    if (rows->size() > 1 || (rows->size() == 1 && rows->front().size() != 1)) {
      return Error{Code::kRefused, "recovery.history_query must answer one number"};
    }
    std::int64_t value = 0;
    if (!rows->empty() && rows->front().front()) {
      const std::string& text = *rows->front().front();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
          value > kMaxSeq) {
        return Error{Code::kRefused,
                     "recovery.history_query answered '" + text + "', which is no seq"};
      }
    }
    found.push_back(value);
  }
  return found;
}

Result<std::string> MysqlHistory::explain() {
  if (Result<Done> fit = check_query(); !fit) return fit.error();
  if (Result<Done> opened = connection_.open(); !opened) return opened.error();
  Result<Rows> rows = connection_.query_bound("EXPLAIN FORMAT=TRADITIONAL " + query_, "c1");
  if (!rows) return rows.error();
  std::string warning;
  for (const Row& row : *rows) {
    // id, select_type, table, type, … on MariaDB; MySQL has a column `partitions` before the type.
    const std::size_t type_at = row.size() >= 12 ? 4 : 3;
    if (row.size() <= type_at) continue;
    const std::string table = row[2].value_or("");
    const std::string type = row[type_at].value_or("");
    if (type != "ALL" && type != "index") continue;
    warning = "recovery.history_query reads all of " + table +
              " for each conversation (EXPLAIN type " + type +
              "): it needs an index that begins with the conversation's id, of the same type";
  }
  return warning;
}

}  // namespace seqd::mysql
