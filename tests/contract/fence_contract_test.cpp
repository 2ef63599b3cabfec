#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "contract/worlds.h"

namespace seqd::contract {
namespace {

#define SEQD_WORLDS MemoryWorld, SqliteWorld, MariadbWorld, GivenServerWorld

/// Every unit there is, each ready to run with this head.
template <class W>
std::vector<std::pair<std::string, std::function<Code(const UnitHead&)>>> all_units(Daemon<W>& a) {
  const auto code = [](const auto& result) { return result ? Code{255} : result.error().code; };
  OwnerRow nobody;
  nobody.owner = "nobody";
  return {
      {"create",
       [&a, code](const UnitHead& head) {
         return code(a.counters->create(head, std::vector<NewCounter>{{"new", 7, 0, 10}}));
       }},
      {"reserve",
       [&a, code](const UnitHead& head) {
         return code(a.counters->reserve(head, std::vector<ReserveRequest>{ask("c1", 10)}));
       }},
      {"release",
       [&a, code](const UnitHead& head) {
         return code(a.counters->release(head, std::vector<Release>{{"c1", 7, 5, 10}}));
       }},
      {"lift",
       [&a, code](const UnitHead& head) {
         return code(a.counters->lift(head, std::vector<Lift>{{"c1", 7, 900}}));
       }},
      {"renew", [&a, code](const UnitHead& head) { return code(a.leases->renew(head)); }},
      {"claim", [&a, code](const UnitHead& head) { return code(a.leases->claim(head, 0)); }},
      {"take_over", [&a, nobody, code](
                        const UnitHead& head) { return code(a.leases->take_over(head, nobody)); }},
      {"give",
       [&a, code](const UnitHead& head) {
         return code(a.leases->give(head, std::vector<Slot>{7}));
       }},
      {"bump",
       [&a, code](const UnitHead& head) {
         return code(a.leases->bump(head, SlotBump{{7}, 100, 0, 0, {"a"}}));
       }},
  };
}

TEST_CASE_TEMPLATE("a fenced or missing owner changes nothing by any unit", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  const SlotRow slot = slot_row(world, 7);
  for (const bool missing : {false, true}) {
    if (missing) {
      world.drop_owner("a");
    } else {
      world.set_fenced("a");
    }
    for (const auto& [name, unit] : all_units(a)) {
      CAPTURE(name);
      CHECK(unit(a.head({7})) == Code::kFenced);
    }
    CHECK(world.counter("c1")->max_seq == 10);
    CHECK_FALSE(world.counter("c1")->cur_seq.has_value());
    CHECK_FALSE(world.counter("new").has_value());
    CHECK(slot_row(world, 7).epoch == slot.epoch);
    CHECK(slot_row(world, 7).bump == slot.bump);
    CHECK(slot_row(world, 7).owner == "a");
  }
}

TEST_CASE_TEMPLATE("a stamp below what was confirmed is a store that lost commits, in every unit",
                   W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  for (const Stamp stamp :
       {Stamp{a.stamp.beat - 1, a.stamp.resv_no}, Stamp{a.stamp.beat, a.stamp.resv_no - 1}}) {
    world.set_stamp("a", stamp);
    for (const auto& [name, unit] : all_units(a)) {
      CAPTURE(name);
      CHECK(unit(a.head({7})) == Code::kLostCommits);
    }
  }
  CHECK(world.counter("c1")->max_seq == 10);
}

TEST_CASE_TEMPLATE("a stamp above what was sent is a clone, one within the slack is a late reply",
                   W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  world.set_stamp("a", Stamp{a.stamp.beat + 2, a.stamp.resv_no + 2});
  UnitHead head = a.head({7});
  head.belief.beat_slack = 1;
  head.belief.resv_slack = 2;
  for (const auto& [name, unit] : all_units(a)) {
    CAPTURE(name);
    CHECK(unit(head) == Code::kFenced);
  }
  head.belief.beat_slack = 2;
  const UnitReport report = must(a.leases->renew(head));
  CHECK(report.stamp.beat == a.stamp.beat + 3);
  CHECK(report.stamp.resv_no == a.stamp.resv_no + 2);
}

TEST_CASE_TEMPLATE("every unit stamps the beat, and those on counters the reservation number", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  CHECK(a.stamp.beat == 1);
  CHECK(a.stamp.resv_no == 0);
  a.create({{"c1", 7, 0, 10}});
  a.reserve({ask("c1", 1)});
  a.release({{"c1", 7, 5, 11}});
  CHECK(a.stamp.beat == 4);
  CHECK(a.stamp.resv_no == 3);
  a.stamp = must(a.leases->renew(a.head({7}))).stamp;
  a.stamp = must(a.leases->give(a.head({}), std::vector<Slot>{9})).stamp;
  CHECK(a.stamp.beat == 6);
  CHECK(a.stamp.resv_no == 3);
  CHECK(owner_row(world, "a").beat == 6);
  CHECK(owner_row(world, "a").resv_no == 3);
}

TEST_CASE_TEMPLATE("a slot whose owner, epoch or bump moved is lost, and the other slots go on", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}, {"c2", 8, 0, 10}}, {7, 8});
  const SlotRow seven = a.ours[7];
  SlotRow moved = seven;
  SUBCASE("owner") { moved.owner = "b"; }
  SUBCASE("nobody") { moved.owner = ""; }
  SUBCASE("epoch") { moved.epoch += 1; }
  SUBCASE("bump") { moved.bump += 1; }
  world.set_slot(moved);
  const ReserveReport report = a.reserve({ask("c1", 10), ask("c2", 10, 8)}, {7, 8});
  CHECK(report.unit.lost == std::vector<Slot>{7});
  CHECK(report.outcomes[0].status == ReserveStatus::kSlotLost);
  CHECK(report.outcomes[1].status == ReserveStatus::kReserved);
  CHECK(world.counter("c1")->max_seq == 10);
  CHECK(a.release({{"c1", 7, 5, 10}, {"c2", 8, 15, 20}}, {7, 8}).released == 1);
  const ReserveReport created = a.create({{"n1", 7, 0, 10}, {"n2", 8, 0, 10}}, {7, 8});
  CHECK(created.outcomes[0].status == ReserveStatus::kSlotLost);
  CHECK(created.outcomes[1].status == ReserveStatus::kReserved);
  CHECK(must(a.leases->renew(a.head({7, 8}))).lost == std::vector<Slot>{7});
}

TEST_CASE_TEMPLATE("a slot that is gone or stands lower is a store that lost commits", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.set_slot(SlotRow{7, "", 3, 50});
  Daemon<W> a(world, "a");
  a.claim();
  SUBCASE("epoch") { world.set_slot(SlotRow{7, "a", 3, 50}); }
  SUBCASE("bump") { world.set_slot(SlotRow{7, "a", 4, 49}); }
  SUBCASE("gone") { world.drop_slots(7); }
  const auto renewed = a.leases->renew(a.head({6, 7}));
  REQUIRE_FALSE(renewed.ok());
  CHECK(renewed.error().code == Code::kLostCommits);
}

}  // namespace
}  // namespace seqd::contract
