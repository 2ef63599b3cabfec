#include "core/slot_lease.h"

#include <algorithm>
#include <limits>

namespace seqd {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

Duration SlotLease::time_left(BootTime now) const noexcept {
  const std::int64_t deadline = deadline_ns_.load(std::memory_order_acquire);
  if (deadline == kNever) return Duration::max();
  return Duration(std::max<std::int64_t>(0, deadline - now.time_since_epoch().count()));
}

bool SlotLease::time_for_unit(BootTime now) const noexcept {
  return time_left(now) >= times_.unit_needs();
}

void SlotLease::enrolled(const std::string& owner) {
  lost_all();
  books_.with([&](Books& books) {
    books.owner = owner;
    books.belief = StampBelief{};
    books.last_held.clear();
  });
}

std::string SlotLease::owner() const {
  return books_.with([](const Books& books) { return books.owner; });
}

std::vector<SlotBelief> SlotLease::held_slots() const {
  return books_.with([&](const Books& books) {
    std::vector<SlotBelief> held;
    for (int i = 0; i < kSlotCount; ++i) {
      if (grants_[static_cast<std::size_t>(i)].load(std::memory_order_relaxed) != 0) {
        held.push_back(books.slots[static_cast<std::size_t>(i)]);
      }
    }
    return held;
  });
}

UnitTicket SlotLease::begin_unit(std::span<const Slot> slots, bool counts_reservation,
                                 BootTime now) {
  UnitTicket ticket;
  ticket.sent = now;
  ticket.counts_reservation = counts_reservation;
  books_.with([&](Books& books) {
    ticket.head.owner = books.owner;
    ticket.head.belief = books.belief;
    for (const Slot slot : slots) {
      if (grants_[slot].load(std::memory_order_relaxed) != 0) {
        ticket.head.slots.push_back(books.slots[slot]);
      }
    }
    // Other lanes may begin units until this one is judged, so only the lower bound can travel with it. The upper one is
    // tested against the live books in unit_committed().
    ticket.head.belief.beat_slack = UnitHead::kAnySlack;
    ticket.head.belief.resv_slack = UnitHead::kAnySlack;
    ++books.belief.beat_slack;
    if (counts_reservation) ++books.belief.resv_slack;
  });
  std::sort(ticket.head.slots.begin(), ticket.head.slots.end(),
            [](const SlotBelief& a, const SlotBelief& b) { return a.slot < b.slot; });
  return ticket;
}

bool SlotLease::unit_committed(const UnitTicket& ticket, const Stamp& stamp) {
  bool current = false;
  const bool cloned = books_.with([&](Books& books) {
    if (books.owner != ticket.head.owner) return false;
    current = true;
    StampBelief& belief = books.belief;
    if (stamp.beat > belief.known.beat + belief.beat_slack ||
        stamp.resv_no > belief.known.resv_no + belief.resv_slack) {
      return true;
    }
    --belief.beat_slack;
    if (ticket.counts_reservation) --belief.resv_slack;
    belief.known.beat = std::max(belief.known.beat, stamp.beat);
    belief.known.resv_no = std::max(belief.known.resv_no, stamp.resv_no);
    return false;
  });
  if (cloned) return false;
  if (!current || held_.load(std::memory_order_relaxed) == 0) return true;
  const std::int64_t until =
      times_.sole ? kNever : (ticket.sent + times_.own_deadline()).time_since_epoch().count();
  // Only ever forward: a unit that was sent earlier may be confirmed later.
  std::int64_t seen = deadline_ns_.load(std::memory_order_relaxed);
  while (seen < until && !deadline_ns_.compare_exchange_weak(seen, until, std::memory_order_release,
                                                             std::memory_order_relaxed)) {
  }
  return true;
}

void SlotLease::unit_unknown(const UnitTicket&) {
  // Its increment stays possible for as long as this registration lives.
}

void SlotLease::unit_not_applied(const UnitTicket& ticket) {
  books_.with([&](Books& books) {
    if (books.owner != ticket.head.owner) return;
    --books.belief.beat_slack;
    if (ticket.counts_reservation) --books.belief.resv_slack;
  });
}

void SlotLease::gained(std::span<const SlotRow> rows) {
  books_.with([&](Books& books) {
    for (const SlotRow& row : rows) {
      if (row.slot >= kSlotCount || row.owner != books.owner) continue;
      SlotBelief& mine = books.slots[row.slot];
      std::atomic<Grant>& grant = grants_[row.slot];
      const bool held = grant.load(std::memory_order_relaxed) != 0;
      if (held && mine.epoch == row.epoch && mine.bump == row.bump) continue;
      mine = SlotBelief{row.slot, row.epoch, row.bump};
      if (!held) held_.fetch_add(1, std::memory_order_relaxed);
      grant.store(books.next_grant, std::memory_order_release);
      books.next_grant += 2;
    }
  });
}

void SlotLease::lost(std::span<const Slot> slots) {
  books_.with([&](Books&) {
    for (const Slot slot : slots) {
      if (grants_[slot].exchange(0, std::memory_order_release) != 0) {
        held_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    if (held_.load(std::memory_order_relaxed) == 0)
      deadline_ns_.store(0, std::memory_order_release);
  });
}

void SlotLease::close(std::span<const Slot> slots) {
  books_.with([&](Books&) {
    for (const Slot slot : slots) {
      if (grants_[slot].load(std::memory_order_relaxed) != 0) {
        grants_[slot].fetch_or(kClosing, std::memory_order_release);
      }
    }
  });
}

void SlotLease::lost_all() {
  deadline_ns_.store(0, std::memory_order_release);
  books_.with([&](Books& books) {
    std::vector<SlotBelief> held;
    for (std::size_t i = 0; i < kSlotCount; ++i) {
      if (grants_[i].exchange(0, std::memory_order_release) != 0) held.push_back(books.slots[i]);
    }
    held_.store(0, std::memory_order_relaxed);
    if (!held.empty()) books.last_held = std::move(held);
  });
}

std::vector<SlotBelief> SlotLease::last_held() const {
  return books_.with([](const Books& books) { return books.last_held; });
}

}  // namespace seqd
