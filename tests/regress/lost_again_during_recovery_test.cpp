// A store that lost commits again during the recovery left the daemon hanging, or let it forget what it had to lift.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a second loss during recovery is lifted as well") {
  for (const char* moment : {"bump", "lift", "claim"}) {
    CAPTURE(moment);
    VirtualWorld world;
    MemoryDatabase db;
    Daemon a(world, db);
    REQUIRE(a.owns());
    a.next("c");
    const MemoryTables old = db.snapshot();
    std::int64_t last = 0;
    for (int i = 0; i < 3000; ++i) last = a.next("c");
    for (int i = 0; i < 30; ++i) a.next("d");
    world.run_for(seconds(1));
    bool armed = true;
    db.on_call([&](std::string_view name) {
      if (armed && name == moment && a.stats.lost_commits.load() > 0) {
        armed = false;
        world.at(world.now() + std::chrono::microseconds(1), [&] { db.restore(old); });
      }
    });
    db.restore(old);
    world.run_for(seconds(60));
    CHECK_FALSE(armed);
    CHECK(a.lease.slot_count() == kSlotCount);
    CHECK(a.next("c") > last);
    CHECK(a.next("d") > 30);
  }
}

TEST_CASE("the same backup restored again and again never gives a number twice") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings small;
  small.segment.max_resident = 1;
  Daemon a(world, db, small);
  REQUIRE(a.owns());
  const MemoryTables old = db.snapshot();
  std::int64_t last = 0;
  for (int round = 0; round < 5; ++round) {
    for (const char* id : {"c", "other", "third"}) {
      const std::int64_t v = a.next(id);
      if (*id == 'c') {
        CHECK(v > last);
        last = v;
      }
    }
    world.run_for(seconds(3));
    db.restore(old);
    world.run_for(seconds(5));
    REQUIRE(a.owns());
  }
}
