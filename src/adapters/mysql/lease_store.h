// The LeaseStore on MySQL and MariaDB: rows of seq_owner and seq_slot.
#pragma once

#include "adapters/mysql/connection.h"
#include "base/lock_file.h"
#include "core/ports/lease_store.h"

namespace seqd::mysql {

/// Contract, threads and errors as in the port. Its connection is its own.
class MysqlLeaseStore final : public LeaseStore {
 public:
  /// key_prefix: resp.key_prefix, which seq_meta must hold.
  MysqlLeaseStore(const Access& access, std::string key_prefix);

  Result<StoreCheck> prepare() override;
  Result<Done> enrol(const OwnerRow& row) override;
  Result<Survey> survey() override;
  Result<UnitReport> renew(const UnitHead& head) override;
  Result<ClaimReport> claim(const UnitHead& head, std::int64_t least_epoch) override;
  Result<ClaimReport> take_over(const UnitHead& head, const OwnerRow& victim) override;
  Result<UnitReport> give(const UnitHead& head, std::span<const Slot> slots) override;
  Result<UnitReport> bump(const UnitHead& head, const SlotBump& order) override;
  Result<Done> resign(const std::string& owner) override;
  Result<bool> hold_sole_lock() override;
  std::string sole_lock_id() override;

  /// The server's id of the connection; 0 = closed. For operators and tests.
  std::int64_t connection_id() const { return connection_.id(); }

 private:
  Result<std::vector<SlotRow>> slots_where(const std::string& condition);
  void clear_away_old_rows();

  Connection connection_;
  std::string key_prefix_;
  LockFile lock_file_;
};

}  // namespace seqd::mysql
