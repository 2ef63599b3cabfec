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
    if (const Result<Done> admitted = admit_owner(head, seen); !admitted) {
      return admitted.error();
    }
    unit.report.stamp = Stamp{seen->beat, seen->resv_no};
    std::vector<SlotRow> rows;
    for (const auto& [slot, row] : tables.slots) rows.push_back(row);
    Result<AdmittedSlots> admitted = admit_slots(head, rows);
    if (!admitted) return admitted.error();
    unit.ours = std::move(admitted->ours);
    unit.report.lost = std::move(admitted->lost);
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
