// A unit: one fenced transaction of this daemon (DESIGN S3).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "adapters/mysql/connection.h"
#include "core/ownership.h"

namespace seqd::mysql {

/// Begun, then finished or abandoned, by one thread. A unit that is dropped half-way closes its connection, so that the
/// server rolls it back. The connection outlives it.
class Unit {
 public:
  /// START TRANSACTION, the own row locked and judged, the head's slots read and judged.
  /// kFenced and kLostCommits are judgements and leave the connection open; the transaction is over.
  static Result<Unit> begin(Connection& connection, const UnitHead& head);

  Unit(Unit&& other) noexcept;
  Unit& operator=(Unit&&) = delete;
  ~Unit();

  /// The slot's bump if it is ours; no value: it is lost, or was not in the head.
  std::optional<std::int64_t> bump_of(Slot slot) const;

  /// The stamp as it was read, and the lost slots.
  const UnitReport& report() const { return report_; }

  /// Stamps the own row and commits. `reservation` raises resv_no too.
  Result<UnitReport> finish(bool reservation);
  /// ROLLBACK: nothing was to be done. Reports the stamp as it was read.
  Result<UnitReport> abandon();

 private:
  Unit(Connection& connection, const UnitHead& head)
      : connection_(&connection), owner_(head.owner) {}
  Result<Done> judge(const UnitHead& head);
  Result<Done> judge_slots(const UnitHead& head);

  Connection* connection_;  ///< null once it is over
  std::string owner_;
  UnitReport report_;
  std::map<Slot, std::int64_t> ours_;
};

}  // namespace seqd::mysql
