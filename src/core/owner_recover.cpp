// Fenced by another, or forgotten by the store (DESIGN O2, S7).
#include <algorithm>
#include <utility>

#include "core/owner.h"

namespace seqd {

// Fenced, or the row is gone. Whoever takes a slot raises its epoch: if the store shows our epoch or a lower one, nobody took it, and
// the store forgot commits instead.
void Owner::judge_fence(const std::string& owner) {
  if (owner != name_) return;
  (void)lease_.end(owner);
  if (leaving()) return resign();
  if (phase_ != Phase::kServing) return;
  events_.on_event(Severity::kError, "lease.fenced",
                   "this daemon's registration " + owner +
                       " was fenced or removed: its intervals are dropped; it registers anew");
  phase_ = Phase::kRecovering;
  ++timer_;
  call_store([this] { return store_.survey(); },
             [this, owner](Result<Survey> reply) { fence_judged(owner, std::move(reply)); });
}

void Owner::fence_judged(const std::string& owner, Result<Survey> reply) {
  if (phase_ != Phase::kRecovering) return;
  if (!reply.ok()) {
    contact_failed(reply.error());
    executor_.after(Lane::kLease, retry_pace(), [this, owner] {
      call_store([this] { return store_.survey(); },
                 [this, owner](Result<Survey> again) { fence_judged(owner, std::move(again)); });
    });
    return;
  }
  contact_ok();
  bool forgotten = recovery_ != nullptr;
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
  if (left_) return begin_leaving();
  tick();
}

void Owner::recover(const std::string& former) {
  if (former != name_) return;
  (void)lease_.end(former);
  if (leaving()) return resign();
  if (phase_ != Phase::kServing) return;
  phase_ = Phase::kRecovering;
  ++timer_;
  Stats::add(stats_.lost_commits);
  // Lost again before anything was claimed: what had to be lifted then has to be lifted now.
  if (recovery_ == nullptr) recovery_ = std::make_unique<Recovery>();
  for (const SlotBelief& s : lease_.last_held()) {
    recovery_->slots.push_back(s.slot);
    highest_epoch_ = std::max(highest_epoch_, s.epoch);
    highest_bump_ = std::max(highest_bump_, s.bump);
  }
  std::vector<Slot>& slots = recovery_->slots;
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  std::vector<Lift>& held = recovery_->held;
  for (Lift& l : sequencer_.held()) held.push_back(std::move(l));
  std::sort(held.begin(), held.end(), [](const Lift& a, const Lift& b) {
    return a.conv_id != b.conv_id ? a.conv_id < b.conv_id : a.end > b.end;
  });
  held.erase(std::unique(held.begin(), held.end(),
                         [](const Lift& a, const Lift& b) { return a.conv_id == b.conv_id; }),
             held.end());
  events_.on_event(Severity::kError, "store.lost_commits",
                   "THE STORE LOST COMMITS that it had confirmed (failover to a stale replica, old "
                   "backup, or unsafe durability settings). Lifting " +
                       std::to_string(held.size()) +
                       " known conversations and every slot before answering again");
  recover_bump();
}

// New registration first, then the bump (it covers also what memory does not know), then what is known. Every step is judged by
// the stamp of the one before, so a store that loses commits again is noticed here too.
void Owner::recover_bump() {
  new_name();
  SlotBump order;
  order.slots = recovery_->slots;
  order.by = rollback_bump_.load();
  order.least_bump = highest_bump_;
  order.least_epoch = highest_epoch_;
  order.former = names_;
  call_store(
      [this, row = registration(), order,
       head = UnitHead::newcomer(name_)]() -> Result<UnitReport> {
        bool holds_lock = false;
        const Result<Done> enrolled = enrol_in_store(row, holds_lock);
        if (!enrolled.ok()) return enrolled.error();
        return store_.bump(head, order);
      },
      [this, by = order.by](const Result<UnitReport>& reply) {
        if (!reply.ok()) return recovery_failed(reply.error(), [this] { recover_bump(); });
        contact_ok();
        highest_bump_ += by;
        recovery_->stamp = reply->stamp;
        recover_lift(0);
      });
}

void Owner::recover_lift(std::size_t from) {
  const std::vector<Lift>& held = recovery_->held;
  if (from >= held.size()) return recovered();
  const std::size_t to = std::min(held.size(), from + kMaxUnitRows);
  auto part = std::make_shared<std::vector<Lift>>(held.begin() + static_cast<std::ptrdiff_t>(from),
                                                  held.begin() + static_cast<std::ptrdiff_t>(to));
  UnitHead head = UnitHead::newcomer(name_);
  head.belief.known = recovery_->stamp;
  // The counter store belongs to its own lane; the Owner goes on when it has answered.
  auto reply = std::make_shared<Result<UnitReport>>(UnitReport{});
  executor_.submit(
      Lane::kCounters, [this, head, part, reply] { *reply = counters_.lift(head, *part); },
      [this, from, to, reply] {
        executor_.submit(
            Lane::kLease, [] {}, [this, from, to, reply] { recover_lifted(from, to, *reply); });
      });
}

void Owner::recover_lifted(std::size_t from, std::size_t to, const Result<UnitReport>& reply) {
  if (!reply.ok()) return recovery_failed(reply.error(), [this, from] { recover_lift(from); });
  recovery_->stamp = reply->stamp;
  recover_lift(to);
}

void Owner::recovery_failed(const Error& error, std::function<void()> retry) {
  contact_failed(error);
  // The registration that lifts is gone as well: all that it wrote may be, so begin again under a new one.
  if (error.code == Code::kFenced || error.code == Code::kLostCommits) {
    retry = [this] { recover_bump(); };
  }
  executor_.after(Lane::kLease, retry_pace(), [this, retry = std::move(retry)] {
    if (phase_ == Phase::kRecovering) retry();
  });
}

// Everything known is above what was used. The registration that lifted goes on, with its stamp.
void Owner::recovered() {
  events_.on_event(Severity::kWarning, "store.lifted",
                   "all known conversations were lifted; answering again");
  lease_.enrolled(name_, recovery_->stamp);
  enrolled();
  if (left_) begin_leaving();
}

}  // namespace seqd
