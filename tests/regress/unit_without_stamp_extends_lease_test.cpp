// A unit that had nothing to write moved the deadline, while the beat that contenders watch stood still: order was broken.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a unit that did not stamp its row does not extend the lease") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings named;
  Daemon a(world, db, named);
  REQUIRE(a.owns());
  named.node = "b";
  Daemon b(world, db, named);
  world.run_for(seconds(3));
  CHECK(a.next("c") == 1);
  CHECK(a.next("x") == 1);
  db.lock_row("x");
  for (int i = 0; i < 600; ++i) a.send("x");  // its prefetch is tried again every 20 ms
  a.process.latency[static_cast<std::size_t>(Lane::kLease)] = seconds(1000);
  REQUIRE(b.owns());
  CHECK_FALSE(a.lease.valid_at(world.now()));
  const std::int64_t from_b = b.next("c");
  const std::int64_t from_a = a.next("c");
  CHECK((from_a == -1 || from_a > from_b));
}
