// The ends of an ownership: fenced by another, forgotten by the store, or handed over.
#include <algorithm>
#include <utility>

#include "core/owner.h"

namespace seqd {
namespace {

constexpr std::size_t kSmallHouse = 20'000;  // residents that are handed over in one group
constexpr int kGroups = 16;
constexpr Duration kLook = std::chrono::milliseconds(1);

}  // namespace

// Fenced, or the row is gone. Whoever takes a slot raises its epoch: if the store shows our epoch or a lower one, nobody took it, and
// the store forgot commits instead (DESIGN S7).
void Owner::judge_fence(const std::string& owner) {
  if (owner != lease_.owner() || phase_ == Phase::kRecovering || phase_ == Phase::kPreparing ||
      phase_ == Phase::kEnrolling) {
    return;
  }
  if (phase_ == Phase::kLeaving) return resign();
  events_.on_event(Severity::kError, "lease.fenced",
                   "this daemon's registration " + owner +
                       " was fenced or removed: its intervals are dropped; it registers anew");
  phase_ = Phase::kRecovering;
  ++timer_;
  call_store([this] { return store_.survey(); },
             [this, owner](Result<Survey> reply) { fence_judged(owner, std::move(reply)); });
}

void Owner::fence_judged(const std::string& owner, Result<Survey> reply) {
  if (!reply.ok()) {
    contact_failed(reply.error());
    executor_.after(Lane::kLease, retry_pace(), [this, owner] {
      call_store([this] { return store_.survey(); },
                 [this, owner](Result<Survey> again) { fence_judged(owner, std::move(again)); });
    });
    return;
  }
  contact_ok();
  bool forgotten = false;
  for (const SlotBelief& held : lease_.last_held()) {
    const auto row = std::find_if(reply->slots.begin(), reply->slots.end(),
                                  [&](const SlotRow& s) { return s.slot == held.slot; });
    if (row == reply->slots.end() || row->epoch <= held.epoch) forgotten = true;
  }
  if (forgotten) {
    phase_ = Phase::kServing;
    return recover(owner);
  }
  note_owner(*reply);
  phase_ = Phase::kEnrolling;
  sequencer_.purge();
  tick();
}

void Owner::recover(const std::string& former) {
  if (former != lease_.owner() || phase_ == Phase::kRecovering || phase_ == Phase::kLeaving) return;
  phase_ = Phase::kRecovering;
  ++timer_;
  Stats::add(stats_.lost_commits);
  auto held = std::make_shared<std::vector<Lift>>(sequencer_.held());
  events_.on_event(Severity::kError, "store.lost_commits",
                   "THE STORE LOST COMMITS that it had confirmed (failover to a stale replica, old "
                   "backup, or unsafe durability settings). Lifting " +
                       std::to_string(held->size()) +
                       " known conversations and every slot before answering again");
  name_ = identity_.node_id + ":" + identity_.new_nonce();
  recover_bump(former, held);
}

// New registration first, then the bump (it covers also what memory does not know), then what is known.
void Owner::recover_bump(const std::string& former, std::shared_ptr<std::vector<Lift>> held) {
  std::vector<Slot> slots;
  for (const SlotBelief& s : lease_.last_held()) {
    slots.push_back(s.slot);
    highest_epoch_ = std::max(highest_epoch_, s.epoch);
  }
  call_store(
      [this, row = registration(), slots, least_epoch = highest_epoch_, former,
       head = UnitHead::newcomer(name_)]() -> Result<UnitReport> {
        bool holds_lock = false;
        const Result<Done> enrolled = enrol_in_store(row, holds_lock);
        if (!enrolled.ok()) return enrolled.error();
        return store_.bump(head, slots, rollback_bump_, least_epoch, former);
      },
      [this, former, held](Result<UnitReport> reply) {
        if (!reply.ok()) {
          contact_failed(reply.error());
          name_ = identity_.node_id + ":" + identity_.new_nonce();
          executor_.after(Lane::kLease, retry_pace(),
                          [this, former, held] { recover_bump(former, held); });
          return;
        }
        recover_lift(held, 0);
      });
}

void Owner::recover_lift(std::shared_ptr<std::vector<Lift>> held, std::size_t from) {
  const std::size_t to = std::min(held->size(), from + kMaxUnitRows);
  auto part = std::make_shared<std::vector<Lift>>(held->begin() + static_cast<std::ptrdiff_t>(from),
                                                  held->begin() + static_cast<std::ptrdiff_t>(to));
  std::sort(part->begin(), part->end(),
            [](const Lift& a, const Lift& b) { return a.conv_id < b.conv_id; });
  const UnitHead head = UnitHead::newcomer(name_);
  // The counter store belongs to its own lane; the Owner goes on when it has answered.
  auto reply = std::make_shared<Result<UnitReport>>(UnitReport{});
  executor_.submit(
      Lane::kCounters,
      [this, head, part, reply] {
        if (!part->empty()) *reply = counters_.lift(head, *part);
      },
      [this, held, from, to, reply] {
        executor_.submit(
            Lane::kLease, [] {},
            [this, held, from, to, reply] {
              if (!reply->ok()) {
                contact_failed(reply->error());
                executor_.after(Lane::kLease, retry_pace(),
                                [this, held, from] { recover_lift(held, from); });
                return;
              }
              if (to < held->size()) return recover_lift(held, to);
              // Everything known is above what was used. A fresh registration answers from here on.
              phase_ = Phase::kEnrolling;
              events_.on_event(Severity::kWarning, "store.lifted",
                               "all known conversations were lifted; answering again");
              tick();
            });
      });
}

void Owner::hand_over(Duration limit, std::function<void()> done) {
  executor_.submit(
      Lane::kLease, [] {},
      [this, limit, done = std::move(done)]() mutable {
        left_ = std::move(done);
        leave_by_ = clock_.boot_now() + limit;
        const bool enrolled = phase_ == Phase::kServing;
        phase_ = Phase::kLeaving;
        if (!enrolled) return resign();
        std::vector<Slot> slots;
        for (const SlotBelief& s : lease_.held_slots()) slots.push_back(s.slot);
        const int groups =
            static_cast<std::size_t>(sequencer_.resident()) > kSmallHouse ? kGroups : 1;
        const std::size_t size = (slots.size() + static_cast<std::size_t>(groups) - 1) /
                                 static_cast<std::size_t>(groups);
        for (std::size_t i = 0; i < slots.size(); i += size) {
          groups_.emplace_back(
              slots.begin() + static_cast<std::ptrdiff_t>(i),
              slots.begin() + static_cast<std::ptrdiff_t>(std::min(slots.size(), i + size)));
        }
        if (!ticking_) tick();  // the lease goes on being renewed
        leave_group();
      });
}

void Owner::leave_group() {
  if (groups_.empty()) return resign();
  std::vector<Slot> slots = std::move(groups_.back());
  groups_.pop_back();
  lease_.close(slots);
  leave_when_still(std::move(slots));
}

// A release waits for a prefetch in flight: the row's ceiling must be where memory thinks it is (DESIGN 4).
void Owner::leave_when_still(std::vector<Slot> slots) {
  if (sequencer_.reserving(slots) && clock_.boot_now() < leave_by_) {
    executor_.after(Lane::kLease, kLook, [this, slots = std::move(slots)]() mutable {
      leave_when_still(std::move(slots));
    });
    return;
  }
  bool wake = false;
  for (Leave& l : sequencer_.extract(slots)) wake = demand_.leave(std::move(l)) || wake;
  if (wake) demand_.wake();
  leave_when_released(std::move(slots));
}

void Owner::leave_when_released(std::vector<Slot> slots) {
  if (!demand_.idle() && clock_.boot_now() < leave_by_ && lease_.slot_count() > 0) {
    executor_.after(Lane::kLease, kLook, [this, slots = std::move(slots)]() mutable {
      leave_when_released(std::move(slots));
    });
    return;
  }
  for (const Leave& l : demand_.take_all_leaves()) {
    stats_.gap(GapReason::kReleaseMissed, l.release.end - l.release.cur);
  }
  UnitTicket ticket = lease_.begin_unit(slots, false, clock_.boot_now());
  lease_.lost(slots);  // DESIGN O2: a give-away that was sent is a slot lost
  call_store([this, head = ticket.head, slots] { return store_.give(head, slots); },
             [this, ticket](const Result<UnitReport>& reply) {
               if (reply.ok()) {
                 (void)lease_.unit_committed(ticket, reply->stamp);
               } else {
                 events_.on_event(Severity::kWarning, "lease.give_failed", reply.error().message);
               }
               leave_group();
             });
}

void Owner::resign() {
  groups_.clear();
  lease_.lost_all();
  ++timer_;
  if (!left_) return;
  call_store([this, name = name_] { return store_.resign(name); },
             [this](const Result<Done>&) {
               events_.on_event(Severity::kInfo, "owner.left", "handed over and resigned");
               if (left_) std::exchange(left_, nullptr)();
             });
}

}  // namespace seqd
