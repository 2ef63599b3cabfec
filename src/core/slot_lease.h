// What this process holds: the lease's deadline, its slots, and the stamp it believes in. Shared by the hot path (reads) and the
// lanes (writes).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "core/ownership.h"

namespace seqd {

/// Names one unbroken ownership of a slot by this process. Never reused, even if the store falls back to an older epoch; an
/// interval carries the grant under which it was reserved (DESIGN C2). 0: not ours.
using Grant = std::uint32_t;

/// How long a lease is good for, from the TTL that all daemons of a store share.
struct LeaseTimes {
  Duration ttl{};
  bool sole = false;  ///< the lease does not lapse by time (O3)

  Duration own_deadline() const { return ttl * 4 / 5 - std::chrono::milliseconds(100); }
  Duration takeover_after() const { return ttl * 11 / 10; }
  Duration renew_every() const { return ttl / 5; }
  Duration unit_needs() const { return ttl / 3; }
};

/// A unit that was begun: what to send, and when it was sent.
struct UnitTicket {
  UnitHead head;
  BootTime sent;
  bool counts_reservation = false;
};

class SlotLease {
 public:
  explicit SlotLease(LeaseTimes times) : times_(times) {}

  // ---- hot path; any thread, lock-free ----

  /// DESIGN C4: tested per command, after its bytes were read, with the boot clock.
  bool valid_at(BootTime now) const noexcept {
    return now.time_since_epoch().count() < deadline_ns_.load(std::memory_order_acquire);
  }
  /// True if intervals of this grant may give out numbers now: the slot is ours, by the same grant, and not closing.
  bool open(Slot slot, Grant grant) const noexcept {
    return grants_[slot].load(std::memory_order_acquire) == grant;
  }
  /// The grant under which a slot is ours, closing or not; 0 if it is not.
  Grant grant_of(Slot slot) const noexcept {
    return grants_[slot].load(std::memory_order_acquire) & ~kClosing;
  }
  bool closing(Slot slot) const noexcept {
    return (grants_[slot].load(std::memory_order_acquire) & kClosing) != 0;
  }

  // ---- lanes ----

  const LeaseTimes& times() const { return times_; }
  /// DESIGN O3: no unit starts with less than TTL/3 left.
  bool time_for_unit(BootTime now) const noexcept;
  Duration time_left(BootTime now) const noexcept;
  /// Since the last confirmed renewal was sent; zero before the first.
  Duration age(BootTime now) const noexcept {
    const std::int64_t sent = renewed_ns_.load(std::memory_order_relaxed);
    return Duration(sent == 0 ? 0 : now.time_since_epoch().count() - sent);
  }

  /// A new registration: no slots, and the stamp that was confirmed for it.
  void enrolled(const std::string& owner, const Stamp& stamp = {});
  std::string owner() const;
  /// Slots held, closing ones too.
  int slot_count() const noexcept { return held_.load(std::memory_order_relaxed); }
  std::vector<SlotBelief> held_slots() const;

  /// Begins a unit that touches `slots`: those of them that are held go into the head.
  UnitTicket begin_unit(std::span<const Slot> slots, bool counts_reservation, BootTime now);
  /// The unit was confirmed. If it stamped the own row, the stamp is known, and the lease lasts from before it was sent; a unit
  /// that had nothing to write renews nothing, whatever was read in it. False: the stamp is above everything that this process
  /// sent, so a clone of it writes with our nonce (H19); the caller treats it as fenced. A unit that gains slots calls gained()
  /// first.
  [[nodiscard]] bool unit_confirmed(const UnitTicket& ticket, const UnitReport& report);
  /// The unit may be committed, now or later: one increment more is possible.
  void unit_unknown(const UnitTicket& ticket);
  void unit_not_applied(const UnitTicket& ticket);

  /// All slots that a confirmed unit of `owner` showed to be ours. A slot already held at this epoch and bump keeps its grant;
  /// one that is held and not among them is lost. Nothing happens if that registration has ended.
  void gained(const std::string& owner, std::span<const SlotRow> rows);
  /// Slots that are not ours any more, or may not be: their intervals are worthless from here on.
  void lost(std::span<const Slot> slots);
  /// Requests of these slots are refused from now on; reservations in flight may still arrive.
  void close(std::span<const Slot> slots);
  /// Everything is lost (fenced, or the store lost commits): no slot, no lease, and the registration has ended. What is still in
  /// flight under it changes nothing any more. False: `owner` is not the current registration, or it ended before.
  bool end(const std::string& owner);
  /// What was held when the registration ended: to be compared with what the store says now (S7).
  std::vector<SlotBelief> last_held() const;
  /// The grants of that moment, by slot; 0 where none was held.
  std::vector<Grant> last_grants() const;

 private:
  static constexpr Grant kClosing = 1;

  struct Books {
    std::string owner;
    bool ended = true;
    StampBelief belief;
    std::array<SlotBelief, kSlotCount> slots{};
    std::vector<SlotBelief> last_held;
    std::array<Grant, kSlotCount> last_grants{};
    Grant next_grant = 2;  // even numbers: the low bit says "closing"
  };

  void extend(BootTime sent);

  const LeaseTimes times_;
  std::atomic<std::int64_t> deadline_ns_{0};
  std::atomic<std::int64_t> renewed_ns_{0};
  std::atomic<int> held_{0};
  std::array<std::atomic<Grant>, kSlotCount> grants_{};
  Guarded<Books> books_;
};

}  // namespace seqd
