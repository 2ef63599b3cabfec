#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "contract/worlds.h"

namespace seqd::contract {
namespace {

#define SEQD_WORLDS MemoryWorld, SqliteWorld, MariadbWorld, GivenServerWorld

TEST_CASE_TEMPLATE("a claim takes what nobody owns, and answers all that is ours", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.set_slot(SlotRow{3, "other", 9, 0});
  Daemon<W> a(world, "a");
  const ClaimReport report = must(a.leases->claim(a.head({}), 0));
  CHECK(report.ours.size() == kSlotCount - 1);
  CHECK(report.ours.front().epoch == 1);
  CHECK(slot_row(world, 3).owner == "other");
  a.adopt(report);
  // As after a claim whose reply was lost: asked again, it tells the truth and moves no epoch.
  const ClaimReport again = must(a.leases->claim(a.head({}), 0));
  CHECK(again.ours.size() == kSlotCount - 1);
  CHECK(again.ours.front().epoch == 1);
}

TEST_CASE_TEMPLATE("a slot table that was emptied comes back with the least epoch", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  world.drop_slots(10);
  CHECK(must(world.leases()->survey()).slots.size() == 10);
  const ClaimReport report = must(a.leases->claim(a.head({}), 500));
  REQUIRE(report.ours.size() == kSlotCount);
  CHECK(report.ours[9].epoch == 1);
  CHECK(report.ours[10].epoch == 501);
}

TEST_CASE_TEMPLATE("only one's own slots are given away, and the next owner has a higher epoch", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.set_slot(SlotRow{3, "other", 9, 0});
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  a.stamp = must(a.leases->give(a.head({}), std::vector<Slot>{3, 7})).stamp;
  CHECK(slot_row(world, 3).owner == "other");
  CHECK(slot_row(world, 7).owner.empty());
  CHECK(slot_row(world, 7).epoch == 1);
  Daemon<W> b(world, "b");
  b.claim();
  REQUIRE(b.ours.size() == 1);
  CHECK(b.ours[7].epoch == 2);
  CHECK(a.reserve({ask("c1", 1)}).outcomes[0].status == ReserveStatus::kSlotLost);
  CHECK(b.reserve({ask("c1", 1)}).outcomes[0].plan.interval.lo == 10);
}

TEST_CASE_TEMPLATE("after a takeover the old owner is fenced and the new one goes on above it", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  a.create({{"c1", 7, 0, 10}});
  Daemon<W> b(world, "b");
  b.adopt(must(b.leases->take_over(b.head({}), owner_row(world, "a"))));
  CHECK(b.ours.size() == kSlotCount);
  CHECK(b.ours[7].epoch == 2);
  CHECK(owner_row(world, "a").fenced);
  const auto late = a.counters->reserve(a.head({7}), std::vector<ReserveRequest>{ask("c1", 10)});
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code == Code::kFenced);
  CHECK(b.reserve({ask("c1", 5)}).outcomes[0].plan.interval.lo == 10);
  CHECK(world.counter("c1")->max_seq == 15);
}

TEST_CASE_TEMPLATE("an owner whose beat moved is not taken over", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  const OwnerRow seen = owner_row(world, "a");
  a.stamp = must(a.leases->renew(a.head({}))).stamp;
  Daemon<W> b(world, "b");
  const auto taken = b.leases->take_over(b.head({}), seen);
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().code == Code::kBusy);
  CHECK_FALSE(owner_row(world, "a").fenced);
  CHECK(slot_row(world, 7).owner == "a");
  CHECK(owner_row(world, "b").beat == 0);
  CHECK_FALSE(b.leases->take_over(b.head({}), owner_row(world, "b")).ok());
}

TEST_CASE_TEMPLATE("slots of a missing or fenced owner are taken over", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  OwnerRow seen = owner_row(world, "a");
  seen.beat = 12345;
  SUBCASE("missing") { world.drop_owner("a"); }
  SUBCASE("fenced") { world.set_fenced("a"); }
  Daemon<W> b(world, "b");
  b.adopt(must(b.leases->take_over(b.head({}), seen)));
  CHECK(b.ours.size() == kSlotCount);
}

TEST_CASE_TEMPLATE(
    "a bump frees the former owner's slots under a higher epoch and spares other owners", W,
    SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.set_slot(SlotRow{1, "former", 5, 10});
  world.set_slot(SlotRow{2, "", 900, 10});
  world.set_slot(SlotRow{3, "other", 5, 10});
  world.drop_slots(1000);
  Daemon<W> a(world, "a");
  a.stamp =
      must(a.leases->bump(a.head({}), SlotBump{{1, 2, 3, 1000}, 100, 50, 300, {"older", "former"}}))
          .stamp;
  const auto check = [&](Slot slot, const std::string& owner, std::int64_t epoch,
                         std::int64_t bump) {
    const SlotRow row = slot_row(world, slot);
    CAPTURE(slot);
    CHECK(row.owner == owner);
    CHECK(row.epoch == epoch);
    CHECK(row.bump == bump);
  };
  check(1, "", 301, 150);
  check(2, "", 901, 150);
  check(3, "other", 5, 150);
  check(1000, "", 301, 150);
  check(4, "", 0, 0);
  CHECK(must(world.leases()->survey()).slots.size() == kSlotCount);
}

TEST_CASE_TEMPLATE("an owner enrols once, and that clears away fenced owners without slots", W,
                   SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  Daemon<W> idle(world, "idle");
  Daemon<W> lives(world, "lives");
  world.set_fenced("a");
  world.set_fenced("idle");
  OwnerRow row;
  row.owner = "a";
  const auto twice = a.leases->enrol(row);
  REQUIRE_FALSE(twice.ok());
  CHECK(twice.error().code == Code::kBusy);
  row.owner = std::string("b'\\\xf0\x9f\x98\x80") + std::string(40, 'x');
  row.announce = "10.0.0.1:6390";
  row.host = "token";
  row.sole = true;
  row.ttl_ms = 7000;
  must(a.leases->enrol(row));
  const Survey survey = must(a.leases->survey());
  REQUIRE(survey.owners.size() == 3);
  CHECK(survey.owners[0].owner == "a");
  CHECK(survey.owners[0].fenced);
  CHECK(survey.owners[1].owner == row.owner);
  CHECK(survey.owners[1].announce == row.announce);
  CHECK(survey.owners[1].host == row.host);
  CHECK(survey.owners[1].sole);
  CHECK(survey.owners[1].ttl_ms == 7000);
  CHECK(survey.owners[2].owner == "lives");
  must(a.leases->resign("lives"));
  must(a.leases->resign("lives"));
  CHECK(owner_row(world, "lives").owner.empty());
}

TEST_CASE_TEMPLATE("an owner that resigns leaves its slots to the next one", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  a.claim();
  must(a.leases->resign("a"));
  CHECK(owner_row(world, "a").owner.empty());
  Daemon<W> b(world, "b");
  b.claim();
  CHECK(b.ours.size() == kSlotCount);
  CHECK(b.ours[7].epoch == 2);
}

TEST_CASE_TEMPLATE("two contenders that claim at once share no slot", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  Daemon<W> a(world, "a");
  Daemon<W> b(world, "b");
  const auto race = [](Daemon<W>& daemon) {
    for (int i = 0; i < 50; ++i) {
      const auto report = daemon.leases->claim(daemon.head({}), 0);
      if (!report) continue;
      daemon.adopt(*report);
      return;
    }
  };
  std::thread other([&] { race(b); });
  race(a);
  other.join();
  CHECK(a.ours.size() + b.ours.size() == kSlotCount);
  for (const auto& [slot, row] : a.ours) REQUIRE_FALSE(b.ours.contains(slot));
}

TEST_CASE_TEMPLATE("one process holds the sole lock, and its identity stays", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  auto first = world.leases();
  auto second = world.leases();
  CHECK(must(first->hold_sole_lock()));
  CHECK(must(first->hold_sole_lock()));
  CHECK_FALSE(must(second->hold_sole_lock()));
  const std::string id = first->sole_lock_id();
  CHECK_FALSE(id.empty());
  CHECK(second->sole_lock_id() == id);
  first.reset();
  CHECK(must(second->hold_sole_lock()));
  CHECK(second->sole_lock_id() == id);
}

TEST_CASE_TEMPLATE("a store of another fleet names both values", W, SqliteWorld, MariadbWorld,
                   GivenServerWorld) {
  if (!W::available()) return;
  W world;
  must(world.leases()->prepare());
  const auto other = world.leases("other:")->prepare();
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().code == Code::kMismatch);
  CHECK(other.error().message.find("'seq:conv:'") != std::string::npos);
  CHECK(other.error().message.find("'other:'") != std::string::npos);
  for (const char* change : {"schema_version = 2", "slot_count = 512", "hash_name = x'6d6435'"}) {
    CAPTURE(change);
    world.sql(std::string("UPDATE seq_meta SET ") + change);
    const auto refused = world.leases()->prepare();
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::kMismatch);
    world.sql(
        "UPDATE seq_meta SET schema_version = 1, slot_count = 1024, hash_name = "
        "x'63726331362f3136'");
  }
  must(world.leases()->prepare());
}

TEST_CASE_TEMPLATE("prepare() puts missing slots back and may be repeated", W, SEQD_WORLDS) {
  if (!W::available()) return;
  W world;
  world.drop_slots(5);
  auto leases = world.leases();
  const StoreCheck check = must(leases->prepare());
  CHECK_FALSE(check.server.empty());
  CHECK(must(leases->survey()).slots.size() == kSlotCount);
}

}  // namespace
}  // namespace seqd::contract
