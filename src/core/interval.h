// An interval (号段, segment) of one conversation, and the arithmetic that reserves the next one.
#pragma once

#include <cstdint>
#include <optional>

namespace seqd {

/// The largest seq: 2^53-1, exact in JavaScript and in Redis Lua (DESIGN section 1, rule 3).
inline constexpr std::int64_t kMaxSeq = (std::int64_t{1} << 53) - 1;

/// Numbers lo+1 … end, reserved in the store and committed. Empty when lo == end.
struct Interval {
  std::int64_t lo = 0;
  std::int64_t end = 0;
};

/// A row of seq_counter as read under its lock.
struct CounterRow {
  std::int64_t max_seq = 0;  ///< ceiling: everything above it is free
  std::optional<std::int64_t>
      cur_seq;  ///< last issued, after a clean release; nothing while held or after a crash
  std::int64_t issued_seq = 0;  ///< known to be issued when the last interval was reserved
  std::int64_t bump_seen = 0;   ///< the slot's bump that max_seq contains
};

/// What is asked for one conversation.
struct ReserveAsk {
  std::int64_t numbers = 1;   ///< 1 or more
  std::int64_t at_least = 0;  ///< the interval must lie above this (a floor); 0 = none
  std::int64_t issued = -1;   ///< last number issued from memory; -1: nothing is held (first load)
};

/// What a reservation does to the row. The new ceiling is interval.end; the write must be relative:
/// max_seq = max_seq + (interval.end - row.max_seq), cur_seq = NULL, issued_seq = issued_seq, bump_seen = slot_bump.
struct ReservePlan {
  Interval interval;            ///< what the conversation gets. A released tail is part of it.
  std::int64_t issued_seq = 0;  ///< what to store
  bool issued_known = false;    ///< interval.lo is exactly the last issued number
  std::int64_t crash_gap = 0;   ///< upper bound of numbers lost with a process that held this row
  std::int64_t lift_gap = 0;    ///< numbers skipped by a bump or a floor
};

/// Plans a reservation. No value: the conversation is exhausted, not one number below the cap is left (it alone; H42).
/// Never lowers anything (S8). A plan near the cap may give fewer numbers than asked, but at least one.
/// REQUIRES: ask.numbers >= 1, slot_bump >= row.bump_seen, 0 <= row.max_seq <= kMaxSeq.
std::optional<ReservePlan> plan_reservation(const CounterRow& row, std::int64_t slot_bump,
                                            const ReserveAsk& ask);

/// The first interval of a row that does not exist yet. It lies above the slot's bump too: the row may have existed before the store
/// lost commits (S7). No value: exhausted.
std::optional<ReservePlan> plan_creation(std::int64_t floor, std::int64_t numbers,
                                         std::int64_t slot_bump);

}  // namespace seqd
