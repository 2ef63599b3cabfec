// The CounterStore in memory.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fakes/memory_unit.h"

namespace seqd::fakes {

/// One connection for conversations.
class MemoryCounters final : public CounterStore {
 public:
  explicit MemoryCounters(MemoryDatabase& db) : db_(db) {}

  Result<std::vector<FoundCounter>> look_up(std::span<const std::string> ids) override {
    using R = std::vector<FoundCounter>;
    return db_.read<R>(
        Port::kCounters, "look_up",
        [ids = std::vector<std::string>(ids.begin(), ids.end())](MemoryTables& tables) {
          R found;
          for (const std::string& id : ids) {
            if (const auto row = tables.counters.find(id); row != tables.counters.end()) {
              found.push_back(FoundCounter{id, row->second.row});
            }
          }
          return Result<R>(std::move(found));
        });
  }

  Result<ReserveReport> create(const UnitHead& head, std::span<const NewCounter> rows) override {
    return db_.call<ReserveReport>(
        Port::kCounters, "create",
        [head, rows = std::vector<NewCounter>(rows.begin(), rows.end())](MemoryTables& tables) {
          return create_now(tables, head, rows);
        });
  }

  Result<ReserveReport> reserve(const UnitHead& head,
                                std::span<const ReserveRequest> requests) override {
    return db_.call<ReserveReport>(
        Port::kCounters, "reserve",
        [db = &db_, head, requests = std::vector<ReserveRequest>(requests.begin(), requests.end())](
            MemoryTables& tables) { return reserve_now(*db, tables, head, requests); });
  }

  Result<ReleaseReport> release(const UnitHead& head, std::span<const Release> releases) override {
    return db_.call<ReleaseReport>(
        Port::kCounters, "release",
        [db = &db_, head, releases = std::vector<Release>(releases.begin(), releases.end())](
            MemoryTables& tables) { return release_now(*db, tables, head, releases); });
  }

  Result<UnitReport> lift(const UnitHead& head, std::span<const Lift> lifts) override {
    return db_.call<UnitReport>(
        Port::kCounters, "lift",
        [db = &db_, head, lifts = std::vector<Lift>(lifts.begin(), lifts.end())](
            MemoryTables& tables) { return lift_now(*db, tables, head, lifts); });
  }

 private:
  static Result<ReserveReport> create_now(MemoryTables& tables, const UnitHead& head,
                                          const std::vector<NewCounter>& rows) {
    Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
    if (!unit) return unit.error();
    ReserveReport report;
    bool exists = false;
    bool any = false;
    for (const NewCounter& row : rows) {
      ReserveOutcome outcome;
      if (!unit->ours.contains(row.slot)) {
        outcome.status = ReserveStatus::kSlotLost;
      } else if (const auto plan = plan_creation(row.floor, row.numbers, unit->ours.at(row.slot));
                 !plan) {
        outcome.status = ReserveStatus::kExhausted;
      } else {
        any = true;
        exists = exists || tables.counters.contains(row.conv_id);
        outcome = ReserveOutcome{ReserveStatus::kReserved, *plan};
      }
      report.outcomes.push_back(outcome);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ReserveOutcome& outcome = report.outcomes[i];
      if (outcome.status != ReserveStatus::kReserved) continue;
      if (exists) {
        outcome = ReserveOutcome{ReserveStatus::kExists, {}};
        continue;
      }
      tables.counters[rows[i].conv_id] = MemoryCounter{
          rows[i].slot, CounterRow{outcome.plan.interval.end, std::nullopt, outcome.plan.issued_seq,
                                   unit->ours[rows[i].slot]}};
    }
    if (any && !exists) unit->stamp(true);
    report.unit = unit->report;
    return report;
  }

  static Result<ReserveReport> reserve_now(MemoryDatabase& db, MemoryTables& tables,
                                           const UnitHead& head,
                                           const std::vector<ReserveRequest>& requests) {
    Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
    if (!unit) return unit.error();
    ReserveReport report;
    bool any = false;
    for (const ReserveRequest& request : requests) {
      ReserveOutcome outcome;
      const auto found = tables.counters.find(request.conv_id);
      if (!unit->ours.contains(request.slot)) {
        outcome.status = ReserveStatus::kSlotLost;
      } else if (found == tables.counters.end()) {
        outcome.status = ReserveStatus::kMissing;
      } else if (db.locked(request.conv_id)) {
        outcome.status = ReserveStatus::kLocked;
      } else {
        CounterRow& row = found->second.row;
        const std::int64_t bump = unit->ours[request.slot];
        const auto plan = plan_reservation(row, bump, request.ask);
        outcome.status = plan ? ReserveStatus::kReserved : ReserveStatus::kExhausted;
        if (plan) {
          outcome.plan = *plan;
          row = CounterRow{plan->interval.end, std::nullopt, plan->issued_seq,
                           std::max(bump, row.bump_seen)};
          any = true;
        }
      }
      report.outcomes.push_back(outcome);
    }
    if (any) unit->stamp(true);
    report.unit = unit->report;
    return report;
  }

  static Result<ReleaseReport> release_now(MemoryDatabase& db, MemoryTables& tables,
                                           const UnitHead& head,
                                           const std::vector<Release>& releases) {
    Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
    if (!unit) return unit.error();
    ReleaseReport report;
    for (const Release& release : releases) {
      const auto found = tables.counters.find(release.conv_id);
      if (!unit->ours.contains(release.slot) || found == tables.counters.end()) continue;
      if (db.locked(release.conv_id)) continue;
      CounterRow& row = found->second.row;
      if (row.max_seq != release.end || row.cur_seq || release.cur > release.end) continue;
      row.cur_seq = release.cur;
      ++report.released;
    }
    unit->stamp(true);
    report.unit = unit->report;
    return report;
  }

  static Result<UnitReport> lift_now(MemoryDatabase& db, MemoryTables& tables, const UnitHead& head,
                                     const std::vector<Lift>& lifts) {
    Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
    if (!unit) return unit.error();
    for (const Lift& lift : lifts) {
      if (db.locked(lift.conv_id)) return lock_timeout(lift.conv_id);
    }
    for (const Lift& lift : lifts) {
      const std::int64_t end = std::min(lift.end, kMaxSeq);
      MemoryCounter& counter = tables.counters[lift.conv_id];
      counter.slot = lift.slot;
      counter.row.max_seq = std::max(counter.row.max_seq, end);
      counter.row.cur_seq.reset();
      counter.row.issued_seq = std::max(counter.row.issued_seq, end);
      if (lift.exact) {
        counter.row.bump_seen = std::max(counter.row.bump_seen, tables.slots[lift.slot].bump);
      }
    }
    unit->stamp(true);
    return unit->report;
  }

  static Error lock_timeout(const std::string& conv_id) {
    return Error{Code::kBusy, conv_id + " is locked by somebody else"};
  }

  MemoryDatabase& db_;
};

}  // namespace seqd::fakes
