// What core asks of the store for ownership: seq_owner, seq_slot, seq_meta (DESIGN O1-O5, S7).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/ownership.h"

namespace seqd {

/// What prepare() found; it does not refuse the store.
struct StoreCheck {
  std::string server;    ///< product and version, for people
  bool durable = false;  ///< S4: a confirmed COMMIT survives power loss, as far as settings tell
  std::vector<std::string> warnings;  ///< each names a setting, its value, and what to do
};

/// Everything that a contender looks at, read in one go without locks.
struct Survey {
  std::vector<SlotRow> slots;    ///< all kSlotCount, by slot. Fewer = the table was emptied
  std::vector<OwnerRow> owners;  ///< every registered daemon
};

/// A claim's result: every slot that is ours now, read under the lock after the change.
struct ClaimReport {
  UnitReport unit;
  std::vector<SlotRow> ours;
};

/// bump = GREATEST(bump, least_bump) + by, epoch = GREATEST(epoch, least_epoch) + 1, owner = NULL for the slots, except that
/// a slot whose owner is not one of `former` keeps owner and epoch.
struct SlotBump {
  std::vector<Slot> slots;
  std::int64_t by = 0;
  std::int64_t least_bump =
      0;  ///< the highest that was ever confirmed: a restored row may be below it
  std::int64_t least_epoch = 0;
  std::vector<std::string>
      former;  ///< all names that this process had: it holds nothing under them any more
};

/// Calls block, and belong to Lane::kLease. Connection and errors as in CounterStore; the connection is this port's own.
/// "Unit" has the form described there; a unit here adds beat+1 and leaves resv_no alone.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;

  /// Creates or migrates the tables where the account may, and checks seq_meta, schema, engine and durability (S4, O4).
  /// kRefused names what is wrong and what to do; kMismatch names both values of seq_meta. Called until it succeeds.
  virtual Result<StoreCheck> prepare() = 0;

  /// Inserts this process's row (beat 0, resv_no 0, fenced 0). The owner name must be new. Also deletes rows that own no
  /// slot and are fenced or were not touched for a day (safe: a missing row counts as fenced).
  virtual Result<Done> enrol(const OwnerRow& row) = 0;

  virtual Result<Survey> survey() = 0;

  /// The renewal: a unit with nothing in it but head.slots, which are judged.
  virtual Result<UnitReport> renew(const UnitHead& head) = 0;

  /// Unit. Takes every slot that nobody owns (owner = us, epoch + 1). Missing seq_slot rows are put back first, with
  /// `least_epoch`. Answers all our slots, so it also settles a claim whose outcome was unknown.
  virtual Result<ClaimReport> claim(const UnitHead& head, std::int64_t least_epoch) = 0;

  /// Unit. Own row first, then the victim's: it must still stand at victim.beat (a missing row or a fenced one will do).
  /// fenced = 1; its slots: owner = us, epoch + 1. kBusy if its beat moved.
  virtual Result<ClaimReport> take_over(const UnitHead& head, const OwnerRow& victim) = 0;

  /// Unit. owner = NULL for those of the slots that are ours. The caller dropped their intervals before the call, and
  /// does not own them any more whatever the outcome.
  virtual Result<UnitReport> give(const UnitHead& head, std::span<const Slot> slots) = 0;

  /// Unit. Lifts whole slots and sets them free (S7); missing rows are put back.
  virtual Result<UnitReport> bump(const UnitHead& head, const SlotBump& order) = 0;

  /// Gives away what is still ours (the caller dropped it) and deletes the own row, in one transaction. Its loss is harmless.
  virtual Result<Done> resign(const std::string& owner) = 0;

  /// Tries to hold the OS lock file of this store on this host (DESIGN O3); kept until the process ends. True if held.
  virtual Result<bool> hold_sole_lock() = 0;
  /// The lock file's identity, to be stored in OwnerRow::host; a sole owner with the same host string is dead once
  /// hold_sole_lock() is true. Empty if there is no lock file.
  virtual std::string sole_lock_id() = 0;
};

}  // namespace seqd
