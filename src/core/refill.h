// Turns what conversations demand into fenced units of the store, and the store's answers into intervals.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/demand.h"
#include "core/ports/clock.h"
#include "core/ports/counter_store.h"
#include "core/ports/events.h"
#include "core/ports/executor.h"
#include "core/sequencer.h"
#include "core/settings.h"
#include "core/situation.h"
#include "core/slot_lease.h"
#include "core/stats.h"

namespace seqd {

/// What Refill finds out about ownership, for the Owner to act on. Called on Lane::kCounters.
struct OwnershipNews {
  std::function<void(const std::string& owner)> fenced;  ///< the lease was dropped already
  std::function<void(const std::string& owner)>
      lost_commits;  ///< the lease was dropped already (S7)
};

/// One round at a time: releases, then a look at rows that are not known, then creations, then reservations (DESIGN S5, S9).
/// Meanwhile demands queue up and go together in the next round. Lives on Lane::kCounters, except for the history calls.
class Refill {
 public:
  Refill(Executor& executor, CounterStore& counters, HistorySource* history, const Clock& clock,
         SlotLease& lease, Situation& situation, Demand& demand, Sequencer& sequencer, Stats& stats,
         Events& events, const RecoverySettings& recovery, Duration patience);

  /// `took` hears how long each reserving unit took, sent to answered. Set before start().
  void on_unit(std::function<void(Duration)> took) { took_ = std::move(took); }
  /// Takes over new settings. Any thread.
  void configure(const RecoverySettings& recovery, Duration patience);
  /// Begins to serve the Demand. Call once, before its first push.
  void start(OwnershipNews news);

 private:
  struct Round {
    std::vector<Want> create;   // sorted by id
    std::vector<Want> reserve;  // sorted by id
    std::vector<PeekAsk> peeks;
  };
  using RoundPtr = std::shared_ptr<Round>;

  void next_round();
  void drop_stale(DemandBatch& batch);
  void put_back(DemandBatch batch);
  void release(std::vector<Leave> leaves, DemandBatch rest);
  void released(const UnitTicket& ticket, std::vector<Leave> leaves, DemandBatch rest,
                Result<ReleaseReport> reply);
  void look_up(DemandBatch batch);
  void looked_up(std::vector<Want> cold, const RoundPtr& round,
                 Result<std::vector<FoundCounter>> reply);
  void answer_peeks(const RoundPtr& round, const std::unordered_map<std::string, CounterRow>& rows);
  void create(const RoundPtr& round);
  void reserve(const RoundPtr& round);
  void reserved(const UnitTicket& ticket, std::vector<Want> wants, bool creating, BootTime sent,
                Result<ReserveReport> reply);
  void ask_history(std::vector<Want> wants);
  void history_answered(std::vector<Want> wants, Result<std::vector<std::int64_t>> reply);

  bool current(const Want& want) const;
  UnitTicket begin_unit(const std::vector<Want>& wants);
  /// Books a confirmed unit. False: a clone writes with our name, and everything was dropped.
  bool unit_confirmed(const UnitTicket& ticket, const UnitReport& report);
  void store_answered();
  void probe();
  void unit_failed(const UnitTicket& ticket, const Error& error);
  void retry_or_fail(std::vector<Want> wants, const Error& error, bool slow);
  void give_up(const std::vector<Want>& wants, const Error& error);
  bool in_time(std::vector<Want>& wants);
  void later(std::vector<Want> wants);
  void again(Want want);

  Executor& executor_;
  CounterStore& counters_;
  HistorySource* const history_;
  const Clock& clock_;
  SlotLease& lease_;
  Situation& situation_;
  Demand& demand_;
  Sequencer& sequencer_;
  Stats& stats_;
  Events& events_;
  struct Tuning {
    RecoverySettings recovery;
    Duration patience{};  // an attempt that took longer is not repeated at once
  };
  Guarded<Tuning> tuning_;
  OwnershipNews news_;
  std::function<void(Duration)> took_;
  bool probing_ = false;
};

}  // namespace seqd
