// The host system's message table on MySQL and MariaDB: recovery.history_query.
#pragma once

#include <string>

#include "adapters/mysql/connection.h"
#include "core/ports/counter_store.h"

namespace seqd::mysql {

/// Contract and threads as in the port. Its connection is its own; it never writes, so a read-only server will do.
/// A reply that takes longer than store.timeout_ms is kUnavailable.
class MysqlHistory final : public HistorySource {
 public:
  /// query: one `?`, the conversation's id; answers one number or NULL.
  MysqlHistory(Access access, std::string query)
      : connection_(std::move(access), Connection::Use::kRead), query_(std::move(query)) {}

  Result<std::vector<std::int64_t>> max_seq(std::span<const std::string> ids) override;

  /// Runs EXPLAIN on the query. A warning for people, or an empty text if it reads no whole table or index.
  Result<std::string> explain();

 private:
  Result<Done> check_query() const;

  Connection connection_;
  std::string query_;
};

/// The `?` of a statement that stand outside quotes and comments.
int placeholders(std::string_view sql);

}  // namespace seqd::mysql
