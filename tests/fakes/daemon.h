// One whole daemon's core on the memory store, in virtual time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/owner.h"
#include "core/refill.h"
#include "core/sequencer.h"
#include "fakes/memory_store.h"
#include "fakes/virtual_world.h"

namespace seqd::fakes {

struct DaemonSettings {
  SegmentSettings segment;
  RecoverySettings recovery;
  std::int64_t ttl_ms = 10000;
  bool sole = false;
  bool history = false;
  std::string node = "a";
};

/// Remembers the answers that came later.
class Inbox final : public AnswerSink {
 public:
  void taken(std::uint64_t token, const TakeResult& r) noexcept override { takes[token] = r; }
  void peeked(std::uint64_t token, const PeekResult& r) noexcept override { peeks[token] = r; }
  std::map<std::uint64_t, TakeResult> takes;
  std::map<std::uint64_t, PeekResult> peeks;
};

class EventLog final : public Events {
 public:
  void on_event(Severity, const char* name, const std::string& text) noexcept override {
    names.emplace_back(name);
    texts.push_back(text);
  }
  void on_fatal(const std::string& text) noexcept override { fatal = text; }
  bool saw(const std::string& name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  std::vector<std::string> names;
  std::vector<std::string> texts;
  std::string fatal;
};

class Daemon {
 public:
  Daemon(VirtualWorld& world, MemoryDatabase& db, const DaemonSettings& s = {})
      : world_(world),
        process(world),
        counters(db),
        leases(db),
        history(db),
        lease(LeaseTimes{std::chrono::milliseconds(s.ttl_ms), s.sole}),
        sequencer(s.segment, SlotHash("seq:conv:"), process, lease, situation, demand, stats),
        refill(process, counters, s.history ? &history : nullptr, process, lease, situation, demand,
               sequencer, stats, events, s.recovery, std::chrono::milliseconds(s.segment.wait_ms)),
        owner(process, leases, counters, process, lease, situation, demand, sequencer, stats,
              events,
              OwnerIdentity{s.node, s.node + ".example:6390",
                            [n = s.node, i = 0]() mutable { return n + std::to_string(++i); }},
              s.recovery.rollback_bump) {
    process.latency[static_cast<std::size_t>(Lane::kCounters)] = std::chrono::milliseconds(2);
    process.latency[static_cast<std::size_t>(Lane::kLease)] = std::chrono::milliseconds(2);
    process.latency[static_cast<std::size_t>(Lane::kHistory)] = std::chrono::milliseconds(2);
    refill.start(OwnershipNews{[this](const std::string& o) { owner.fenced(o); },
                               [this](const std::string& o) { owner.lost_commits(o); }});
    sequencer.on_waiting([this] { look_at_deadlines(); });
    owner.start();
  }

  /// Runs until it owns every slot.
  bool owns() {
    return world_.run_until(
        [&] { return lease.slot_count() == kSlotCount && lease.valid_at(world_.now()); });
  }
  TakeResult send(const std::string& id, std::int64_t n = 1) {
    last_token = ++tokens_;
    return sequencer.take(*ConvId::parse(id), n, &inbox, last_token);
  }
  /// Sends and waits for the answer.
  TakeResult take(const std::string& id, std::int64_t n = 1) {
    const TakeResult now = send(id, n);
    if (now.kind != TakeResult::Kind::kWaiting) return now;
    const std::uint64_t token = last_token;
    if (!world_.run_until([&] { return inbox.takes.count(token) > 0; })) return {};
    return inbox.takes[token];
  }
  /// The number, or -1 for a refusal.
  std::int64_t next(const std::string& id) {
    const TakeResult r = take(id);
    return r.kind == TakeResult::Kind::kTaken ? r.last : -1;
  }
  PeekResult peek(const std::string& id) {
    last_token = ++tokens_;
    const std::uint64_t token = last_token;
    const PeekResult now = sequencer.peek(*ConvId::parse(id), &inbox, token);
    if (now.kind != PeekResult::Kind::kWaiting) return now;
    if (!world_.run_until([&] { return inbox.peeks.count(token) > 0; })) return {};
    return inbox.peeks[token];
  }
  bool leave(Duration limit = std::chrono::seconds(20)) {
    bool left = false;
    owner.hand_over(limit, [&] { left = true; });
    return world_.run_until([&] { return left; }, limit * 2);
  }
  std::int64_t gap(GapReason why) const {
    return stats.gap_numbers[static_cast<std::size_t>(why)].load();
  }

 private:
  VirtualWorld& world_;
  std::uint64_t tokens_ = 0;

  void look_at_deadlines() {
    process.after(Lane::kHousekeeping, std::chrono::milliseconds(5), [this] {
      if (sequencer.expire(process.boot_now())) look_at_deadlines();
    });
  }

 public:
  VirtualProcess process;
  MemoryCounters counters;
  MemoryLeases leases;
  MemoryHistory history;
  Stats stats;
  EventLog events;
  SlotLease lease;
  Situation situation;
  Demand demand;
  Sequencer sequencer;
  Refill refill;
  Owner owner;
  Inbox inbox;
  std::uint64_t last_token = 0;
};

}  // namespace seqd::fakes
