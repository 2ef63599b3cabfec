// After the store lost commits, a conversation that had left memory was created again and began at 1.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a row that was lost while its conversation was not in memory begins above the bump") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings small;
  small.segment.max_resident = 1;
  Daemon a(world, db, small);
  REQUIRE(a.owns());
  const MemoryTables old = db.snapshot();
  for (int i = 0; i < 10; ++i) a.next("c");
  for (int i = 0; i < 300; ++i) a.next("z" + std::to_string(i));
  world.run_for(seconds(1));
  db.restore(old);
  world.run_for(seconds(5));
  REQUIRE(a.owns());
  CHECK(a.stats.lost_commits.load() == 1);
  CHECK(a.next("c") > 10'000'000);
}
