// With two dead owners of a part each, each kept the stand-by from taking the other.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("two dead owners of a part each are both taken over") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings named;
  Daemon a(world, db, named);
  REQUIRE(a.owns());
  named.node = "b";
  Daemon b(world, db, named);
  world.run_for(seconds(1));
  std::vector<Slot> half;
  for (int i = 0; i < 512; ++i) half.push_back(static_cast<Slot>(i));
  a.lease.lost(half);
  db.edit([&](MemoryTables& t) {
    for (const Slot s : half) t.slots[s] = SlotRow{s, b.lease.owner(), t.slots[s].epoch + 1, 0};
  });
  world.run_for(seconds(5));
  CHECK(a.lease.slot_count() == 512);
  CHECK(b.lease.slot_count() == 512);
  named.node = "c";
  Daemon c(world, db, named);
  world.run_for(seconds(10));
  a.process.kill();
  b.process.kill();
  world.run_for(seconds(60));
  CHECK(c.lease.slot_count() == kSlotCount);
}
