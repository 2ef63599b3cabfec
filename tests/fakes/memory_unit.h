// A unit on the store in memory: judged as the real adapters judge it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fakes/memory_database.h"

namespace seqd::fakes {

/// The start of a unit: the judged own row, and the head's slots.
struct MemoryUnit {
  OwnerRow* own = nullptr;
  UnitReport report;
  std::map<Slot, std::int64_t> ours;  ///< slot -> bump

  static Result<MemoryUnit> begin(MemoryTables& tables, const UnitHead& head) {
    MemoryUnit unit;
    std::optional<OwnerRow> seen;
    if (const auto own = tables.owners.find(head.owner); own != tables.owners.end()) {
      unit.own = &own->second;
      seen = own->second;
    }
    switch (judge_owner(head.belief, seen)) {
      case OwnerVerdict::kOurs:
        break;
      case OwnerVerdict::kFenced:
        return Error{Code::kFenced, head.owner + " is fenced or gone"};
      case OwnerVerdict::kCloned:
        return Error{Code::kFenced, head.owner + " is written by somebody else too"};
      case OwnerVerdict::kLostCommits:
        return Error{Code::kLostCommits, head.owner + " stands below what was committed"};
    }
    unit.report.stamp = Stamp{seen->beat, seen->resv_no};
    for (const SlotBelief& belief : head.slots) {
      std::optional<SlotRow> slot;
      if (const auto row = tables.slots.find(belief.slot); row != tables.slots.end()) {
        slot = row->second;
      }
      switch (judge_slot(head.owner, belief, slot)) {
        case SlotVerdict::kOurs:
          unit.ours[belief.slot] = belief.bump;
          break;
        case SlotVerdict::kLost:
          unit.report.lost.push_back(belief.slot);
          break;
        case SlotVerdict::kLostCommits:
          return Error{Code::kLostCommits,
                       "slot " + std::to_string(belief.slot) + " stands below what was committed"};
      }
    }
    return unit;
  }
  void stamp(bool reservation) {
    own->beat += 1;
    if (reservation) own->resv_no += 1;
    report.stamp = Stamp{own->beat, own->resv_no};
    report.stamped = true;
  }
};

}  // namespace seqd::fakes
