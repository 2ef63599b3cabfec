// The CounterStore on MySQL and MariaDB: rows of seq_counter.
#pragma once

#include "adapters/mysql/connection.h"
#include "core/ports/counter_store.h"

namespace seqd::mysql {

/// Contract, threads and errors as in the port. Its connection is its own.
///
/// Rows are locked with SKIP LOCKED, so a unit holds its owner row for no longer than it works (DESIGN S3); only lift(), and
/// create() beside another session that inserts the same id, may wait 1 s for a row.
class MysqlCounterStore final : public CounterStore {
 public:
  explicit MysqlCounterStore(Access access)
      : connection_(std::move(access), Connection::Use::kWrite) {}

  Result<std::vector<FoundCounter>> look_up(std::span<const std::string> ids) override;
  Result<ReserveReport> create(const UnitHead& head, std::span<const NewCounter> rows) override;
  Result<ReserveReport> reserve(const UnitHead& head,
                                std::span<const ReserveRequest> requests) override;
  Result<ReleaseReport> release(const UnitHead& head, std::span<const Release> releases) override;
  Result<UnitReport> lift(const UnitHead& head, std::span<const Lift> lifts) override;

  /// The server's id of the connection; 0 = closed. For operators and tests.
  std::int64_t connection_id() const { return connection_.id(); }

 private:
  Connection connection_;
};

}  // namespace seqd::mysql
