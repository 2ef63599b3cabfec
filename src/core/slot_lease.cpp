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

void SlotLease::enrolled(const std::string& owner, const Stamp& stamp) {
  (void)end(this->owner());
  books_.with([&](Books& books) {
    books.owner = owner;
    books.ended = false;
    books.belief = StampBelief{stamp, 0, 0};
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

bool SlotLease::unit_confirmed(const UnitTicket& ticket, const UnitReport& report) {
  return books_.with([&](Books& books) {
    if (books.owner != ticket.head.owner || books.ended) return true;
    StampBelief& belief = books.belief;
    const Stamp& stamp = report.stamp;
    if (stamp.beat > belief.known.beat + belief.beat_slack ||
        stamp.resv_no > belief.known.resv_no + belief.resv_slack) {
      return false;
    }
    --belief.beat_slack;
    if (ticket.counts_reservation) --belief.resv_slack;
    belief.known.beat = std::max(belief.known.beat, stamp.beat);
    belief.known.resv_no = std::max(belief.known.resv_no, stamp.resv_no);
    if (report.stamped) extend(ticket.sent);
    return true;
  });
}

// REQUIRES: under the books' lock, so that a registration that ends cannot be revived by a late confirmation.
void SlotLease::extend(BootTime sent) {
  if (held_.load(std::memory_order_relaxed) == 0) return;
  const std::int64_t since = sent.time_since_epoch().count();
  if (renewed_ns_.load(std::memory_order_relaxed) < since) renewed_ns_.store(since);
  const std::int64_t until =
      times_.sole ? kNever : (sent + times_.own_deadline()).time_since_epoch().count();
  // Only ever forward: a unit that was sent earlier may be confirmed later.
  if (deadline_ns_.load(std::memory_order_relaxed) < until) {
    deadline_ns_.store(until, std::memory_order_release);
  }
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

void SlotLease::gained(const std::string& owner, std::span<const SlotRow> rows) {
  books_.with([&](Books& books) {
    if (books.owner != owner || books.ended) return;
    std::array<bool, kSlotCount> listed{};
    for (const SlotRow& row : rows) {
      if (row.slot >= kSlotCount || row.owner != owner) continue;
      listed[row.slot] = true;
      SlotBelief& mine = books.slots[row.slot];
      std::atomic<Grant>& grant = grants_[row.slot];
      const bool held = grant.load(std::memory_order_relaxed) != 0;
      if (held && mine.epoch == row.epoch && mine.bump == row.bump) continue;
      mine = SlotBelief{row.slot, row.epoch, row.bump};
      if (!held) held_.fetch_add(1, std::memory_order_relaxed);
      grant.store(books.next_grant, std::memory_order_release);
      books.next_grant += 2;
    }
    for (std::size_t i = 0; i < kSlotCount; ++i) {
      if (!listed[i] && grants_[i].exchange(0, std::memory_order_release) != 0) {
        held_.fetch_sub(1, std::memory_order_relaxed);
      }
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

bool SlotLease::end(const std::string& owner) {
  return books_.with([&](Books& books) {
    if (books.owner != owner || books.ended) return false;
    books.ended = true;
    deadline_ns_.store(0, std::memory_order_release);
    books.last_held.clear();
    for (std::size_t i = 0; i < kSlotCount; ++i) {
      const Grant grant = grants_[i].exchange(0, std::memory_order_release) & ~kClosing;
      books.last_grants[i] = grant;
      if (grant != 0) books.last_held.push_back(books.slots[i]);
    }
    held_.store(0, std::memory_order_relaxed);
    return true;
  });
}

std::vector<Grant> SlotLease::last_grants() const {
  return books_.with([](const Books& books) {
    return std::vector<Grant>(books.last_grants.begin(), books.last_grants.end());
  });
}

std::vector<SlotBelief> SlotLease::last_held() const {
  return books_.with([](const Books& books) { return books.last_held; });
}

}  // namespace seqd
