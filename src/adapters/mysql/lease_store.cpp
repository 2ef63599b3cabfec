#include "adapters/mysql/lease_store.h"

#include <utility>

#include "adapters/mysql/errors.h"
#include "adapters/mysql/schema.h"
#include "adapters/mysql/sql_text.h"
#include "adapters/mysql/unit.h"

namespace seqd::mysql {
namespace {

/// Every daemon on this host that means the same store finds the same file. (FNV-1a: std::hash may differ by build.)
std::string lock_path(const StoreSettings& store) {
  const std::string name = store.host + ":" + std::to_string(store.port) + "/" + store.schema;
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return "/var/tmp/seqd-sole-" + std::to_string(hash) + ".lock";
}

std::string slot_list(std::span<const Slot> slots) {
  return "(" + joined(slots, [](Slot slot) { return std::to_string(slot); }) + ")";
}

}  // namespace

MysqlLeaseStore::MysqlLeaseStore(const Access& access, std::string key_prefix)
    : connection_(access, Connection::Use::kWrite),
      key_prefix_(std::move(key_prefix)),
      lock_file_(lock_path(access.store)) {}

Result<StoreCheck> MysqlLeaseStore::prepare() { return prepare_schema(connection_, key_prefix_); }

Result<Done> MysqlLeaseStore::enrol(const OwnerRow& row) {
  Result<std::int64_t> inserted = connection_.write(
      "INSERT INTO seq_owner (owner, announce, host, beat, resv_no, ttl_ms, fenced, sole) VALUES "
      "(" +
      quoted(row.owner) + "," + quoted(row.announce) + "," + quoted(row.host) + ",0,0," +
      std::to_string(row.ttl_ms) + ",0," + (row.sole ? "1" : "0") + ")");
  if (!inserted && connection_.last_error() == kDuplicateKey) {
    return Error{Code::kBusy, "the owner " + row.owner + " is enrolled already"};
  }
  if (!inserted) return inserted.error();
  clear_away_old_rows();
  return Done{};
}

void MysqlLeaseStore::clear_away_old_rows() {
  const std::string old =
      "(fenced = 1 OR updated_at < NOW() - INTERVAL 1 DAY) AND owner NOT IN "
      "(SELECT owner FROM seq_slot WHERE owner IS NOT NULL)";
  // A DELETE with this condition would wait for every live daemon's locked row; by key it waits for none.
  Result<Rows> rows = connection_.read("SELECT owner FROM seq_owner WHERE " + old + " LIMIT 100");
  if (!rows) return;
  for (const Row& row : *rows) {
    if (!connection_.write("DELETE FROM seq_owner WHERE owner = " + quoted(row[0].value_or("")) +
                           " AND (fenced = 1 OR updated_at < NOW() - INTERVAL 1 DAY)")) {
      return;  // the next enrolment tries again
    }
  }
}

Result<std::vector<SlotRow>> MysqlLeaseStore::slots_where(const std::string& condition) {
  Result<Rows> rows = connection_.query("SELECT slot, owner, epoch, bump FROM seq_slot" +
                                        condition + " ORDER BY slot");
  if (!rows) return rows.error();
  std::vector<SlotRow> slots;
  slots.reserve(rows->size());
  for (const Row& row : *rows) {
    slots.push_back(SlotRow{static_cast<Slot>(number(row[0])), row[1].value_or(""), number(row[2]),
                            number(row[3])});
  }
  return slots;
}

Result<Survey> MysqlLeaseStore::survey() {
  Result<Rows> rows = connection_.read(
      "SELECT owner, announce, host, beat, resv_no, ttl_ms, fenced, sole FROM seq_owner "
      "ORDER BY owner");
  if (!rows) return rows.error();
  Survey survey;
  for (const Row& row : *rows) {
    OwnerRow owner;
    owner.owner = row[0].value_or("");
    owner.announce = row[1].value_or("");
    owner.host = row[2].value_or("");
    owner.beat = number(row[3]);
    owner.resv_no = number(row[4]);
    owner.ttl_ms = number(row[5]);
    owner.fenced = number(row[6]) != 0;
    owner.sole = number(row[7]) != 0;
    survey.owners.push_back(std::move(owner));
  }
  Result<std::vector<SlotRow>> slots = slots_where("");
  if (!slots) return slots.error();
  survey.slots = std::move(*slots);
  return survey;
}

Result<UnitReport> MysqlLeaseStore::renew(const UnitHead& head) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  return unit->finish(false);
}

Result<ClaimReport> MysqlLeaseStore::claim(const UnitHead& head, std::int64_t least_epoch) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  if (Result<Done> done = put_back_slots(connection_, least_epoch); !done) return done.error();
  Result<std::int64_t> taken =
      connection_.exec("UPDATE seq_slot SET owner = " + quoted(head.owner) +
                       ", epoch = epoch + 1 WHERE owner IS NULL");
  if (!taken) return taken.error();
  Result<std::vector<SlotRow>> ours = slots_where(" WHERE owner = " + quoted(head.owner));
  if (!ours) return ours.error();
  Result<UnitReport> finished = unit->finish(false);
  if (!finished) return finished.error();
  return ClaimReport{*finished, std::move(*ours)};
}

Result<ClaimReport> MysqlLeaseStore::take_over(const UnitHead& head, const OwnerRow& victim) {
  if (victim.owner.empty() || victim.owner == head.owner) {
    return Error{Code::kBusy, "a takeover needs another owner"};
  }
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  Result<Rows> row = connection_.query(
      "SELECT beat, fenced FROM seq_owner WHERE owner = " + quoted(victim.owner) + " FOR UPDATE");
  if (!row) return row.error();
  if (!row->empty() && number(row->front()[1]) == 0) {
    if (number(row->front()[0]) != victim.beat) {
      if (Result<UnitReport> undone = unit->abandon(); !undone) return undone.error();
      return Error{Code::kBusy, "the owner " + victim.owner + " lives: its beat moved"};
    }
    Result<std::int64_t> fenced =
        connection_.exec("UPDATE seq_owner SET fenced = 1 WHERE owner = " + quoted(victim.owner) +
                         " AND fenced = 0");
    if (!fenced) return fenced.error();
    if (*fenced != 1) {
      return Error{Code::kBusy, "the owner " + victim.owner + " could not be fenced"};
    }
  }
  Result<std::int64_t> taken =
      connection_.exec("UPDATE seq_slot SET owner = " + quoted(head.owner) +
                       ", epoch = epoch + 1 WHERE owner = " + quoted(victim.owner));
  if (!taken) return taken.error();
  Result<std::vector<SlotRow>> ours = slots_where(" WHERE owner = " + quoted(head.owner));
  if (!ours) return ours.error();
  Result<UnitReport> finished = unit->finish(false);
  if (!finished) return finished.error();
  return ClaimReport{*finished, std::move(*ours)};
}

Result<UnitReport> MysqlLeaseStore::give(const UnitHead& head, std::span<const Slot> slots) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  if (!slots.empty()) {
    Result<std::int64_t> given =
        connection_.exec("UPDATE seq_slot SET owner = NULL WHERE owner = " + quoted(head.owner) +
                         " AND slot IN " + slot_list(slots));
    if (!given) return given.error();
  }
  return unit->finish(false);
}

Result<UnitReport> MysqlLeaseStore::bump(const UnitHead& head, const SlotBump& order) {
  Result<Unit> unit = Unit::begin(connection_, head);
  if (!unit) return unit.error();
  if (Result<Done> done = put_back_slots(connection_, order.least_epoch); !done) {
    return done.error();
  }
  if (!order.slots.empty()) {
    std::string free = "(owner IS NULL";
    for (const std::string& name : order.former) free += " OR owner = " + quoted(name);
    free += ")";
    // epoch before owner: the server assigns from left to right, and reads what it has assigned.
    Result<std::int64_t> bumped = connection_.exec(
        "UPDATE seq_slot SET bump = GREATEST(bump, " + std::to_string(order.least_bump) + ") + " +
        std::to_string(order.by) + ", epoch = IF(" + free + ", GREATEST(epoch, " +
        std::to_string(order.least_epoch) + ") + 1, epoch), owner = IF(" + free +
        ", NULL, owner) WHERE slot IN " + slot_list(order.slots));
    if (!bumped) return bumped.error();
  }
  return unit->finish(false);
}

Result<Done> MysqlLeaseStore::resign(const std::string& owner) {
  if (Result<Done> begun = connection_.begin(); !begun) return begun;
  Result<Rows> row =
      connection_.query("SELECT 1 FROM seq_owner WHERE owner = " + quoted(owner) + " FOR UPDATE");
  if (!row) return row.error();
  for (const char* statement : {"UPDATE seq_slot SET owner = NULL WHERE owner = ",
                                "DELETE FROM seq_owner WHERE owner = "}) {
    Result<std::int64_t> done = connection_.exec(statement + quoted(owner));
    if (!done) return done.error();
  }
  return connection_.send_commit();
}

Result<bool> MysqlLeaseStore::hold_sole_lock() { return lock_file_.hold(); }

std::string MysqlLeaseStore::sole_lock_id() { return lock_file_.id(); }

}  // namespace seqd::mysql
