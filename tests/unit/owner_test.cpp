// Ownership in virtual time: who may answer, and what is never used again.
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

TEST_CASE("a second daemon stands by and names the owner") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  lab.world.run_for(seconds(60));
  CHECK(b.lease.slot_count() == 0);
  const TakeResult r = b.take("c");
  CHECK(r.kind == Kind::kRefused);
  CHECK(r.why == Refusal::kNotOwner);
  CHECK(b.sequencer.refusal_text(r.why).find("a.example:6390") != std::string::npos);
  CHECK(b.peek("c").why == Refusal::kNotOwner);
  CHECK(a.next("c") == 1);
}

TEST_CASE(
    "after a crash the stand-by takes over, not before TTL x 1.1, and never repeats a number") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  std::int64_t last = 0;
  for (int i = 0; i < 1234; ++i) last = a.next("c");
  a.process.kill();
  const BootTime died = lab.world.now();
  REQUIRE(b.owns());
  CHECK(lab.world.now() - died >= milliseconds(11000 - 2100));  // its last renewal may be 2 s older
  CHECK(lab.world.now() - died <= milliseconds(11500));
  CHECK(b.next("c") > last);
  CHECK(b.gap(GapReason::kCrash) > 0);
  CHECK(b.stats.takeovers.load() == 1);
}

TEST_CASE("the crash gap counts at most what was reserved and not known to be issued") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  for (int i = 0; i < 100; ++i) a.next("c");
  a.process.kill();
  Daemon b(lab.world, lab.db, node("b"));
  REQUIRE(b.owns());
  CHECK(b.next("c") == 1001);
  CHECK(b.gap(GapReason::kCrash) == 1000);
}

TEST_CASE("SIGTERM: the stand-by owns within a moment and goes on without a gap") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  lab.world.run_for(seconds(1));
  for (int c = 0; c < 300; ++c) {
    for (int i = 0; i <= c; ++i) a.next("c" + std::to_string(c));
  }
  const BootTime begun = lab.world.now();
  REQUIRE(a.leave());
  REQUIRE(b.owns());
  CHECK(lab.world.now() - begun < milliseconds(300));
  for (int c = 0; c < 300; ++c) CHECK(b.next("c" + std::to_string(c)) == c + 2);
  CHECK(a.gap(GapReason::kReleaseMissed) == 0);
  CHECK(b.gap(GapReason::kCrash) == 0);
  CHECK(lab.db.snapshot().owners.size() == 1);
}

TEST_CASE("SIGTERM while a prefetch is in flight still makes no gap") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = milliseconds(300);
  for (int i = 0; i < 600; ++i) a.next("c");
  CHECK(a.sequencer.reserving(std::vector<Slot>{SlotHash("seq:conv:").slot_of("c")}));
  REQUIRE(a.leave());
  Daemon b(lab.world, lab.db, node("b"));
  REQUIRE(b.owns());
  CHECK(b.next("c") == 601);
}

TEST_CASE("a hand-over of many conversations goes group by group while the lease is renewed") {
  Lab lab;
  DaemonSettings s = node("a");
  s.ttl_ms = 500;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  for (int i = 0; i < 25'000; ++i) a.send("c" + std::to_string(i));
  lab.world.run_for(seconds(2));
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = milliseconds(40);
  REQUIRE(a.leave());
  CHECK(a.gap(GapReason::kReleaseMissed) == 0);
  CHECK(a.stats.released_conversations.load() > 24'000);
}

TEST_CASE(
    "a hand-over that takes too long ends at its deadline, and what is left is a counted gap") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  a.next("c");
  lab.db.fail_always(Port::kCounters, Fault::kRefuse);
  const BootTime begun = lab.world.now();
  REQUIRE(a.leave(seconds(3)));
  CHECK(lab.world.now() - begun <= milliseconds(3500));
  CHECK(a.gap(GapReason::kReleaseMissed) == 999);
  lab.db.heal();
  Daemon b(lab.world, lab.db, node("b"));
  REQUIRE(b.owns());
  CHECK(b.next("c") == 1001);
}

TEST_CASE("a lapse only pauses: the same owner goes on with the number after the last") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  CHECK(a.next("c") == 1);
  lab.db.fail_always(Port::kLeases, Fault::kRefuse);
  lab.world.run_for(seconds(9));
  const TakeResult r = a.send("c");
  CHECK(r.kind == Kind::kRefused);
  CHECK(r.why == Refusal::kLeaseLapsed);
  CHECK(a.events.saw("lease.lapsed"));
  lab.db.heal();
  lab.world.run_for(seconds(1));
  CHECK(a.next("c") == 2);
}

TEST_CASE(
    "the lease is tested when a request is served: a paused owner that wakes answers nothing "
    "(C4)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  lab.world.run_for(seconds(1));
  std::int64_t last = a.next("c");
  a.process.freeze();
  REQUIRE(b.owns());
  last = b.next("c");
  // A wakes: requests that queued in its sockets are read now, before its lease lane did anything.
  CHECK(a.send("c").kind == Kind::kRefused);
  a.process.thaw();
  CHECK(a.send("c").kind == Kind::kRefused);
  lab.world.run_for(seconds(30));
  CHECK(a.lease.slot_count() == 0);
  CHECK(b.next("c") == last + 1);
  CHECK(a.send("c").why == Refusal::kNotOwner);
}

TEST_CASE("intervals never survive fencing: lost and regained, a fresh interval is used (C2)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  lab.world.run_for(seconds(1));
  for (int i = 0; i < 600; ++i) a.next("c");  // a prefetched interval is held too
  lab.world.run_for(seconds(1));
  a.process.freeze();
  REQUIRE(b.owns());
  std::int64_t last = 0;
  for (int i = 0; i < 10; ++i) last = b.next("c");
  a.process.thaw();
  lab.world.run_for(seconds(5));
  CHECK(a.events.saw("lease.fenced"));
  b.process.kill();
  REQUIRE(a.owns());
  CHECK(a.next("c") > last);
  CHECK(a.gap(GapReason::kSlotLost) > 0);
}

TEST_CASE("a reservation in flight when the slot is lost is thrown away") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  a.next("c");
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = seconds(4);
  for (int i = 0; i < 600; ++i) a.next("c");
  lab.world.run_for(seconds(3));  // it took effect, its reply is on the way
  const Slot slot = SlotHash("seq:conv:").slot_of("c");
  a.lease.lost({&slot, 1});
  lab.world.run_for(seconds(10));
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = milliseconds(2);
  const std::int64_t ceiling = lab.db.snapshot().counters.at("c").row.max_seq;
  REQUIRE(a.owns());
  CHECK(a.next("c") > ceiling);
}

TEST_CASE("a zombie unit of a fenced owner changes nothing") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  a.next("c");
  lab.db.fail_next(Port::kCounters, Fault::kZombie);
  for (int i = 0; i < 600; ++i) a.next("c");
  a.process.kill();
  REQUIRE(b.owns());
  const std::int64_t before = lab.db.snapshot().counters.at("c").row.max_seq;
  lab.db.run_zombies();
  CHECK(lab.db.snapshot().counters.at("c").row.max_seq == before);
}

TEST_CASE("a watch starts anew with any change of the beat and with any failed read (O2)") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  Daemon b(lab.world, lab.db, node("b"));
  lab.world.run_for(seconds(1));
  a.process.kill();
  lab.world.run_for(seconds(8));
  SUBCASE("a beat that even falls") {
    lab.db.edit([](MemoryTables& t) {
      for (auto& [name, row] : t.owners) {
        if (name[0] == 'a') row.beat = 0;
      }
    });
  }
  SUBCASE("a read that failed") { lab.db.fail_next(Port::kLeases, Fault::kRefuse); }
  const BootTime anew = lab.world.now();
  REQUIRE(b.owns());
  CHECK(lab.world.now() - anew >= seconds(10));
}

TEST_CASE("a contender with a shorter TTL waits for the owner's longer one") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  DaemonSettings hasty = node("b");
  hasty.ttl_ms = 500;
  Daemon b(lab.world, lab.db, hasty);
  lab.world.run_for(seconds(1));
  a.process.kill();
  const BootTime died = lab.world.now();
  REQUIRE(b.owns());
  CHECK(lab.world.now() - died >= seconds(8));
}

TEST_CASE("a claim whose reply was lost is settled, and only one of two contenders owns") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  Daemon b(lab.world, lab.db, node("b"));
  lab.db.fail_next(Port::kLeases, Fault::kLoseReply, 6);
  lab.world.run_for(seconds(30));
  CHECK(a.lease.slot_count() + b.lease.slot_count() == kSlotCount);
  CHECK((a.lease.slot_count() == 0 || b.lease.slot_count() == 0));
}

TEST_CASE("a renewal whose reply was lost is read again, and the owner goes on") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  CHECK(a.next("c") == 1);
  for (int i = 0; i < 10; ++i) {
    lab.db.fail_next(Port::kLeases, i % 2 == 0 ? Fault::kLoseReply : Fault::kNotAppliedUnknown, 2);
    lab.world.run_for(seconds(2));
  }
  CHECK(a.next("c") == 2);
  CHECK_FALSE(a.events.saw("lease.fenced"));
}

TEST_CASE(
    "a slot that was lost and regained leaves nothing of the old interval, even before memory is "
    "purged") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  for (int i = 0; i < 10; ++i) a.next("c");
  const Slot slot = SlotHash("seq:conv:").slot_of("c");
  // Another owner had it for a moment, and counted on.
  lab.db.edit([&](MemoryTables& t) {
    t.slots[slot].epoch += 2;
    t.counters["c"].row.max_seq += 1000;
  });
  std::vector<SlotRow> ours;
  for (const auto& [number, row] : lab.db.snapshot().slots) ours.push_back(row);
  a.lease.lost({&slot, 1});
  a.lease.gained(a.lease.owner(), ours);
  CHECK(a.peek("c").kind != PeekResult::Kind::kKnown);
  CHECK(a.next("c") == 2001);
  CHECK(a.gap(GapReason::kSlotLost) == 990);
}

TEST_CASE(
    "an interval that was reserved under an ended ownership is not taken over by the next one") {
  Lab lab;
  Daemon a(lab.world, lab.db, node("a"));
  REQUIRE(a.owns());
  a.next("c");
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = seconds(2);
  for (int i = 0; i < 600; ++i) a.next("c");  // the next interval is asked for
  lab.world.run_for(milliseconds(1500));      // it took effect; its reply is on the way
  const Slot slot = SlotHash("seq:conv:").slot_of("c");
  lab.db.edit([&](MemoryTables& t) {
    t.slots[slot].epoch += 2;
    t.counters["c"].row.max_seq += 1000;
  });
  const std::int64_t others = lab.db.snapshot().counters.at("c").row.max_seq;
  std::vector<SlotRow> ours;
  for (const auto& [number, row] : lab.db.snapshot().slots) ours.push_back(row);
  a.lease.lost({&slot, 1});
  a.lease.gained(a.lease.owner(), ours);
  (void)a.send("c");
  const std::uint64_t token = a.last_token;
  REQUIRE(lab.world.run_until([&] { return a.inbox.takes.count(token) > 0; }));
  const TakeResult r = a.inbox.takes.at(token);
  CHECK((r.kind == Kind::kRefused || r.last > others));
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = milliseconds(2);
  lab.world.run_for(seconds(5));
  CHECK(a.next("c") > others);
}
