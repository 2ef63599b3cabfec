#include "core/interval.h"

#include <doctest/doctest.h>

using namespace seqd;

namespace {

CounterRow row(std::int64_t max, std::optional<std::int64_t> cur, std::int64_t issued = 0,
               std::int64_t bump_seen = 0) {
  return CounterRow{max, cur, issued, bump_seen};
}

}  // namespace

TEST_CASE("a held row goes on at its ceiling") {
  const auto plan = plan_reservation(row(1000, std::nullopt), 0, {1000, 0, 400});
  REQUIRE(plan);
  CHECK(plan->interval.lo == 1000);
  CHECK(plan->interval.end == 2000);
  CHECK(plan->issued_seq == 400);
  CHECK(plan->crash_gap == 0);
}

TEST_CASE(
    "after a crash the interval begins above the ceiling, and the gap's bound is what was not "
    "known to be issued") {
  const auto plan = plan_reservation(row(2000, std::nullopt, 700), 0, {1000, 0, -1});
  REQUIRE(plan);
  CHECK(plan->interval.lo == 2000);
  CHECK_FALSE(plan->issued_known);
  CHECK(plan->crash_gap == 1300);
}

TEST_CASE("a released tail is taken by raising the ceiling as well") {
  const auto plan = plan_reservation(row(1000, 400), 0, {1000, 0, -1});
  REQUIRE(plan);
  CHECK(plan->interval.lo == 400);
  CHECK(plan->interval.end == 2000);
  CHECK(plan->issued_known);
  CHECK(plan->crash_gap == 0);
}

TEST_CASE("a bump that was not seen lifts the interval and voids a released cur") {
  const auto plan = plan_reservation(row(1000, 400, 400, 0), 5000, {1000, 0, -1});
  REQUIRE(plan);
  CHECK(plan->interval.lo == 6000);
  CHECK(plan->interval.end == 7000);
  CHECK_FALSE(plan->issued_known);
  CHECK(plan->lift_gap == 5000);
}

TEST_CASE("a floor lifts, and a lower one does nothing") {
  const auto lifted = plan_reservation(row(1000, 400), 0, {10, 5000, -1});
  REQUIRE(lifted);
  CHECK(lifted->interval.lo == 5000);
  CHECK(lifted->interval.end == 5010);
  CHECK_FALSE(lifted->issued_known);
  const auto same = plan_reservation(row(1000, 400), 0, {10, 100, -1});
  REQUIRE(same);
  CHECK(same->interval.lo == 400);
  CHECK(same->interval.end == 1010);
}

TEST_CASE("a floor inside a released tail never lowers the ceiling") {
  const auto plan = plan_reservation(row(1000, 400), 0, {10, 600, -1});
  REQUIRE(plan);
  CHECK(plan->interval.lo == 600);
  CHECK(plan->interval.end == 1010);
}

TEST_CASE("the last interval ends at 2^53-1, and after it the conversation is exhausted") {
  const auto last = plan_reservation(row(kMaxSeq - 500, std::nullopt), 0, {1000, 0, kMaxSeq - 600});
  REQUIRE(last);
  CHECK(last->interval.lo == kMaxSeq - 500);
  CHECK(last->interval.end == kMaxSeq);
  CHECK_FALSE(plan_reservation(row(kMaxSeq, std::nullopt), 0, {1, 0, -1}));
  CHECK_FALSE(plan_reservation(row(kMaxSeq, kMaxSeq), 0, {1, 0, -1}));
  CHECK_FALSE(plan_reservation(row(10, std::nullopt), kMaxSeq, {1, 0, -1}));
  CHECK_FALSE(plan_reservation(row(10, std::nullopt), 0, {1, kMaxSeq, -1}));
}

TEST_CASE("a released tail at the cap is still given out") {
  const auto plan = plan_reservation(row(kMaxSeq, kMaxSeq - 3), 0, {1000, 0, -1});
  REQUIRE(plan);
  CHECK(plan->interval.lo == kMaxSeq - 3);
  CHECK(plan->interval.end == kMaxSeq);
}
