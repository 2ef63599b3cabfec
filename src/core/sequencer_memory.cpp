// The Sequencer's memory: making room, letting go, looking over everything.
#include <bitset>

#include "core/sequencer.h"

namespace seqd {
namespace {

/// A conversation whose numbers can go back to the store: they are ours, and `cur` is exact.
bool releasable(const Conversation& c, const SlotLease& lease) {
  return c.end > 0 && c.issued_known && c.grant != 0 && lease.grant_of(c.slot) == c.grant;
}

Leave leave_of(const Conversation& c) {
  return Leave{Release{std::string(c.id()), c.slot, c.cur, c.end}, c.grant};
}

}  // namespace

void Sequencer::erase(Shard& shard, Conversation& c) {
  shard.waiters.erase(&c);
  shard.table.erase(&c);
  resident_.fetch_sub(1, std::memory_order_relaxed);
}

// Looks at a few conversations and lets the longest idle of them go, as Redis samples its LRU. One whose reservation is in flight
// stays: a release waits for it (DESIGN 4).
bool Sequencer::make_room(Shard& own) {
  if (resident_.load(std::memory_order_relaxed) < settings().max_resident) return false;
  constexpr std::size_t kSample = 16;
  const auto now =
      static_cast<std::uint32_t>(clock_.boot_now().time_since_epoch().count() / 1'000'000);

  const auto let_one_go = [&](Shard& shard, bool& wake) {
    Conversation* victim = nullptr;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < shard.table.capacity() && seen < kSample; ++i) {
      shard.hand = (shard.hand + 1) % shard.table.capacity();
      Conversation* c = shard.table.at(shard.hand);
      if (c == nullptr || c->reserving || c->waiting) continue;
      ++seen;
      if (victim == nullptr || now - c->used_ms > now - victim->used_ms) victim = c;
    }
    if (victim == nullptr) return false;
    if (releasable(*victim, lease_)) {
      wake = demand_.leave(leave_of(*victim));
    } else {
      stats_.gap(GapReason::kReleaseMissed, victim->room());
    }
    erase(shard, *victim);
    return true;
  };

  bool wake = false;
  if (let_one_go(own, wake)) return wake;
  for (Shard& other : shards_) {
    if (&other == &own) continue;
    // Two shards at once only by try_lock, so no order of locks is needed.
    const std::unique_lock<std::mutex> lock(other.mutex, std::try_to_lock);
    if (lock.owns_lock() && let_one_go(other, wake)) break;
  }
  return wake;
}

std::vector<Leave> Sequencer::extract(std::span<const Slot> slots) {
  std::bitset<kSlotCount> chosen;
  for (const Slot s : slots) chosen.set(s);
  std::vector<Leave> leaves;
  std::vector<Answered> answered;
  for (Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    std::vector<Conversation*> going;
    for (std::size_t i = 0; i < shard.table.capacity(); ++i) {
      Conversation* c = shard.table.at(i);
      if (c != nullptr && chosen.test(c->slot)) going.push_back(c);
    }
    for (Conversation* c : going) {
      refuse_waiters(shard, *c, why_not_open(c->slot), answered);
      // With a reservation still in flight the row's ceiling is about to move, and the release would miss it.
      if (releasable(*c, lease_) && !c->reserving) {
        leaves.push_back(leave_of(*c));
      } else {
        stats_.gap(GapReason::kReleaseMissed, c->room());
      }
      erase(shard, *c);
    }
  }
  send(answered);
  return leaves;
}

void Sequencer::purge() {
  std::vector<Answered> answered;
  for (Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    std::vector<Conversation*> going;
    for (std::size_t i = 0; i < shard.table.capacity(); ++i) {
      Conversation* c = shard.table.at(i);
      if (c != nullptr && c->grant != lease_.grant_of(c->slot)) going.push_back(c);
    }
    for (Conversation* c : going) {
      refuse_waiters(shard, *c, why_not_open(c->slot), answered);
      stats_.gap(GapReason::kSlotLost, c->room());
      erase(shard, *c);
    }
  }
  send(answered);
}

std::vector<Lift> Sequencer::held() const {
  std::vector<Lift> all;
  const std::vector<Grant> grants = lease_.last_grants();
  for (const Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    for (std::size_t i = 0; i < shard.table.capacity(); ++i) {
      const Conversation* c = shard.table.at(i);
      if (c == nullptr || c->end == 0) continue;
      // Under a grant that was current to the end, nobody else can have gone further.
      all.push_back(Lift{std::string(c->id()), c->slot, c->end, c->grant == grants[c->slot]});
    }
  }
  return all;
}

bool Sequencer::reserving(std::span<const Slot> slots) const {
  std::bitset<kSlotCount> chosen;
  for (const Slot s : slots) chosen.set(s);
  for (const Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    for (std::size_t i = 0; i < shard.table.capacity(); ++i) {
      const Conversation* c = shard.table.at(i);
      if (c != nullptr && c->reserving && chosen.test(c->slot)) return true;
    }
  }
  return false;
}

void Sequencer::stop() {
  stopping_.store(true);
  std::vector<Answered> answered;
  for (Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    while (!shard.waiters.empty()) {
      refuse_waiters(shard, *shard.waiters.begin()->first, Refusal::kStopping, answered);
    }
  }
  send(answered);
  std::vector<std::uint64_t> open;
  peeks_.with([&](const Peeks& peeks) {
    for (const auto& [ticket, wait] : peeks.waiting) open.push_back(ticket);
  });
  PeekResult stopping;
  stopping.why = Refusal::kStopping;
  for (const std::uint64_t ticket : open) answer_peek(ticket, stopping);
}

}  // namespace seqd
