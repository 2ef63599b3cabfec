// Random faults against whole daemons in virtual time, and a checker of the whole promise: unique, in order, bounded, every gap
// counted, every request answered once and in time, everything served again when the faults end. One seed is one run.
//   sim FIRST_SEED COUNT [MASK] [-v]     one line for each bad run; exit 1 if there was one.
// MASK switches fault kinds on (default all): 1 kill, 2 freeze, 4 lost replies and refusals, 8 zombies, 16 slow lanes, 32 locked rows,
// 64 hand-over, 128 restored snapshots (one daemon only, never killed), 256 partial owners.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "fakes/daemon.h"
#include "sim/node.h"
#include "support/history.h"

using namespace seqd;
using namespace seqd::fakes;
using sim::Front;
using sim::Node;
using std::chrono::milliseconds;
using support::history_faults;
using support::largest;
using support::Op;
using Kind = TakeResult::Kind;
namespace {
enum : unsigned {
  kKill = 1,
  kFreeze = 2,
  kReplies = 4,
  kZombies = 8,
  kSlow = 16,
  kLocks = 32,
  kLeave = 64,
  kRestore = 128,
  kPartial = 256
};
constexpr int kTtl = 500;
constexpr auto kThinkMax = 12;
struct Run {
  Run(std::uint64_t number, unsigned mask, bool aloud) : rng(number), seed(number), verbose(aloud) {
    restores = (mask & kRestore) != 0 && pick(4) == 0;
    for (unsigned bit = 1; bit <= kPartial; bit <<= 1) {
      if ((mask & bit) != 0 && pick(2) == 0) faults |= bit;
    }
    if (restores) faults = (faults & ~(kKill | kLeave | kPartial)) | kRestore;
    if (!restores) faults &= ~kRestore;
    settings.ttl_ms = kTtl;
    settings.segment.step = 2 + pick(20);
    settings.segment.cover_seconds = 0;
    settings.segment.wait_ms = 100 + pick(300);
    settings.segment.max_resident = pick(3) == 0 ? 2 : 1000;
    settings.recovery.rollback_bump = 1000;
  }
  std::int64_t pick(std::int64_t n) {
    return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
  }
  void say(const char* what, int who = -1) {
    if (verbose)
      std::printf("%9.1f ms  %s %d\n", static_cast<double>((world.now() - begun).count()) / 1e6,
                  what, who);
  }
  void bad(const std::string& what) {
    if (troubles.size() < 6) troubles.push_back(what);
  }
  // ---- daemons ----
  void start_node() {
    auto n = std::make_unique<Node>();
    DaemonSettings s = settings;
    s.node = "n" + std::to_string(nodes.size());
    n->d = std::make_unique<Daemon>(world, db, s);
    n->front.answered = [this](Front::Open& o, const TakeResult& r) { finish(o, r); };
    nodes.push_back(std::move(n));
  }
  std::vector<int> living() const {
    std::vector<int> all;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!nodes[i]->dead && !nodes[i]->left) all.push_back(static_cast<int>(i));
    return all;
  }
  Node& any() {
    const auto l = living();
    return *nodes[static_cast<std::size_t>(
        last = l[static_cast<std::size_t>(pick(static_cast<std::int64_t>(l.size())))])];
  }
  // ---- clients ----
  static std::string name(int conv) { return "c" + std::to_string(conv); }
  void client() {
    if (quiet) return;
    Node& n = any();
    Front::Open o;
    o.conv = static_cast<int>(pick(kConvs));
    o.op.inv = ++order;
    o.next = [this] {
      world.at(world.now() + milliseconds(pick(kThinkMax)), [this] { client(); });
    };
    send(n, o, 1 + (pick(4) == 0 ? pick(30) : 0));
  }
  void send(Node& n, Front::Open o, std::int64_t count) {
    if (n.dead || n.left) return o.next();
    if (n.frozen) {  // its bytes wait in the socket
      world.at(world.now() + milliseconds(5), [this, &n, o, count] { send(n, o, count); });
      return;
    }
    o.since = world.now();
    const std::uint64_t token = ++tokens;
    n.front.open.emplace(token, o);
    const TakeResult r = n.d->sequencer.take(*ConvId::parse(name(o.conv)), count, &n.front, token);
    if (r.kind != Kind::kWaiting) {
      n.front.open.erase(token);
      finish(o, r);
    }
    if (pick(10) == 0) (void)n.d->sequencer.peek(*ConvId::parse(name(o.conv)), nullptr, 0);
  }
  void finish(Front::Open& o, const TakeResult& r) {
    if (r.kind == Kind::kTaken) {
      o.op.resp = ++order;
      o.op.lo = r.first;
      o.op.hi = r.last;
      done[o.conv].push_back(o.op);
      ++served;
    }
    o.next();
  }
  // ---- faults ----
  void call_fault(std::string_view name) {
    if (quiet || (faults & (kReplies | kZombies)) == 0 || pick(12) != 0) return;
    const bool counters = name == "look_up" || name == "create" || name == "reserve" ||
                          name == "release" || name == "lift";
    std::vector<Fault> kinds;
    if (faults & kReplies)
      kinds = {Fault::kRefuse, Fault::kBusy, Fault::kLoseReply, Fault::kNotAppliedUnknown};
    if (faults & kZombies) kinds.push_back(Fault::kZombie);
    db.fail_next(counters ? Port::kCounters : Port::kLeases,
                 kinds[static_cast<std::size_t>(pick(static_cast<std::int64_t>(kinds.size())))]);
  }
  void step() {
    if (quiet) return;
    world.at(world.now() + milliseconds(10 + pick(80)), [this] { step(); });
    const unsigned what = 1u << pick(9);
    if ((faults & what) == 0) return;
    Node& n = any();
    const int who = last;
    switch (what) {
      case kKill:
        if (n.frozen || pick(3) != 0) return;
        say("kill", who);
        n.d->process.kill();
        n.dead = true;
        for (auto& [t, o] : n.front.open) o.next();
        start_node();
        return;
      case kFreeze:
        if (n.frozen) return;
        say("freeze", who);
        freeze(n, milliseconds(pick(3) == 0 ? pick(kTtl * 3) : pick(kTtl)));
        return;
      case kReplies: {
        say("port down");
        const Port p = pick(2) == 0 ? Port::kCounters : Port::kLeases;
        db.fail_always(p, pick(2) == 0 ? Fault::kRefuse : Fault::kLoseReply);
        world.at(world.now() + milliseconds(pick(kTtl * 2)), [this] {
          db.heal();
          say("ports up");
        });
        return;
      }
      case kZombies:
        say("zombies run");
        db.run_zombies();
        return;
      case kSlow: {
        const auto lane = static_cast<std::size_t>(pick(2));
        n.d->process.latency[lane] = milliseconds(pick(2) == 0 ? pick(5) : pick(kTtl * 3 / 2));
        say(lane == 0 ? "counters lane latency changed" : "lease lane latency changed", who);
        return;
      }
      case kLocks: {
        const std::string c = name(static_cast<int>(pick(kConvs)));
        say("row locked");
        db.lock_row(c);
        world.at(world.now() + milliseconds(pick(kTtl * 3)), [this, c] { db.unlock_row(c); });
        return;
      }
      case kLeave:
        if (n.leaving || n.frozen || pick(2) != 0) return;
        say("hand-over", who);
        leave(n);
        start_node();
        return;
      case kRestore:
        if (!snapshot || pick(3) == 0) {
          snapshot = db.snapshot();
          say("snapshot");
          return;
        }
        db.run_zombies();  // a server that is restored has no old sessions
        say("RESTORE");
        db.restore(*snapshot);
        return;
      case kPartial: {  // what two stand-bys and a hand-over in groups leave behind: nobody's slots
        std::vector<Slot> half;
        for (int s = 0; s < kSlotCount; s += 2) half.push_back(static_cast<Slot>(s));
        const std::string me = n.d->lease.owner();
        if (n.frozen || n.d->lease.slot_count() != kSlotCount) return;
        say("half given away", who);
        n.d->lease.lost(half);
        n.d->sequencer.purge();
        db.edit([&](MemoryTables& t) {
          for (Slot s : half)
            if (t.slots[s].owner == me) t.slots[s].owner.clear();
        });
        return;
      }
      default:
        return;
    }
  }
  void freeze(Node& n, Duration span) {
    n.frozen = true;
    n.d->process.freeze();
    world.at(world.now() + span, [this, &n] { thaw(n); });
  }
  void thaw(Node& n) {
    if (n.frozen) {
      n.frozen = false;
      n.thawed = world.now();
      n.d->process.thaw();
    }
  }
  void leave(Node& n) {
    n.leaving = true;
    n.leave_began = world.now();
    n.d->owner.hand_over(milliseconds(kTtl), [this, &n] {
      n.left = true;
      if (n.d->lease.slot_count() != 0) bad("LEFT but still holds slots");
      world.at(world.now(), [this, &n] {  // as Daemon::stop does
        n.d->sequencer.stop();
        n.d->process.kill();
        if (!n.front.open.empty()) bad("STUCK requests unanswered after stop");
      });
    });
  }
  // ---- the checker ----
  void check(const std::map<std::string, MemoryCounter>& rows) {
    for (auto& [conv, ops] : done) {
      const std::string id = name(conv);
      for (const std::string& fault : history_faults(ops)) bad(fault + " in " + id);
      const auto row = rows.find(id);
      if (restores || ops.empty()) continue;
      if (row == rows.end() || largest(ops) > row->second.row.max_seq) bad("BOUNDED " + id);
    }
  }
  /// Numbers below the last one issued that no counter explains.
  std::int64_t uncounted(const std::map<std::string, MemoryCounter>& rows) const {
    std::int64_t spent = 0;
    for (const auto& [id, c] : rows) spent += c.row.cur_seq.value_or(c.row.max_seq);
    for (const auto& n : nodes) {
      spent -= n->d->sequencer.issued();
      for (const auto& g : n->d->stats.gap_numbers) spent -= g.load();
    }
    return spent;
  }
  void watch_answers() {  // exactly one answer, within its deadline (a paused process is excused)
    for (auto& n : nodes) {
      if (n->front.twice != 0) bad("ANSWERED TWICE");
      if (n->dead || n->left || n->frozen || world.now() - n->thawed < milliseconds(100)) continue;
      for (auto& [t, o] : n->front.open) {
        if (world.now() - o.since > milliseconds(settings.segment.wait_ms + 150)) {
          bad("LATE answer of " + n->d->lease.owner());
          o.since = world.now() + std::chrono::hours(1);
        }
      }
      if (n->leaving &&
          world.now() - std::max(n->leave_began, n->thawed) > milliseconds(kTtl * 12)) {
        bad("HAND-OVER never done");
        n->leave_began += std::chrono::hours(1);
      }
    }
    if (!quiet) world.at(world.now() + milliseconds(50), [this] { watch_answers(); });
  }
  bool operator()() {
    begun = world.now();
    db.on_call([this](std::string_view name) { call_fault(name); });
    const std::int64_t daemons = restores ? 1 : 1 + pick(3);
    for (std::int64_t i = 0; i < daemons; ++i) start_node();
    world.run_for(milliseconds(50));
    for (int i = 0; i < 4; ++i) client();
    step();
    watch_answers();
    world.run_for(milliseconds(4000 + pick(4000)));
    // ---- everything heals ----
    say("HEAL");
    quiet = true;
    db.heal();
    db.run_zombies();
    for (int c = 0; c < kConvs; ++c) db.unlock_row(name(c));
    for (auto& n : nodes) {
      n->d->process.latency = {milliseconds(2), milliseconds(2), milliseconds(2), {}};
      thaw(*n);
    }
    world.run_for(milliseconds(kTtl * 3 / 2));  // what was slow arrives
    db.heal();
    for (int c = 0; c < kConvs; ++c) {
      const BootTime until = world.now() + milliseconds(kTtl * 3);
      bool ok = false;
      while (!ok && world.now() < until) {
        for (const int i : living()) {
          if (nodes[static_cast<std::size_t>(i)]->leaving) continue;
          Front::Open o;
          o.conv = c;
          o.op.inv = ++order;
          o.since = world.now();
          o.next = [] {};
          const std::uint64_t before = served;
          send(*nodes[static_cast<std::size_t>(i)], o, 1);
          world.run_for(milliseconds(10));
          ok = ok || served > before;
        }
        if (living().empty()) world.run_for(milliseconds(50));
      }
      if (!ok) {
        bad("STUCK " + name(c) + " is not served");
        break;
      }
    }
    world.run_for(milliseconds(settings.segment.wait_ms + 200));
    watch_answers();
    for (const int i : living()) {
      Node& n = *nodes[static_cast<std::size_t>(i)];
      if (!n.front.open.empty()) bad("STUCK requests never answered");
      if (n.d->sequencer.waiting() != 0)
        bad("STUCK waiting counter " + std::to_string(n.d->sequencer.waiting()));
      if (!n.d->demand.idle()) bad("STUCK demand works for ever");
      if (n.d->stats.invariant_violations.load() != 0) bad("VIOLATION counted");
      if (restores == false && n.d->stats.lost_commits.load() != 0) bad("FALSE ALARM lost commits");
      if (!n.leaving) leave(n);
    }
    world.run_for(milliseconds(kTtl * 14));
    watch_answers();
    const MemoryTables tables = db.snapshot();
    check(tables.counters);
    if (const std::int64_t left = uncounted(tables.counters); !restores && left > 0)
      bad("GAP uncounted " + std::to_string(left));
    if (!troubles.empty()) {
      std::printf("seed %llu faults %u daemons %lld step %lld resident %lld served %llu:",
                  static_cast<unsigned long long>(seed), faults, static_cast<long long>(daemons),
                  static_cast<long long>(settings.segment.step),
                  static_cast<long long>(settings.segment.max_resident),
                  static_cast<unsigned long long>(served));
      for (const auto& t : troubles) std::printf(" [%s]", t.c_str());
      std::printf("\n");
    }
    return troubles.empty();
  }
  static constexpr int kConvs = 5;
  std::mt19937_64 rng;
  const std::uint64_t seed;
  const bool verbose;
  bool restores = false, quiet = false;
  unsigned faults = 0;
  int last = -1;
  DaemonSettings settings;
  VirtualWorld world;
  MemoryDatabase db;
  BootTime begun;
  std::vector<std::unique_ptr<Node>> nodes;
  std::map<int, std::vector<Op>> done;
  std::optional<MemoryTables> snapshot;
  std::uint64_t order = 0, tokens = 0, served = 0;
  std::vector<std::string> troubles;
};
}  // namespace
int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  const unsigned mask = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 511;
  std::uint64_t bad = 0;
  for (std::uint64_t s = first; s < first + count; ++s) {
    auto run = std::make_unique<Run>(s, mask, argc > 4);
    if (!(*run)()) ++bad;
  }
  std::printf("%llu of %llu runs were bad\n", static_cast<unsigned long long>(bad),
              static_cast<unsigned long long>(count));
  return bad == 0 ? 0 : 1;
}