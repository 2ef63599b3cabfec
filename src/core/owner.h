// The owner's life: enrol, stand by, take over, renew, be fenced, hand over (DESIGN O1-O5, S7).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/demand.h"
#include "core/ports/clock.h"
#include "core/ports/counter_store.h"
#include "core/ports/events.h"
#include "core/ports/executor.h"
#include "core/ports/lease_store.h"
#include "core/sequencer.h"
#include "core/situation.h"
#include "core/slot_lease.h"
#include "core/stats.h"

namespace seqd {

struct OwnerIdentity {
  std::string node_id;
  std::string announce;                    ///< host:port that clients are sent to
  std::function<std::string()> new_nonce;  ///< 16 random characters, new with each call
};

/// Lives on Lane::kLease; the public functions may be called from any lane or thread.
class Owner {
 public:
  Owner(Executor& executor, LeaseStore& store, CounterStore& counters, const Clock& clock,
        SlotLease& lease, Situation& situation, Demand& demand, Sequencer& sequencer, Stats& stats,
        Events& events, OwnerIdentity identity, std::int64_t rollback_bump);

  void start();
  /// Takes over a new recovery.rollback_bump. Any thread.
  void configure(std::int64_t rollback_bump) { rollback_bump_.store(rollback_bump); }

  /// A unit found the row of `owner` fenced, or saw a clone. The lease was dropped.
  void fenced(const std::string& owner);
  /// A unit found that the store forgot commits. The lease was dropped.
  void lost_commits(const std::string& owner);
  /// Clean release (DESIGN 2): closes the slots, waits for reservations in flight, stores every `cur`, gives the slots away,
  /// slot by slot while the lease is renewed. After `limit` what is left becomes a counted gap. Then `done`, once. A recovery
  /// that is under way is finished first: nobody else remembers what it lifts.
  void hand_over(Duration limit, std::function<void()> done);

 private:
  enum class Phase : unsigned char { kPreparing, kEnrolling, kServing, kRecovering, kLeaving };
  struct Watch {
    std::int64_t beat = 0;
    BootTime since;  // arrival of the reply that first showed this beat
    bool moved = false;
  };

  // owner.cpp: the state machine
  void tick();
  void schedule(Duration delay);
  Duration retry_pace() const;
  void prepare();
  void new_name();
  void enrol();
  void renew();
  void renewed(const UnitTicket& ticket, Result<UnitReport> reply);
  void enrolled();
  OwnerRow registration() const;
  Result<Done> enrol_in_store(OwnerRow row, bool& holds_lock);
  void contact_failed(const Error& error);
  void contact_ok();
  void note_lapse();

  // owner_contend.cpp: standing by and taking over
  void survey();
  void surveyed(BootTime sent, Result<Survey> reply);
  std::optional<OwnerRow> watch_owners(const Survey& survey, BootTime arrived);
  bool may_take_from(const OwnerRow& victim, const Watch& watch, BootTime arrived) const;
  void note_owner(const Survey& survey);
  void claim();
  void take_over(const OwnerRow& victim);
  void gained(const UnitTicket& ticket, const Result<ClaimReport>& reply, const std::string& from);

  // owner_recover.cpp: fenced, and a store that lost commits
  void judge_fence(const std::string& owner);
  void fence_judged(const std::string& owner, Result<Survey> reply);
  void recover(const std::string& former);
  void recover_bump();
  void recover_lift(std::size_t from);
  void recover_lifted(std::size_t from, std::size_t to, const Result<UnitReport>& reply);
  void recovery_failed(const Error& error, std::function<void()> retry);
  void recovered();

  // owner_leave.cpp: the hand-over
  void begin_leaving();
  void leave_group();
  void leave_when_still(std::vector<Slot> slots);
  void leave_when_released(std::vector<Slot> slots);
  void resign();
  bool leaving() const { return phase_ == Phase::kLeaving; }

  template <class Work, class Then>
  void call_store(Work work, Then then) {
    call(executor_, Lane::kLease, std::move(work), std::move(then));
  }

  Executor& executor_;
  LeaseStore& store_;
  CounterStore& counters_;
  const Clock& clock_;
  SlotLease& lease_;
  Situation& situation_;
  Demand& demand_;
  Sequencer& sequencer_;
  Stats& stats_;
  Events& events_;
  const OwnerIdentity identity_;
  std::atomic<std::int64_t> rollback_bump_;

  // What must be above everything that was used before this daemon may answer again. Kept until a claim confirmed that the store
  // holds it: the store may lose commits again meanwhile.
  struct Recovery {
    std::vector<Slot> slots;
    std::vector<Lift> held;  // sorted by id
    Stamp stamp;             // of the registration that lifts
  };

  // Everything below belongs to Lane::kLease.
  Phase phase_ = Phase::kPreparing;
  std::uint64_t timer_ = 0;  // a tick that was scheduled under an older number is void
  bool ticking_ = false;     // a store call of the cycle is in flight
  bool lapsed_ = false;
  int failures_ = 0;
  BootTime renew_at_;
  std::string name_;
  std::vector<std::string> names_;  // all that this process had
  std::int64_t highest_epoch_ = 0;
  std::int64_t highest_bump_ = 0;
  bool holds_lock_ = false;
  std::unordered_map<std::string, Watch> watches_;
  std::unique_ptr<Recovery> recovery_;
  std::vector<std::vector<Slot>> groups_;  // still to be handed over
  BootTime leave_by_;
  std::function<void()> left_;
};

}  // namespace seqd
