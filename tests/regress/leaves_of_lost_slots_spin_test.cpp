// Releases of slots that were lost were queued again every 20 ms for ever, and their gap was not counted.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("releases of a lost slot end as a counted gap") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings small;
  small.segment.max_resident = 1;
  Daemon a(world, db, small);
  REQUIRE(a.owns());
  a.next("c");
  db.fail_always(Port::kCounters, Fault::kRefuse);
  (void)a.send("d");
  world.run_for(milliseconds(5));
  db.edit([](MemoryTables& t) {
    for (auto& [name, row] : t.owners) row.fenced = true;
    for (auto& [slot, row] : t.slots) {
      row.owner = "z";
      ++row.epoch;
    }
    OwnerRow z;
    z.owner = "z";
    z.ttl_ms = 3'600'000;
    t.owners["z"] = z;
  });
  world.run_for(seconds(60));
  CHECK(a.lease.slot_count() == 0);
  CHECK(a.demand.idle());
  CHECK_FALSE(a.demand.leaving());
  CHECK(a.gap(GapReason::kReleaseMissed) + a.gap(GapReason::kSlotLost) == 999);
}
