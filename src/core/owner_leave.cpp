// The hand-over: a clean release of everything, slot by slot (DESIGN 2, 4).
#include <algorithm>
#include <utility>

#include "core/owner.h"

namespace seqd {
namespace {

constexpr std::size_t kSmallHouse = 20'000;  // residents that are handed over in one group
constexpr std::size_t kGroups = 16;
constexpr Duration kLook = std::chrono::milliseconds(1);

}  // namespace

void Owner::hand_over(Duration limit, std::function<void()> done) {
  executor_.submit(
      Lane::kLease, [] {},
      [this, limit, done = std::move(done)]() mutable {
        left_ = std::move(done);
        leave_by_ = clock_.boot_now() + limit;
        if (phase_ != Phase::kRecovering) return begin_leaving();
        executor_.after(Lane::kLease, limit, [this] {
          if (phase_ == Phase::kRecovering) begin_leaving();
        });
      });
}

void Owner::begin_leaving() {
  const bool serving = phase_ == Phase::kServing;
  phase_ = Phase::kLeaving;
  ++timer_;
  if (!serving) return resign();
  std::vector<Slot> slots;
  for (const SlotBelief& s : lease_.held_slots()) slots.push_back(s.slot);
  const std::size_t groups =
      static_cast<std::size_t>(sequencer_.resident()) > kSmallHouse ? kGroups : 1;
  const std::size_t size = (slots.size() + groups - 1) / groups;
  for (std::size_t i = 0; i < slots.size(); i += size) {
    groups_.emplace_back(
        slots.begin() + static_cast<std::ptrdiff_t>(i),
        slots.begin() + static_cast<std::ptrdiff_t>(std::min(slots.size(), i + size)));
  }
  if (!ticking_) tick();  // the lease goes on being renewed
  leave_group();
}

void Owner::leave_group() {
  if (!left_) return;
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
  if (demand_.leaving() && clock_.boot_now() < leave_by_ && lease_.slot_count() > 0) {
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
                 (void)lease_.unit_confirmed(ticket, *reply);
               } else {
                 events_.on_event(Severity::kWarning, "lease.give_failed", reply.error().message);
               }
               leave_group();
             });
}

void Owner::resign() {
  groups_.clear();
  (void)lease_.end(lease_.owner());
  sequencer_.purge();
  ++timer_;
  if (!left_) return;
  call_store([this, name = name_] { return store_.resign(name); },
             [this](const Result<Done>&) {
               if (!left_) return;
               events_.on_event(Severity::kInfo, "owner.left", "handed over and resigned");
               std::exchange(left_, nullptr)();
             });
}

}  // namespace seqd
