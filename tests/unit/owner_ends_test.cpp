// Ownership in virtual time: lost commits, clones, sole leases, a store that is down at the start.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = TakeResult::Kind;

namespace {

struct Lab {
  VirtualWorld world;
  MemoryDatabase db;
};

DaemonSettings node(const std::string& name) {
  DaemonSettings s;
  s.node = name;
  return s;
}

}  // namespace

TEST_CASE(
    "a store that lost commits is noticed by the stamp, lifted, and nothing is repeated (S7)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  for (int i = 0; i < 10; ++i) a.next("seen");
  lab.world.run_for(seconds(1));
  const MemoryTables backup = lab.db.snapshot();
  std::int64_t last = 0;
  for (int i = 0; i < 5000; ++i) last = a.next("seen");
  for (int i = 0; i < 10; ++i) a.next("born later");
  SUBCASE("found by a reservation") {
    lab.db.restore(backup);
    for (int i = 0; i < 3000 && !a.events.saw("store.lost_commits"); ++i) {
      const std::int64_t v = a.next("seen");
      if (v > 0) {
        REQUIRE(v == last + 1);
        last = v;
      }
    }
  }
  SUBCASE("found by a renewal") {
    lab.db.restore(backup);
    lab.world.run_for(seconds(5));
  }
  SUBCASE("the owner's row is older than the lease: back to nobody") {
    lab.db.restore(MemoryTables{});
    lab.world.run_for(seconds(5));
  }
  REQUIRE(lab.world.run_until([&] { return a.events.saw("store.lifted"); }));
  REQUIRE(a.owns());
  const std::int64_t v = a.next("seen");
  CHECK(v > last);
  CHECK(a.next("born later") > 10);
  CHECK(a.stats.lost_commits.load() == 1);
}

TEST_CASE("a row that is deleted under a held interval is a lost commit, not a new conversation") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  std::int64_t last = 0;
  for (int i = 0; i < 100; ++i) last = a.next("c");
  lab.db.edit([](MemoryTables& t) { t.counters.clear(); });
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t v = a.next("c");
    if (v < 0) {
      lab.world.run_for(milliseconds(100));
      continue;
    }
    REQUIRE(v > last);
    last = v;
  }
  CHECK(a.events.saw("store.lost_commits"));
}

TEST_CASE("a clone that writes with our name is noticed, and this daemon registers anew (H19)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  a.next("c");
  lab.db.edit([&](MemoryTables& t) { t.owners.at(a.lease.owner()).beat += 50; });
  lab.world.run_for(seconds(3));
  CHECK((a.events.saw("lease.fenced") || a.events.saw("store.lost_commits")));
  REQUIRE(a.owns());
  CHECK(a.next("c") > 1);
}

TEST_CASE("a sole lease does not lapse, and time alone never takes it") {
  Lab lab;
  DaemonSettings s = node("a");
  s.sole = true;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  CHECK(a.next("c") == 1);
  lab.db.fail_always(Port::kLeases, Fault::kRefuse);
  lab.world.run_for(seconds(600));
  CHECK(a.next("c") == 2);
  lab.db.heal();
  lab.world.run_for(seconds(60));
  CHECK(b.lease.slot_count() == 0);
  CHECK(a.next("c") == 3);
}

TEST_CASE("the store is down at the start: requests hear why, and it serves as soon as it can") {
  Lab lab;
  lab.db.fail_always(Port::kLeases, Fault::kRefuse);
  Daemon a(lab.world, lab.db, node("a"));
  lab.world.run_for(seconds(5));
  const TakeResult r = a.take("c");
  CHECK(r.kind == Kind::kRefused);
  CHECK(r.why == Refusal::kStarting);
  lab.db.heal();
  lab.world.run_for(seconds(1));
  CHECK(a.next("c") == 1);
}

TEST_CASE("no unit starts with less than a third of the TTL left (O3)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  lab.db.fail_always(Port::kLeases, Fault::kRefuse);
  lab.world.run_for(seconds(6));  // 7.9 s are granted, 3.4 s are needed
  const auto units = a.stats.units[0].load();
  a.take("c");
  CHECK(a.stats.units[0].load() == units);
}

TEST_CASE(
    "a sole owner that was killed is followed at once by whoever gets the lock of the same host") {
  Lab lab;
  DaemonSettings s = node("a");
  s.sole = true;
  auto a = std::make_unique<Daemon>(lab.world, lab.db, s);
  REQUIRE(a->owns());
  CHECK(a->next("c") == 1);
  Daemon b(lab.world, lab.db, s);
  lab.world.run_for(seconds(60));
  CHECK(b.lease.slot_count() == 0);
  a->process.kill();
  lab.world.run_for(seconds(60));
  CHECK(b.lease.slot_count() == 0);  // dead, but its lock is not free: nothing is proven
  lab.db.drop_sole_lock(&a->leases);
  lab.world.run_for(milliseconds(500));
  CHECK(b.lease.slot_count() == kSlotCount);
  CHECK(b.next("c") > 1);
}

TEST_CASE("a row that stands below a held interval is a lost commit (C1, S7)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  std::int64_t last = 0;
  for (int i = 0; i < 100; ++i) last = a.next("c");
  lab.db.edit([](MemoryTables& t) { t.counters["c"].row.max_seq = 50; });
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t v = a.next("c");
    if (v < 0) {
      lab.world.run_for(milliseconds(100));
      continue;
    }
    REQUIRE(v > last);
    last = v;
  }
  CHECK(a.events.saw("store.lost_commits"));
  CHECK(lab.db.snapshot().counters.at("c").row.max_seq >= last);
}
