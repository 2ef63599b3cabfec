#include <doctest/doctest.h>

#include <set>

#include "contract/worlds.h"

namespace seqd::contract {
namespace {

#define SEQD_WORLDS MemoryWorld, SqliteWorld, MariadbWorld, GivenServerWorld

bool is(const std::optional<CounterRow>& row, std::int64_t max, std::optional<std::int64_t> cur,
        std::int64_t issued, std::int64_t bump) {
  return row && row->max_seq == max && row->cur_seq == cur && row->issued_seq == issued &&
         row->bump_seen == bump;
}

TEST_CASE_TEMPLATE("a new conversation begins above its floor and its row says so", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  const ReserveReport report = a.create({{"c1", 7, 0, 1000}, {"c2", 7, 5000, 10}});
  REQUIRE(report.outcomes.size() == 2);
  CHECK(report.outcomes[0].status == ReserveStatus::kReserved);
  CHECK(report.outcomes[0].plan.interval.lo == 0);
  CHECK(report.outcomes[0].plan.interval.end == 1000);
  CHECK(report.outcomes[0].plan.issued_known);
  CHECK(report.outcomes[1].plan.interval.lo == 5000);
  CHECK(report.outcomes[1].plan.interval.end == 5010);
  CHECK(report.outcomes[1].plan.issued_seq == 5000);
  CHECK_FALSE(report.outcomes[1].plan.issued_known);
  CHECK(is(world.counter("c1"), 1000, std::nullopt, 0, 0));
  CHECK(is(world.counter("c2"), 5010, std::nullopt, 5000, 0));
}

TEST_CASE_TEMPLATE("a floor near the cap gives what is left, and at the cap nothing", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  const ReserveReport report =
      a.create({{"c1", 7, kMaxSeq - 3, 1000}, {"c2", 7, kMaxSeq, 10}, {"c3", 7, 0, 10}});
  CHECK(report.outcomes[0].plan.interval.end == kMaxSeq);
  CHECK(report.outcomes[1].status == ReserveStatus::kExhausted);
  CHECK(report.outcomes[2].status == ReserveStatus::kReserved);
  CHECK_FALSE(world.counter("c2").has_value());
  const ReserveReport more = a.reserve({ask("c1", 10), ask("c3", 10)});
  CHECK(more.outcomes[0].status == ReserveStatus::kExhausted);
  CHECK(more.outcomes[1].status == ReserveStatus::kReserved);
  CHECK(is(world.counter("c1"), kMaxSeq, std::nullopt, kMaxSeq - 3, 0));
}

TEST_CASE_TEMPLATE("creating one that exists creates none and leaves it alone", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  world.put_counter("c2", 7, CounterRow{500, 490, 400, 0});
  const Stamp before = a.stamp;
  const ReserveReport report = a.create({{"c1", 7, 0, 10}, {"c2", 7, 0, 10}, {"c3", 9, 0, 10}});
  CHECK(report.outcomes[0].status == ReserveStatus::kExists);
  CHECK(report.outcomes[1].status == ReserveStatus::kExists);
  CHECK(report.outcomes[2].status == ReserveStatus::kSlotLost);
  CHECK_FALSE(world.counter("c1").has_value());
  CHECK(is(world.counter("c2"), 500, 490, 400, 0));
  CHECK(report.unit.stamp.beat == before.beat);
}

TEST_CASE_TEMPLATE("a reservation goes on above the ceiling", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 100}});
  const ReserveReport report = a.reserve({ask("c1", 50, 7, 0, 80), ask("none", 5)});
  CHECK(report.outcomes[0].plan.interval.lo == 100);
  CHECK(report.outcomes[0].plan.interval.end == 150);
  CHECK(report.outcomes[1].status == ReserveStatus::kMissing);
  CHECK(is(world.counter("c1"), 150, std::nullopt, 80, 0));
}

TEST_CASE_TEMPLATE("a released tail is taken once, and taking it raises the ceiling", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 100}});
  CHECK(a.release({{"c1", 7, 42, 100}}).released == 1);
  CHECK(is(world.counter("c1"), 100, 42, 0, 0));
  const ReserveReport report = a.reserve({ask("c1", 10)});
  CHECK(report.outcomes[0].plan.interval.lo == 42);
  CHECK(report.outcomes[0].plan.interval.end == 110);
  CHECK(report.outcomes[0].plan.issued_known);
  CHECK(is(world.counter("c1"), 110, std::nullopt, 42, 0));
}

TEST_CASE_TEMPLATE("a release misses when the ceiling has moved or a release stands already", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 100}, {"c2", 7, 0, 100}, {"c3", 7, 0, 100}});
  a.reserve({ask("c1", 10)});
  CHECK(a.release({{"c1", 7, 42, 100}, {"c2", 7, 42, 100}, {"c4", 7, 1, 2}}).released == 1);
  CHECK(a.release({{"c2", 7, 41, 100}}).released == 0);
  CHECK(a.release({{"c3", 9, 41, 100}}).released == 0);
  CHECK(is(world.counter("c1"), 110, std::nullopt, 0, 0));
  CHECK(is(world.counter("c2"), 100, 42, 0, 0));
  CHECK(is(world.counter("c3"), 100, std::nullopt, 0, 0));
}

TEST_CASE_TEMPLATE(
    "a bump of the slot lifts each of its conversations once, and no released tail survives it", W,
    SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.set_slot(SlotRow{7, "", 3, 1000});
  Daemon<W> a(world, "a");
  a.claim();
  world.put_counter("c1", 7, CounterRow{100, 42, 42, 0});
  a.create({{"c2", 7, 0, 10}});
  ReserveReport report = a.reserve({ask("c1", 10), ask("c2", 10)});
  CHECK(report.outcomes[0].plan.interval.lo == 1100);
  CHECK(report.outcomes[1].plan.interval.lo == 1010);  // a row created later starts with the bump
  CHECK(is(world.counter("c1"), 1110, std::nullopt, 42, 1000));
  CHECK(is(world.counter("c2"), 1020, std::nullopt, 1000, 1000));
  report = a.reserve({ask("c1", 10)});
  CHECK(report.outcomes[0].plan.interval.lo == 1110);
}

TEST_CASE_TEMPLATE("a floor in a reservation lifts the ceiling", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 100}});
  const ReserveReport report = a.reserve({ask("c1", 10, 7, 5000)});
  CHECK(report.outcomes[0].plan.interval.lo == 5000);
  CHECK(is(world.counter("c1"), 5010, std::nullopt, 0, 0));
}

TEST_CASE_TEMPLATE("an operator's row of three columns is a conversation that was held", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  world.put_counter("c1", 7, CounterRow{700, std::nullopt, 0, 0});
  const ReserveReport report = a.reserve({ask("c1", 1)});
  CHECK(report.outcomes[0].plan.interval.lo == 700);
  CHECK_FALSE(report.outcomes[0].plan.issued_known);
}

TEST_CASE_TEMPLATE("a lift never lowers, creates what is missing, and ends a release", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  world.put_counter("c1", 7, CounterRow{100, 42, 42, 0});
  world.put_counter("c2", 7, CounterRow{100, 42, 42, 5});
  const std::vector<Lift> lifts = {{"c1", 7, 50}, {"c2", 7, 900}, {"c3", 9, 77}};
  const UnitReport report = must(a.counters->lift(a.head({}), lifts));
  CHECK(report.stamp.resv_no == a.stamp.resv_no + 1);
  CHECK(is(world.counter("c1"), 100, std::nullopt, 50, 0));
  CHECK(is(world.counter("c2"), 900, std::nullopt, 900, 5));
  CHECK(is(world.counter("c3"), 77, std::nullopt, 77, 0));
}

TEST_CASE_TEMPLATE("an exact lift is not bumped on top, another one is", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  world.put_counter("c1", 7, CounterRow{100, 42, 42, 0});
  SlotRow slot = slot_row(world, 7);
  slot.bump = 5000;
  world.set_slot(slot);
  const std::vector<Lift> lifts = {{"c1", 7, 900, true}, {"c2", 7, 900, true}, {"c3", 7, 900}};
  must(a.counters->lift(a.head({}), lifts));
  CHECK(is(world.counter("c1"), 900, std::nullopt, 900, 5000));
  CHECK(is(world.counter("c2"), 900, std::nullopt, 900, 5000));
  CHECK(is(world.counter("c3"), 900, std::nullopt, 900, 0));
}

TEST_CASE_TEMPLATE(
    "ids are bytes: case, accents, trailing spaces and emoji tell conversations apart", W,
    SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  const std::set<std::string> ids = {"a",
                                     "A",
                                     "\xc3\xa1",
                                     "a ",
                                     "\xf0\x9f\x98\x80",
                                     "\xf0\x9f\x98\x81",
                                     std::string(64, 'x'),
                                     std::string(63, 'x') + "y",
                                     "it's \\ \"%_`"};
  std::vector<NewCounter> rows;
  std::int64_t size = 0;
  for (const std::string& id : ids) rows.push_back(NewCounter{id, 7, 0, ++size});
  const ReserveReport report = a.create(rows);
  for (const ReserveOutcome& outcome : report.outcomes) {
    CHECK(outcome.status == ReserveStatus::kReserved);
  }
  const std::vector<std::string> sorted(ids.begin(), ids.end());
  const std::vector<FoundCounter> found = must(a.counters->look_up(sorted));
  REQUIRE(found.size() == ids.size());
  for (const FoundCounter& counter : found) {
    for (const NewCounter& row : rows) {
      if (row.conv_id == counter.conv_id) CHECK(counter.row.max_seq == row.numbers);
    }
  }
}

TEST_CASE_TEMPLATE("five hundred rows go in one unit", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  std::vector<NewCounter> rows;
  std::vector<ReserveRequest> requests;
  std::vector<Release> releases;
  for (std::size_t i = 0; i < kMaxUnitRows; ++i) {
    const std::string id = "conversation-" + std::to_string(1000 + i);
    rows.push_back(NewCounter{id, 7, 0, 10});
    requests.push_back(ask(id, 10));
    releases.push_back(Release{id, 7, 15, 20});
  }
  const Stamp before = a.stamp;
  a.create(rows);
  const ReserveReport report = a.reserve(requests);
  for (const ReserveOutcome& outcome : report.outcomes) {
    REQUIRE(outcome.status == ReserveStatus::kReserved);
    REQUIRE(outcome.plan.interval.end == 20);
  }
  CHECK(a.release(releases).released == std::int64_t{kMaxUnitRows});
  CHECK(a.stamp.beat == before.beat + 3);
  CHECK(a.stamp.resv_no == before.resv_no + 3);
}

TEST_CASE_TEMPLATE("a row that somebody else holds waits for the next unit, and the others go on",
                   W, SEQD_WORLDS) {
  if (!W::available() || !W::kRowLocks) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}, {"c2", 7, 0, 10}});
  world.lock_row("c1");
  const ReserveReport report = a.reserve({ask("c1", 10), ask("c2", 10), ask("c3", 10)});
  CHECK(report.outcomes[0].status == ReserveStatus::kLocked);
  CHECK(report.outcomes[1].status == ReserveStatus::kReserved);
  CHECK(report.outcomes[2].status == ReserveStatus::kMissing);
  const Stamp before = a.stamp;
  CHECK(a.reserve({ask("c1", 10)}).outcomes[0].status == ReserveStatus::kLocked);
  CHECK(a.stamp.beat == before.beat);
  CHECK(a.create({{"c1", 7, 0, 10}}).outcomes[0].status == ReserveStatus::kExists);
  CHECK(a.release({{"c1", 7, 5, 10}, {"c2", 7, 15, 20}}).released == 1);
  world.unlock_row("c1");
  CHECK(a.reserve({ask("c1", 10)}).outcomes[0].status == ReserveStatus::kReserved);
  CHECK(is(world.counter("c1"), 20, std::nullopt, 0, 0));
}

TEST_CASE_TEMPLATE("the message table answers the largest seq of each conversation", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.message("c1", 5);
  world.message("c1", 9);
  world.message("C1", 70);
  const auto history = world.history();
  const std::vector<std::string> ids = {"C1", "c1", "nobody"};
  CHECK(must(history->max_seq(ids)) == std::vector<std::int64_t>{70, 9, 0});
}

}  // namespace
}  // namespace seqd::contract
