#include "adapters/sqlite/counter_store.h"

#include <algorithm>

#include "adapters/sqlite/unit.h"

namespace seqd::sqlite {
namespace {

constexpr const char* kInsert =
    "INSERT INTO seq_counter (conv_id, slot, max_seq, cur_seq, issued_seq, bump_seen, updated_at) "
    "VALUES (?1, ?2, ?3, NULL, ?4, ?5, unixepoch())";

constexpr const char* kReserve =
    "UPDATE seq_counter SET max_seq = max_seq + ?2, cur_seq = NULL, issued_seq = ?3, "
    "bump_seen = ?4, updated_at = unixepoch() WHERE conv_id = ?1";

constexpr const char* kRelease =
    "UPDATE seq_counter SET cur_seq = ?2, updated_at = unixepoch() "
    "WHERE conv_id = ?1 AND max_seq = ?3 AND cur_seq IS NULL AND ?2 <= ?3";

constexpr const char* kLift =
    "INSERT INTO seq_counter (conv_id, slot, max_seq, cur_seq, issued_seq, bump_seen, updated_at) "
    "VALUES (?1, ?2, ?3, NULL, ?3, ?4 * COALESCE((SELECT bump FROM seq_slot WHERE slot = ?2), 0), "
    "unixepoch()) ON CONFLICT (conv_id) DO UPDATE SET "
    "max_seq = MAX(max_seq, ?3), cur_seq = NULL, issued_seq = MAX(issued_seq, ?3), "
    "bump_seen = MAX(bump_seen, excluded.bump_seen), "
    "updated_at = unixepoch()";

Error miscounted(const std::string& id) {
  return Error{Code::kBusy, "SQLite changed no row for " + id + ": rolled back"};
}

/// Ends a unit that has nothing to write.
Result<ReserveReport> abandoned(Unit& unit, ReserveReport report) {
  Result<UnitReport> undone = unit.abandon();
  if (!undone) return undone.error();
  report.unit = *undone;
  return report;
}

Result<ReserveReport> finished(Unit& unit, ReserveReport report) {
  Result<UnitReport> done = unit.finish(true);
  if (!done) return done.error();
  report.unit = *done;
  return report;
}

}  // namespace

Result<std::optional<CounterRow>> SqliteCounterStore::read_row(const std::string& id) {
  Result<Rows> rows = database_.run(
      "SELECT max_seq, cur_seq, issued_seq, bump_seen FROM seq_counter WHERE conv_id = ?1", {id});
  if (!rows) return rows.error();
  if (rows->empty()) return std::optional<CounterRow>();
  const Row& row = rows->front();
  CounterRow counter;
  counter.max_seq = number(row[0]);
  if (!is_null(row[1])) counter.cur_seq = number(row[1]);
  counter.issued_seq = number(row[2]);
  counter.bump_seen = number(row[3]);
  return std::optional<CounterRow>(counter);
}

Result<std::vector<FoundCounter>> SqliteCounterStore::look_up(std::span<const std::string> ids) {
  if (Result<Done> opened = database_.open(); !opened) return opened.error();
  std::vector<FoundCounter> found;
  for (const std::string& id : ids) {
    Result<std::optional<CounterRow>> row = read_row(id);
    if (!row) return row.error();
    if (*row) found.push_back(FoundCounter{id, **row});
  }
  return found;
}

Result<ReserveReport> SqliteCounterStore::create(const UnitHead& head,
                                                 std::span<const NewCounter> rows) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  ReserveReport report;
  report.outcomes.resize(rows.size());
  bool any = false;
  bool exists = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const NewCounter& row = rows[i];
    ReserveOutcome& outcome = report.outcomes[i];
    const std::optional<std::int64_t> bump = unit->bump_of(row.slot);
    if (!bump) {
      outcome.status = ReserveStatus::kSlotLost;
      continue;
    }
    const auto plan = plan_creation(row.floor, row.numbers, *bump);
    if (!plan) {
      outcome.status = ReserveStatus::kExhausted;
      continue;
    }
    Result<std::optional<CounterRow>> present = read_row(row.conv_id);
    if (!present) return present.error();
    any = true;
    exists = exists || present->has_value();
    outcome = ReserveOutcome{ReserveStatus::kReserved, *plan};
  }
  if (exists) {
    for (ReserveOutcome& outcome : report.outcomes) {
      if (outcome.status != ReserveStatus::kReserved) continue;
      outcome = ReserveOutcome{ReserveStatus::kExists, {}};
    }
  }
  if (!any || exists) return abandoned(*unit, std::move(report));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const NewCounter& row = rows[i];
    if (report.outcomes[i].status != ReserveStatus::kReserved) continue;
    Result<Rows> inserted = database_.run(
        kInsert, {row.conv_id, std::int64_t{row.slot}, report.outcomes[i].plan.interval.end,
                  report.outcomes[i].plan.issued_seq, unit->bump_of(row.slot).value_or(0)});
    if (!inserted) return inserted.error();
  }
  return finished(*unit, std::move(report));
}

Result<ReserveReport> SqliteCounterStore::reserve(const UnitHead& head,
                                                  std::span<const ReserveRequest> requests) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  ReserveReport report;
  report.outcomes.resize(requests.size());
  bool any = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ReserveRequest& request = requests[i];
    ReserveOutcome& outcome = report.outcomes[i];
    const std::optional<std::int64_t> bump = unit->bump_of(request.slot);
    if (!bump) {
      outcome.status = ReserveStatus::kSlotLost;
      continue;
    }
    Result<std::optional<CounterRow>> found = read_row(request.conv_id);
    if (!found) return found.error();
    if (!*found) {
      outcome.status = ReserveStatus::kMissing;
      continue;
    }
    const CounterRow& row = **found;
    const auto plan = plan_reservation(row, *bump, request.ask);
    outcome.status = plan ? ReserveStatus::kReserved : ReserveStatus::kExhausted;
    if (!plan) continue;
    outcome.plan = *plan;
    Result<Rows> written =
        database_.run(kReserve, {request.conv_id, plan->interval.end - row.max_seq,
                                 plan->issued_seq, std::max(*bump, row.bump_seen)});
    if (!written) return written.error();
    if (database_.changes() != 1) return miscounted(request.conv_id);
    any = true;
  }
  if (!any) return abandoned(*unit, std::move(report));
  return finished(*unit, std::move(report));
}

Result<ReleaseReport> SqliteCounterStore::release(const UnitHead& head,
                                                  std::span<const Release> releases) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  ReleaseReport report;
  for (const Release& release : releases) {
    if (!unit->bump_of(release.slot)) continue;
    Result<Rows> written = database_.run(kRelease, {release.conv_id, release.cur, release.end});
    if (!written) return written.error();
    report.released += database_.changes();
  }
  Result<UnitReport> done = unit->finish(true);
  if (!done) return done.error();
  report.unit = *done;
  return report;
}

Result<UnitReport> SqliteCounterStore::lift(const UnitHead& head, std::span<const Lift> lifts) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  for (const Lift& lift : lifts) {
    const std::int64_t end = std::clamp<std::int64_t>(lift.end, 0, kMaxSeq);
    Result<Rows> written = database_.run(
        kLift, {lift.conv_id, std::int64_t{lift.slot}, end, std::int64_t{lift.exact ? 1 : 0}});
    if (!written) return written.error();
  }
  return unit->finish(true);
}

}  // namespace seqd::sqlite
