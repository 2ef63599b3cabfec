// Numbers in virtual time on the memory store: the promise for one daemon.
#include <doctest/doctest.h>

#include <set>

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

}  // namespace

TEST_CASE("the first number of a new conversation is 1, and each further one is the next") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  for (std::int64_t want = 1; want <= 5000; ++want) REQUIRE(a.next("c") == want);
  CHECK(lab.db.snapshot().counters.at("c").row.max_seq >= 5000);
}

TEST_CASE("a number in hand is answered at once, without the store") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  REQUIRE(a.next("c") == 1);
  lab.db.fail_always(Port::kCounters, Fault::kRefuse);
  for (std::int64_t want = 2; want <= 400; ++want) {
    const TakeResult r = a.send("c");
    REQUIRE(r.kind == Kind::kTaken);
    REQUIRE(r.last == want);
  }
}

TEST_CASE("when half an interval is used, the next one is fetched in the background") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  for (int i = 0; i < 499; ++i) a.next("c");
  lab.world.run_for(seconds(1));
  CHECK(lab.db.snapshot().counters.at("c").row.max_seq == 1000);
  a.next("c");
  lab.world.run_for(seconds(1));
  CHECK(lab.db.snapshot().counters.at("c").row.max_seq > 1000);
  // …so that no request ever waits.
  const auto waited = a.stats.waited.load();
  for (std::int64_t want = 501; want <= 3000; ++want) {
    REQUIRE(a.next("c") == want);
    lab.world.run_for(milliseconds(5));
  }
  CHECK(a.stats.waited.load() == waited);
}

TEST_CASE(
    "a batch is one contiguous run, also across the end of an interval and when it is larger than "
    "a step") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  std::int64_t last = 0;
  for (const std::int64_t n : {1, 7, 999, 1000, 1001, 5000, 100000, 3}) {
    const TakeResult r = a.take("c", n);
    REQUIRE(r.kind == Kind::kTaken);
    CHECK(r.first == last + 1);
    CHECK(r.last == last + n);
    last = r.last;
  }
}

TEST_CASE("requests that wait for one conversation are served in their order") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  std::vector<std::uint64_t> tokens;
  for (int i = 0; i < 50; ++i) {
    CHECK(a.send("c", i % 3 + 1).kind == Kind::kWaiting);
    tokens.push_back(a.last_token);
  }
  lab.world.run_for(seconds(1));
  CHECK(a.stats.reserved_intervals.load() == 1);  // one reservation for all of them (C1)
  std::int64_t last = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TakeResult r = a.inbox.takes.at(tokens[i]);
    REQUIRE(r.kind == Kind::kTaken);
    CHECK(r.first == last + 1);
    CHECK(r.last - r.first == static_cast<std::int64_t>(i % 3));
    last = r.last;
  }
}

TEST_CASE("many cold conversations go together in few units") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  for (int i = 0; i < 2000; ++i) a.send("c" + std::to_string(i));
  lab.world.run_for(milliseconds(900));
  CHECK(a.inbox.takes.size() == 2000);
  for (const auto& [token, r] : a.inbox.takes) CHECK(r.last == 1);
  CHECK(a.stats.units[0].load() <= 6);
}

TEST_CASE("an unknown COMMIT is never used: its numbers become a counted gap (S1)") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  SUBCASE("it was applied") { lab.db.fail_next(Port::kCounters, Fault::kLoseReply, 2); }
  SUBCASE("it was not") { lab.db.fail_next(Port::kCounters, Fault::kNotAppliedUnknown, 2); }
  a.take("c");
  lab.world.run_for(seconds(2));
  std::set<std::int64_t> seen;
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t v = a.next("c");
    REQUIRE(v > 0);
    CHECK(seen.insert(v).second);
  }
}

TEST_CASE(
    "a reservation whose reply was lost while a conversation is warm costs a gap and no order") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  REQUIRE(a.next("c") == 1);
  std::int64_t last = 1;
  for (int round = 0; round < 20; ++round) {
    lab.db.fail_next(Port::kCounters, round % 2 == 0 ? Fault::kLoseReply : Fault::kZombie);
    for (int i = 0; i < 700; ++i) {
      const std::int64_t v = a.next("c");
      if (v < 0) {
        lab.world.run_for(seconds(1));
        continue;
      }
      REQUIRE(v > last);
      last = v;
    }
    lab.db.run_zombies();
  }
  CHECK(a.gap(GapReason::kUnknownCommit) > 0);
  CHECK(a.stats.invariant_violations.load() == 0);
}

TEST_CASE(
    "store down: numbers go on to the end of the interval, then a refusal at once; back at its "
    "return") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  REQUIRE(a.next("c") == 1);
  lab.db.fail_always(Port::kCounters, Fault::kRefuse);
  lab.db.fail_always(Port::kLeases, Fault::kRefuse);
  for (std::int64_t want = 2; want <= 1000; ++want) REQUIRE(a.next("c") == want);
  const BootTime before = lab.world.now();
  CHECK(a.next("c") == -1);
  CHECK(lab.world.now() - before <= milliseconds(1005));
  CHECK_FALSE(a.situation.store_up());
  const TakeResult refused = a.send("other");
  CHECK(refused.kind == Kind::kRefused);
  CHECK(refused.why == Refusal::kStoreDown);
  lab.world.run_for(seconds(2));
  lab.db.heal();
  lab.world.run_for(milliseconds(900));
  CHECK(a.next("c") == 1001);
  CHECK(a.next("other") == 1);
}

TEST_CASE("a store that does not answer: a request waits for wait_ms and no longer") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  a.process.latency[static_cast<std::size_t>(Lane::kCounters)] = seconds(100);
  const BootTime before = lab.world.now();
  const TakeResult r = a.take("c");
  CHECK(r.kind == Kind::kRefused);
  CHECK(r.why == Refusal::kWaitExpired);
  CHECK(lab.world.now() - before <= milliseconds(1010));
  CHECK(lab.world.now() - before >= milliseconds(1000));
}

TEST_CASE("at 2^53-1 a conversation is exhausted, alone") {
  Lab lab;
  lab.db.edit([](MemoryTables& t) {
    MemoryCounter c;
    c.slot = SlotHash("seq:conv:").slot_of("old");
    c.row.max_seq = kMaxSeq - 5;
    c.row.cur_seq = kMaxSeq - 5;
    t.counters["old"] = c;
  });
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  const TakeResult big = a.take("old", 6);
  CHECK(big.kind == Kind::kRefused);
  CHECK(big.why == Refusal::kBatchTooBig);
  for (int i = 4; i >= 0; --i) CHECK(a.next("old") == kMaxSeq - i);
  const TakeResult over = a.take("old");
  CHECK(over.kind == Kind::kRefused);
  CHECK(over.why == Refusal::kExhausted);
  CHECK(a.next("new") == 1);
  CHECK(a.peek("old").issued == kMaxSeq);
}

TEST_CASE("step grows with the rate, and shrinks again when traffic falls") {
  Lab lab;
  DaemonSettings s;
  s.segment.cover_seconds = 10;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  const auto ceiling = [&] {
    return lab.db.edit([](const MemoryTables& t) { return t.counters.at("c").row.max_seq; });
  };
  std::int64_t last = 0;
  for (int i = 0; i < 8'000; ++i) {  // 1,000 a second
    last = a.next("c");
    lab.world.run_for(milliseconds(1));
  }
  // What is held lasts cover_seconds at this rate.
  CHECK(ceiling() - last >= 10'000);
  std::int64_t before = ceiling();
  for (int i = 0; i < 4; ++i) {
    while (ceiling() == before) {
      last = a.next("c");
      lab.world.run_for(seconds(2));
    }
    const std::int64_t step = ceiling() - before;
    before = ceiling();
    if (i == 3) CHECK(step == 1000);
  }
  CHECK(last > 0);
}

TEST_CASE(
    "no more than max_resident conversations are held; the idle ones are released without a gap") {
  Lab lab;
  DaemonSettings s;
  s.segment.max_resident = 100;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 1000; ++i) {
      REQUIRE(a.next("c" + std::to_string(i)) == round);
      CHECK(a.sequencer.resident() <= 101);
    }
  }
  lab.world.run_for(seconds(1));
  CHECK(a.stats.released_conversations.load() >= 2800);
  CHECK(a.gap(GapReason::kReleaseMissed) == 0);
}

TEST_CASE(
    "GET tells the last issued number, never the ceiling; nothing for a conversation that never "
    "was") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  CHECK(a.peek("c").kind == PeekResult::Kind::kNever);
  a.next("c");
  a.next("c");
  PeekResult p = a.peek("c");
  CHECK(p.kind == PeekResult::Kind::kKnown);
  CHECK(p.issued == 2);
  CHECK(p.reserved == 1000);
  REQUIRE(a.leave());
  Daemon b(lab.world, lab.db);
  REQUIRE(b.owns());
  p = b.peek("c");
  CHECK(p.kind == PeekResult::Kind::kKnown);
  CHECK(p.issued == 2);
}

TEST_CASE("a row that somebody else has locked waits for a later unit, and holds up nobody") {
  Lab lab;
  Daemon a(lab.world, lab.db);
  REQUIRE(a.owns());
  a.next("locked");
  a.next("free");
  lab.db.lock_row("locked");
  for (int i = 0; i < 1500; ++i) a.next("free");
  CHECK(a.next("free") == 1502);
  for (int i = 0; i < 999; ++i) a.next("locked");
  a.send("locked");
  const std::uint64_t token = a.last_token;
  lab.world.run_for(milliseconds(500));
  CHECK(a.inbox.takes.count(token) == 0);
  lab.db.unlock_row("locked");
  lab.world.run_for(milliseconds(100));
  CHECK(a.inbox.takes.at(token).last == 1001);
}

TEST_CASE(
    "first meeting: the floor is what the message table holds plus the jump; no answer, no row") {
  Lab lab;
  lab.db.edit([](MemoryTables& t) { t.history["known"] = 700; });
  DaemonSettings s;
  s.history = true;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  CHECK(a.next("known") == 1701);
  CHECK(a.next("new") == 1);
  lab.db.fail_always(Port::kHistory, Fault::kRefuse);
  const TakeResult r = a.take("other");
  CHECK(r.kind == Kind::kRefused);
  CHECK(r.why == Refusal::kHistoryDown);
  CHECK(lab.db.snapshot().counters.count("other") == 0);
  CHECK(a.next("known") == 1702);
}

TEST_CASE(
    "first meeting with assume_new: an unreadable message table does not stop a new conversation") {
  Lab lab;
  DaemonSettings s;
  s.history = true;
  s.recovery.assume_new = true;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  lab.db.fail_always(Port::kHistory, Fault::kRefuse);
  CHECK(a.next("other") == 1);
}

TEST_CASE(
    "an unclean row below the message table was restored from an old backup: it is lifted and "
    "reported") {
  Lab lab;
  lab.db.edit([](MemoryTables& t) {
    MemoryCounter c;
    c.slot = SlotHash("seq:conv:").slot_of("c");
    c.row.max_seq = 2000;
    t.counters["c"] = c;
    t.history["c"] = 9000;
  });
  DaemonSettings s;
  s.history = true;
  Daemon a(lab.world, lab.db, s);
  REQUIRE(a.owns());
  CHECK(a.next("c") == 10001);
  CHECK(a.events.saw("recovery.counter_behind"));
}
