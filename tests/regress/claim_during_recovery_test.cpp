// A survey in flight when the rows were found lost led to a claim, and numbers were given before the lift.
#include <doctest/doctest.h>

#include "fakes/daemon.h"

using namespace seqd;
using namespace seqd::fakes;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("nothing is answered between the finding that rows are lost and their lift") {
  for (int offset = 0; offset < 120; ++offset) {
    CAPTURE(offset);
    VirtualWorld world;
    MemoryDatabase db;
    DaemonSettings named;
    Daemon a(world, db, named);
    REQUIRE(a.owns());
    // A partial owner surveys all the time.
    const Slot slot = SlotHash("seq:conv:").slot_of("c");
    const Slot other = slot == 7 ? 8 : 7;
    a.lease.lost({&other, 1});
    named.node = "e";
    Daemon e(world, db, named);
    world.run_for(milliseconds(100));
    db.edit([&](MemoryTables& t) { t.slots[other] = SlotRow{other, e.lease.owner(), 5, 0}; });
    std::int64_t last = 0;
    for (int i = 0; i < 450; ++i) last = a.next("c");
    a.inbox.takes.clear();
    a.process.latency[static_cast<std::size_t>(Lane::kLease)] = milliseconds(20);
    a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = std::chrono::microseconds(200);
    world.run_for(seconds(1) + milliseconds(offset));
    db.edit([](MemoryTables& t) { t.counters.clear(); });
    for (int i = 0; i < 300; ++i) {
      const TakeResult r = a.send("c");
      if (r.kind == TakeResult::Kind::kTaken) {
        CHECK(r.last > last);
        last = r.last;
      }
      world.run_for(std::chrono::microseconds(i < 120 ? 1 : 500));
      for (const auto& [token, late] : a.inbox.takes) {
        if (late.kind != TakeResult::Kind::kTaken) continue;
        CHECK(late.last > last);
        last = late.last;
      }
      a.inbox.takes.clear();
    }
  }
}
