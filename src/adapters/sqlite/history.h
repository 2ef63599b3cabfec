// The host system's message table in the same SQLite file: recovery.history_query.
#pragma once

#include <chrono>
#include <string>

#include "adapters/sqlite/database.h"
#include "core/ports/counter_store.h"

namespace seqd::sqlite {

/// Contract and threads as in the port. Its connection is its own.
class SqliteHistory final : public HistorySource {
 public:
  /// query: one `?`, the conversation's id; answers one number or NULL.
  SqliteHistory(std::string path, std::chrono::milliseconds timeout, std::string query)
      : database_(std::move(path), timeout), query_(std::move(query)) {}

  Result<std::vector<std::int64_t>> max_seq(std::span<const std::string> ids) override;

  /// A warning for people if the query reads a whole table; empty if it does not.
  Result<std::string> explain();

 private:
  Result<std::int64_t> ask(const Value& id);
  Result<Done> check_query() const;

  Database database_;
  std::string query_;
};

}  // namespace seqd::sqlite
