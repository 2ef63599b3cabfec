// The CounterStore on SQLite: rows of seq_counter.
#pragma once

#include <chrono>
#include <string>

#include "adapters/sqlite/database.h"
#include "core/ports/counter_store.h"

namespace seqd::sqlite {

/// Contract, threads and errors as in the port. Its connection is its own. SQLite has one writer at a time, so no row is ever
/// kLocked: a unit waits for the file up to the timeout, then it is kBusy.
class SqliteCounterStore final : public CounterStore {
 public:
  SqliteCounterStore(std::string path, std::chrono::milliseconds timeout)
      : database_(std::move(path), timeout) {}

  Result<std::vector<FoundCounter>> look_up(std::span<const std::string> ids) override;
  Result<ReserveReport> create(const UnitHead& head, std::span<const NewCounter> rows) override;
  Result<ReserveReport> reserve(const UnitHead& head,
                                std::span<const ReserveRequest> requests) override;
  Result<ReleaseReport> release(const UnitHead& head, std::span<const Release> releases) override;
  Result<UnitReport> lift(const UnitHead& head, std::span<const Lift> lifts) override;

 private:
  Result<std::optional<CounterRow>> read_row(const std::string& id);

  Database database_;
};

}  // namespace seqd::sqlite
