// The store in memory, for core's tests: the contract of the real adapters, and the faults of memory_database.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fakes/memory_counters.h"

namespace seqd::fakes {

/// One connection for leases.
class MemoryLeases final : public LeaseStore {
 public:
  explicit MemoryLeases(MemoryDatabase& db) : db_(db) {}
  ~MemoryLeases() override { db_.drop_sole_lock(this); }
  MemoryLeases(const MemoryLeases&) = delete;
  MemoryLeases& operator=(const MemoryLeases&) = delete;

  Result<StoreCheck> prepare() override {
    return db_.read<StoreCheck>(Port::kLeases, "prepare", [](MemoryTables& tables) {
      MemoryDatabase::put_back_slots(tables, 0);
      return Result<StoreCheck>(StoreCheck{"memory", true, {}});
    });
  }

  Result<Done> enrol(const OwnerRow& row) override {
    return db_.call<Done>(Port::kLeases, "enrol", [row](MemoryTables& tables) -> Result<Done> {
      if (tables.owners.contains(row.owner)) {
        return Error{Code::kBusy, row.owner + " is enrolled already"};
      }
      std::erase_if(tables.owners, [&](const auto& entry) {
        return entry.second.fenced &&
               std::none_of(tables.slots.begin(), tables.slots.end(),
                            [&](const auto& slot) { return slot.second.owner == entry.first; });
      });
      OwnerRow fresh = row;
      fresh.beat = 0;
      fresh.resv_no = 0;
      fresh.fenced = false;
      tables.owners[row.owner] = fresh;
      return Done{};
    });
  }

  Result<Survey> survey() override {
    return db_.read<Survey>(Port::kLeases, "survey", [](MemoryTables& tables) {
      Survey survey;
      for (const auto& [slot, row] : tables.slots) survey.slots.push_back(row);
      for (const auto& [owner, row] : tables.owners) survey.owners.push_back(row);
      return Result<Survey>(std::move(survey));
    });
  }

  Result<UnitReport> renew(const UnitHead& head) override {
    return db_.call<UnitReport>(Port::kLeases, "renew",
                                [head](MemoryTables& tables) -> Result<UnitReport> {
                                  Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
                                  if (!unit) return unit.error();
                                  unit->stamp(false);
                                  return unit->report;
                                });
  }

  Result<ClaimReport> claim(const UnitHead& head, std::int64_t least_epoch) override {
    return db_.call<ClaimReport>(Port::kLeases, "claim",
                                 [head, least_epoch](MemoryTables& tables) -> Result<ClaimReport> {
                                   Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
                                   if (!unit) return unit.error();
                                   MemoryDatabase::put_back_slots(tables, least_epoch);
                                   for (auto& [slot, row] : tables.slots) {
                                     if (row.owner.empty())
                                       row = SlotRow{slot, head.owner, row.epoch + 1, row.bump};
                                   }
                                   unit->stamp(false);
                                   return ClaimReport{unit->report, ours(tables, head.owner)};
                                 });
  }

  Result<ClaimReport> take_over(const UnitHead& head, const OwnerRow& victim) override {
    return db_.call<ClaimReport>(
        Port::kLeases, "take_over", [head, victim](MemoryTables& tables) -> Result<ClaimReport> {
          Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
          if (!unit) return unit.error();
          if (victim.owner == head.owner || victim.owner.empty()) {
            return Error{Code::kBusy, "nobody takes over from itself"};
          }
          const auto row = tables.owners.find(victim.owner);
          if (row != tables.owners.end() && !row->second.fenced) {
            if (row->second.beat != victim.beat) {
              return Error{Code::kBusy, victim.owner + " lives: its beat moved"};
            }
            row->second.fenced = true;
          }
          for (auto& [slot, held] : tables.slots) {
            if (held.owner == victim.owner) {
              held = SlotRow{slot, head.owner, held.epoch + 1, held.bump};
            }
          }
          unit->stamp(false);
          return ClaimReport{unit->report, ours(tables, head.owner)};
        });
  }

  Result<UnitReport> give(const UnitHead& head, std::span<const Slot> slots) override {
    return db_.call<UnitReport>(
        Port::kLeases, "give",
        [head, slots = std::vector<Slot>(slots.begin(), slots.end())](
            MemoryTables& tables) -> Result<UnitReport> {
          Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
          if (!unit) return unit.error();
          for (const Slot slot : slots) {
            const auto row = tables.slots.find(slot);
            if (row != tables.slots.end() && row->second.owner == head.owner) {
              row->second.owner.clear();
            }
          }
          unit->stamp(false);
          return unit->report;
        });
  }

  Result<UnitReport> bump(const UnitHead& head, const SlotBump& order) override {
    return db_.call<UnitReport>(
        Port::kLeases, "bump", [head, order](MemoryTables& tables) -> Result<UnitReport> {
          Result<MemoryUnit> unit = MemoryUnit::begin(tables, head);
          if (!unit) return unit.error();
          MemoryDatabase::put_back_slots(tables, order.least_epoch);
          for (const Slot slot : order.slots) {
            SlotRow& row = tables.slots[slot];
            row.slot = slot;
            row.bump = std::max(row.bump, order.least_bump) + order.by;
            const bool free = row.owner.empty() ||
                              std::find(order.former.begin(), order.former.end(), row.owner) !=
                                  order.former.end();
            if (!free) continue;
            row.owner.clear();
            row.epoch = std::max(row.epoch, order.least_epoch) + 1;
          }
          unit->stamp(false);
          return unit->report;
        });
  }

  Result<Done> resign(const std::string& owner) override {
    return db_.call<Done>(Port::kLeases, "resign", [owner](MemoryTables& tables) -> Result<Done> {
      for (auto& [slot, row] : tables.slots) {
        if (row.owner == owner) row.owner.clear();
      }
      tables.owners.erase(owner);
      return Done{};
    });
  }

  Result<bool> hold_sole_lock() override { return db_.try_sole_lock(this); }
  std::string sole_lock_id() override { return db_.sole_lock_id(); }

 private:
  static std::vector<SlotRow> ours(const MemoryTables& tables, const std::string& owner) {
    std::vector<SlotRow> found;
    for (const auto& [slot, row] : tables.slots) {
      if (row.owner == owner) found.push_back(row);
    }
    return found;
  }

  MemoryDatabase& db_;
};

/// The host's message table.
class MemoryHistory final : public HistorySource {
 public:
  explicit MemoryHistory(MemoryDatabase& db) : db_(db) {}

  Result<std::vector<std::int64_t>> max_seq(std::span<const std::string> ids) override {
    using R = std::vector<std::int64_t>;
    return db_.read<R>(
        Port::kHistory, "max_seq",
        [ids = std::vector<std::string>(ids.begin(), ids.end())](MemoryTables& tables) {
          R found;
          for (const std::string& id : ids) {
            const auto row = tables.history.find(id);
            found.push_back(row == tables.history.end() ? 0 : row->second);
          }
          return Result<R>(std::move(found));
        });
  }

 private:
  MemoryDatabase& db_;
};

}  // namespace seqd::fakes
