#include "adapters/mysql/counter_store.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "adapters/mysql/errors.h"
#include "adapters/mysql/sql_text.h"
#include "adapters/mysql/unit.h"

namespace seqd::mysql {
namespace {

using Counters = std::map<std::string, CounterRow>;

constexpr const char* kInsert =
    "INSERT INTO seq_counter (conv_id, slot, max_seq, cur_seq, issued_seq, bump_seen) VALUES ";

std::string values(const std::string& id, Slot slot, std::int64_t max_seq, const std::string& cur,
                   std::int64_t issued, const std::string& bump) {
  return "(" + quoted(id) + "," + std::to_string(slot) + "," + std::to_string(max_seq) + "," + cur +
         "," + std::to_string(issued) + "," + bump + ")";
}

/// The slot's bump as it stands now.
std::string bump_of_slot(Slot slot) {
  return "COALESCE((SELECT bump FROM seq_slot WHERE slot = " + std::to_string(slot) + "), 0)";
}

std::string select_rows(const std::vector<std::string>& ids, const char* lock) {
  return "SELECT conv_id, max_seq, cur_seq, issued_seq, bump_seen FROM seq_counter "
         "FORCE INDEX (PRIMARY) WHERE conv_id IN (" +
         joined(ids, [](const std::string& id) { return quoted(id); }) + ") ORDER BY conv_id" +
         lock;
}

Counters counters_of(const Rows& rows) {
  Counters found;
  for (const Row& row : rows) {
    CounterRow counter;
    counter.max_seq = number(row[1]);
    if (row[2]) counter.cur_seq = number(row[2]);
    counter.issued_seq = number(row[3]);
    counter.bump_seen = number(row[4]);
    found[row[0].value_or("")] = counter;
  }
  return found;
}

Result<Counters> read_rows(Connection& connection, const std::vector<std::string>& ids,
                           const char* lock) {
  if (ids.empty()) return Counters();
  Result<Rows> rows = connection.query(select_rows(ids, lock));
  if (!rows) return rows.error();
  return counters_of(*rows);
}

constexpr const char* kSkipLocked = " FOR UPDATE SKIP LOCKED";

Error miscounted(std::int64_t affected, std::size_t rows) {
  return Error{Code::kBusy, "MySQL changed " + std::to_string(affected) + " where 2 for each of " +
                                std::to_string(rows) + " locked rows were expected: rolled back"};
}

}  // namespace

Result<std::vector<FoundCounter>> MysqlCounterStore::look_up(std::span<const std::string> ids) {
  std::vector<FoundCounter> found;
  if (ids.empty()) return found;
  Result<Rows> rows =
      connection_.read(select_rows(std::vector<std::string>(ids.begin(), ids.end()), ""));
  if (!rows) return rows.error();
  for (auto& [id, row] : counters_of(*rows)) found.push_back(FoundCounter{id, row});
  return found;
}

Result<ReserveReport> MysqlCounterStore::create(const UnitHead& head,
                                                std::span<const NewCounter> rows) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  ReserveReport report;
  report.outcomes.resize(rows.size());
  std::vector<std::string> ids;
  std::string inserted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const NewCounter& row = rows[i];
    ReserveOutcome& outcome = report.outcomes[i];
    const std::optional<std::int64_t> bump = unit->bump_of(row.slot);
    if (!bump) {
      outcome.status = ReserveStatus::kSlotLost;
    } else if (const auto plan = plan_creation(row.floor, row.numbers, *bump); !plan) {
      outcome.status = ReserveStatus::kExhausted;
    } else {
      outcome = ReserveOutcome{ReserveStatus::kReserved, *plan};
      ids.push_back(row.conv_id);
      if (!inserted.empty()) inserted += ',';
      inserted += values(row.conv_id, row.slot, plan->interval.end, "NULL", plan->issued_seq,
                         std::to_string(*bump));
    }
  }
  const auto abandon_with = [&](Result<UnitReport> abandoned) -> Result<ReserveReport> {
    if (!abandoned) return abandoned.error();
    report.unit = *abandoned;
    return report;
  };
  if (ids.empty()) return abandon_with(unit->abandon());

  const auto all_exist = [&] {
    for (ReserveOutcome& outcome : report.outcomes) {
      if (outcome.status != ReserveStatus::kReserved) continue;
      outcome = ReserveOutcome{ReserveStatus::kExists, {}};
    }
  };
  // An INSERT would wait for a row that somebody else holds; a plain read does not, and finds nearly every clash.
  Result<Counters> existing = read_rows(connection_, ids, "");
  if (!existing) return existing.error();
  if (!existing->empty()) {
    all_exist();
    return abandon_with(unit->abandon());
  }
  Result<std::int64_t> affected = connection_.exec(kInsert + inserted);
  if (!affected && connection_.last_error() == kDuplicateKey) {
    all_exist();
    return abandon_with(unit->report());
  }
  if (!affected) return affected.error();
  if (*affected != static_cast<std::int64_t>(ids.size())) return miscounted(*affected, ids.size());
  Result<UnitReport> finished = unit->finish(true);
  if (!finished) return finished.error();
  report.unit = *finished;
  return report;
}

Result<ReserveReport> MysqlCounterStore::reserve(const UnitHead& head,
                                                 std::span<const ReserveRequest> requests) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  ReserveReport report;
  report.outcomes.resize(requests.size());
  std::vector<std::string> ids;
  for (const ReserveRequest& request : requests) {
    if (unit->bump_of(request.slot)) ids.push_back(request.conv_id);
  }
  Result<Counters> locked = read_rows(connection_, ids, kSkipLocked);
  if (!locked) return locked.error();
  std::erase_if(ids, [&](const std::string& id) { return locked->contains(id); });
  Result<Counters> present = read_rows(connection_, ids, "");
  if (!present) return present.error();

  std::string written;
  std::size_t writes = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ReserveRequest& request = requests[i];
    ReserveOutcome& outcome = report.outcomes[i];
    const std::optional<std::int64_t> bump = unit->bump_of(request.slot);
    const auto found = locked->find(request.conv_id);
    if (!bump) {
      outcome.status = ReserveStatus::kSlotLost;
      continue;
    }
    if (found == locked->end()) {
      outcome.status =
          present->contains(request.conv_id) ? ReserveStatus::kLocked : ReserveStatus::kMissing;
      continue;
    }
    const CounterRow& row = found->second;
    const bool in_range = row.max_seq >= 0 && row.max_seq <= kMaxSeq;
    const auto plan = in_range ? plan_reservation(row, *bump, request.ask) : std::nullopt;
    outcome.status = plan ? ReserveStatus::kReserved : ReserveStatus::kExhausted;
    if (!plan) continue;
    outcome.plan = *plan;
    if (!written.empty()) written += ',';
    written += values(request.conv_id, request.slot, plan->interval.end - row.max_seq, "NULL",
                      plan->issued_seq, std::to_string(std::max(*bump, row.bump_seen)));
    ++writes;
  }
  if (writes == 0) {
    Result<UnitReport> abandoned = unit->abandon();
    if (!abandoned) return abandoned.error();
    report.unit = *abandoned;
    return report;
  }
  Result<std::int64_t> affected = connection_.exec(
      kInsert + written +
      " ON DUPLICATE KEY UPDATE max_seq = max_seq + VALUES(max_seq), cur_seq = NULL, "
      "issued_seq = VALUES(issued_seq), bump_seen = VALUES(bump_seen)");
  if (!affected) return affected.error();
  if (*affected != static_cast<std::int64_t>(2 * writes)) return miscounted(*affected, writes);
  Result<UnitReport> finished = unit->finish(true);
  if (!finished) return finished.error();
  report.unit = *finished;
  return report;
}

Result<ReleaseReport> MysqlCounterStore::release(const UnitHead& head,
                                                 std::span<const Release> releases) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  std::vector<std::string> ids;
  for (const Release& release : releases) {
    if (unit->bump_of(release.slot)) ids.push_back(release.conv_id);
  }
  Result<Counters> rows = read_rows(connection_, ids, kSkipLocked);
  if (!rows) return rows.error();
  std::string written;
  std::size_t writes = 0;
  for (const Release& release : releases) {
    const auto found = rows->find(release.conv_id);
    if (found == rows->end() || !unit->bump_of(release.slot)) continue;
    const CounterRow& row = found->second;
    if (row.max_seq != release.end || row.cur_seq || release.cur > release.end) continue;
    if (!written.empty()) written += ',';
    written += values(release.conv_id, release.slot, release.end, std::to_string(release.cur),
                      release.cur, "0");
    ++writes;
  }
  if (writes > 0) {
    Result<std::int64_t> affected =
        connection_.exec(kInsert + written + " ON DUPLICATE KEY UPDATE cur_seq = VALUES(cur_seq)");
    if (!affected) return affected.error();
    if (*affected != static_cast<std::int64_t>(2 * writes)) return miscounted(*affected, writes);
  }
  Result<UnitReport> finished = unit->finish(true);
  if (!finished) return finished.error();
  return ReleaseReport{*finished, static_cast<std::int64_t>(writes)};
}

Result<UnitReport> MysqlCounterStore::lift(const UnitHead& head, std::span<const Lift> lifts) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  if (!lifts.empty()) {
    const std::string written = joined(lifts, [](const Lift& lift) {
      const std::int64_t end = std::clamp<std::int64_t>(lift.end, 0, kMaxSeq);
      return values(lift.conv_id, lift.slot, end, "NULL", end,
                    lift.exact ? bump_of_slot(lift.slot) : "0");
    });
    Result<std::int64_t> affected = connection_.exec(
        kInsert + written +
        " ON DUPLICATE KEY UPDATE max_seq = GREATEST(max_seq, VALUES(max_seq)), cur_seq = NULL, "
        "issued_seq = GREATEST(issued_seq, VALUES(issued_seq)), "
        "bump_seen = GREATEST(bump_seen, VALUES(bump_seen))");
    if (!affected) return affected.error();
  }
  return unit->finish(true);
}

}  // namespace seqd::mysql
