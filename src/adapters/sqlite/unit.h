// A unit: one fenced transaction of this daemon (DESIGN S3) under SQLite's one write lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "adapters/sqlite/database.h"
#include "core/ownership.h"

namespace seqd::sqlite {

/// Begun, then finished or abandoned, by one thread. A unit that is dropped half-way closes its connection, which rolls it
/// back. The database outlives it.
class Unit {
 public:
  /// BEGIN IMMEDIATE, the own row judged, the head's slots judged. After an error the transaction is over.
  static Result<Unit> begin(Database& database, const UnitHead& head);

  Unit(Unit&& other) noexcept;
  Unit& operator=(Unit&&) = delete;
  ~Unit();

  /// The slot's bump if it is ours; no value: it is lost, or was not in the head.
  std::optional<std::int64_t> bump_of(Slot slot) const;

  /// Stamps the own row and commits. `reservation` raises resv_no too.
  Result<UnitReport> finish(bool reservation);
  /// ROLLBACK: nothing was to be done. Reports the stamp as it was read.
  Result<UnitReport> abandon();

 private:
  Unit(Database& database, const UnitHead& head) : database_(&database), owner_(head.owner) {}
  Result<Done> judge(const UnitHead& head);
  Result<Done> judge_slots(const UnitHead& head);

  Database* database_;  ///< null once it is over
  std::string owner_;
  UnitReport report_;
  std::map<Slot, std::int64_t> ours_;
};

}  // namespace seqd::sqlite
