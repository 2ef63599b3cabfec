#include "core/interval.h"

#include <algorithm>

namespace seqd {

std::optional<ReservePlan> plan_reservation(const CounterRow& row, std::int64_t slot_bump,
                                            const ReserveAsk& ask) {
  ReservePlan plan;
  const std::int64_t lift = std::max<std::int64_t>(0, slot_bump - row.bump_seen);
  const bool held = ask.issued >= 0;
  // A bump means that the store forgot commits: a released cur_seq may be older than numbers that were used (S7).
  const bool clean = row.cur_seq.has_value() && lift == 0;

  if (row.max_seq >= kMaxSeq - lift && !(clean && *row.cur_seq < kMaxSeq)) return std::nullopt;
  std::int64_t lo = clean ? *row.cur_seq : row.max_seq + lift;
  if (!held && !row.cur_seq.has_value()) {
    plan.crash_gap = std::max<std::int64_t>(0, row.max_seq - row.issued_seq);
  }
  plan.issued_known = clean;
  if (!clean && lift > 0) plan.lift_gap += lift;
  if (ask.at_least > lo) {
    if (ask.at_least >= kMaxSeq) return std::nullopt;
    plan.lift_gap += ask.at_least - std::max(lo, row.max_seq);
    plan.lift_gap = std::max<std::int64_t>(0, plan.lift_gap);
    plan.issued_known = false;
    lo = ask.at_least;
  }
  // The ceiling rises even when a released tail alone would do: a tail is taken only by raising it (model/fence*.pml).
  const std::int64_t base = std::max(lo, row.max_seq + lift);
  const std::int64_t end = base > kMaxSeq - ask.numbers ? kMaxSeq : base + ask.numbers;
  if (end <= lo) return std::nullopt;
  plan.interval = Interval{lo, end};
  // After a crash the numbers up to lo stay doubtful until this interval is known to be used: should this load be lost as well, the
  // next one still counts them.
  plan.issued_seq = std::max(row.issued_seq, held ? ask.issued : clean ? lo : row.issued_seq);
  return plan;
}

std::optional<ReservePlan> plan_creation(std::int64_t floor, std::int64_t numbers,
                                         std::int64_t slot_bump) {
  const std::int64_t lo = std::max(floor, slot_bump);
  if (lo >= kMaxSeq) return std::nullopt;
  ReservePlan plan;
  plan.interval = Interval{lo, numbers > kMaxSeq - lo ? kMaxSeq : lo + numbers};
  plan.issued_seq = lo;
  plan.issued_known = lo == 0;
  plan.lift_gap = lo;
  return plan;
}

}  // namespace seqd
