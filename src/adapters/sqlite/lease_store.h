// The LeaseStore on SQLite: rows of seq_owner and seq_slot, and the lock file beside the database.
#pragma once

#include <chrono>
#include <string>

#include "adapters/sqlite/database.h"
#include "base/lock_file.h"
#include "core/ports/lease_store.h"

namespace seqd::sqlite {

/// Contract, threads and errors as in the port. Its connection is its own.
class SqliteLeaseStore final : public LeaseStore {
 public:
  /// key_prefix: resp.key_prefix, which seq_meta must hold.
  SqliteLeaseStore(const std::string& path, std::chrono::milliseconds timeout,
                   std::string key_prefix)
      : database_(path, timeout), key_prefix_(std::move(key_prefix)), lock_file_(path + ".lock") {}

  Result<StoreCheck> prepare() override;
  Result<Done> enrol(const OwnerRow& row) override;
  Result<Survey> survey() override;
  Result<UnitReport> renew(const UnitHead& head) override;
  Result<ClaimReport> claim(const UnitHead& head, std::int64_t least_epoch) override;
  Result<ClaimReport> take_over(const UnitHead& head, const OwnerRow& victim) override;
  Result<UnitReport> give(const UnitHead& head, std::span<const Slot> slots) override;
  Result<UnitReport> bump(const UnitHead& head, const SlotBump& order) override;
  Result<Done> resign(const std::string& owner) override;
  Result<bool> hold_sole_lock() override { return lock_file_.hold(); }
  std::string sole_lock_id() override { return lock_file_.id(); }

 private:
  Result<std::vector<SlotRow>> slots_of(const std::string& owner);

  Database database_;
  std::string key_prefix_;
  LockFile lock_file_;
};

}  // namespace seqd::sqlite
