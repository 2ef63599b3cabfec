// While only reservations failed, each renewal called the store up again, and each request called it down.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("one failed link to the store is one outage, however well the other does") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings small;
  small.segment.max_resident = 1;
  Daemon a(world, db, small);
  REQUIRE(a.owns());
  db.fail_always(Port::kCounters, Fault::kRefuse);
  for (int i = 0; i < 1000; ++i) {
    a.send("c" + std::to_string(i));
    world.run_for(milliseconds(60));
  }
  CHECK(std::count(a.events.names.begin(), a.events.names.end(), "store.down") == 1);
  db.heal();
  world.run_for(seconds(1));
  CHECK(a.situation.store_up());
  CHECK(a.next("c") == 1);
}

TEST_CASE("a failed release does not refuse the cold conversations of its round") {
  VirtualWorld world;
  MemoryDatabase db;
  DaemonSettings small;
  small.segment.max_resident = 1;
  Daemon a(world, db, small);
  REQUIRE(a.owns());
  a.next("c");
  bool armed = true;
  db.on_call([&](std::string_view name) {
    if (armed && name == "release") {
      armed = false;
      db.fail_next(Port::kCounters, Fault::kRefuse);
    }
  });
  for (int i = 0; i < 5; ++i) CHECK(a.next("d" + std::to_string(i)) == 1);
  CHECK_FALSE(armed);
  CHECK(a.situation.store_up());
}
