// Counters of what core does off the hot path. Relaxed atomics: each is read on its own, never compared with another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace seqd {

/// Why numbers were never given out (DESIGN section 1, rule 4). The sum over all reasons explains every gap.
enum class GapReason : unsigned char {
  kCrash,          ///< a process that held them ended without release: an upper bound
  kSlotLost,       ///< fenced, or the slot went to another owner
  kUnknownCommit,  ///< a reservation whose COMMIT was not confirmed: an upper bound
  kSkipped,  ///< the rest of an interval before one that is not adjacent, or that a batch did not fit
  kLift,     ///< skipped by a floor or by the bump after a store lost commits
  kReleaseMissed,  ///< a clean release that was not confirmed, or had no time
};
inline constexpr std::array<const char*, 6> kGapReasonNames = {
    "crash", "slot_lost", "unknown_commit", "skipped", "lift", "release_missed"};

/// How a unit of the counter store ended.
enum class UnitResult : unsigned char {
  kOk,
  kBusy,
  kUnavailable,
  kUnknown,
  kFenced,
  kLostCommits,
  kRefused
};
inline constexpr std::array<const char*, 7> kUnitResultNames = {
    "ok", "busy", "unavailable", "unknown", "fenced", "lost_commits", "refused"};

struct Stats {
  using Counter = std::atomic<std::int64_t>;
  std::array<Counter, kGapReasonNames.size()> gap_numbers{};
  std::array<Counter, kUnitResultNames.size()> units{};
  Counter reserved_intervals{0};
  Counter reserved_numbers{0};
  Counter released_conversations{0};
  Counter waited{0};        ///< requests that had to wait for the store
  Counter wait_expired{0};  ///< … and got no number in time
  Counter invariant_violations{0};
  Counter lease_lapses{0};
  Counter takeovers{0};
  Counter lost_commits{0};  ///< times that the store was found to have lost commits (S7)

  void gap(GapReason why, std::int64_t numbers) noexcept {
    if (numbers > 0) {
      gap_numbers[static_cast<std::size_t>(why)].fetch_add(numbers, std::memory_order_relaxed);
    }
  }
  static void add(Counter& counter, std::int64_t n = 1) noexcept {
    counter.fetch_add(n, std::memory_order_relaxed);
  }
};

}  // namespace seqd
