// A hand-over during the start or a recovery was done, and then the daemon took the slots again.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("after a hand-over is done the daemon stays gone") {
  for (int tenths = 0; tenths < 120; ++tenths) {
    CAPTURE(tenths);
    VirtualWorld world;
    MemoryDatabase db;
    Daemon a(world, db);
    world.run_for(milliseconds(tenths) / 10);
    bool left = false;
    a.owner.hand_over(seconds(20), [&] { left = true; });
    world.run_for(seconds(1));
    CHECK(left);
    CHECK(a.lease.slot_count() == 0);
    CHECK(db.snapshot().owners.empty());
  }
}

TEST_CASE("a hand-over during a recovery finishes the recovery first") {
  VirtualWorld world;
  MemoryDatabase db;
  Daemon a(world, db);
  REQUIRE(a.owns());
  a.next("c");
  const MemoryTables old = db.snapshot();
  std::int64_t last = 0;
  for (int i = 0; i < 3000; ++i) last = a.next("c");
  db.restore(old);
  REQUIRE(world.run_until([&] { return a.events.saw("store.lost_commits"); }));
  REQUIRE(a.leave());
  CHECK(a.lease.slot_count() == 0);
  Daemon b(world, db);
  REQUIRE(b.owns());
  CHECK(b.next("c") > last);
}
