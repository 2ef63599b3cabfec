#include "adapters/sqlite/lease_store.h"

#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/unit.h"

namespace seqd::sqlite {
namespace {

std::vector<SlotRow> slot_rows(const Rows& rows) {
  std::vector<SlotRow> slots;
  slots.reserve(rows.size());
  for (const Row& row : rows) {
    slots.push_back(
        SlotRow{static_cast<Slot>(number(row[0])), bytes(row[1]), number(row[2]), number(row[3])});
  }
  return slots;
}

}  // namespace

Result<StoreCheck> SqliteLeaseStore::prepare() { return prepare_schema(database_, key_prefix_); }

Result<Done> SqliteLeaseStore::enrol(const OwnerRow& row) {
  if (Result<Done> begun = database_.begin(); !begun) return begun;
  Result<Rows> present = database_.run("SELECT 1 FROM seq_owner WHERE owner = ?1", {row.owner});
  if (!present) return present.error();
  if (!present->empty()) {
    (void)database_.send_rollback();
    return Error{Code::kBusy, "the owner " + row.owner + " is enrolled already"};
  }
  Result<Rows> done = database_.run(
      "DELETE FROM seq_owner WHERE (fenced = 1 OR updated_at < unixepoch() - 86400) AND owner NOT "
      "IN (SELECT owner FROM seq_slot WHERE owner IS NOT NULL)");
  if (!done) return done.error();
  done = database_.run(
      "INSERT INTO seq_owner (owner, announce, host, beat, resv_no, ttl_ms, fenced, sole, "
      "updated_at) "
      "VALUES (?1, ?2, ?3, 0, 0, ?5, 0, ?4, unixepoch())",
      {row.owner, row.announce, row.host, std::int64_t{row.sole ? 1 : 0}, row.ttl_ms});
  if (!done) return done.error();
  return database_.send_commit();
}

Result<std::vector<SlotRow>> SqliteLeaseStore::slots_of(const std::string& owner) {
  Result<Rows> rows = database_.run(
      "SELECT slot, owner, epoch, bump FROM seq_slot WHERE owner = ?1 ORDER BY slot", {owner});
  if (!rows) return rows.error();
  return slot_rows(*rows);
}

Result<Survey> SqliteLeaseStore::survey() {
  if (Result<Done> opened = database_.open(); !opened) return opened.error();
  Result<Rows> owners = database_.run(
      "SELECT owner, announce, host, beat, resv_no, ttl_ms, fenced, sole FROM seq_owner "
      "ORDER BY owner");
  if (!owners) return owners.error();
  Result<Rows> slots = database_.run("SELECT slot, owner, epoch, bump FROM seq_slot ORDER BY slot");
  if (!slots) return slots.error();
  Survey survey;
  survey.slots = slot_rows(*slots);
  for (const Row& row : *owners) {
    OwnerRow owner;
    owner.owner = bytes(row[0]);
    owner.announce = bytes(row[1]);
    owner.host = bytes(row[2]);
    owner.beat = number(row[3]);
    owner.resv_no = number(row[4]);
    owner.ttl_ms = number(row[5]);
    owner.fenced = number(row[6]) != 0;
    owner.sole = number(row[7]) != 0;
    survey.owners.push_back(std::move(owner));
  }
  return survey;
}

Result<UnitReport> SqliteLeaseStore::renew(const UnitHead& head) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  return unit->finish(false);
}

Result<ClaimReport> SqliteLeaseStore::claim(const UnitHead& head, std::int64_t least_epoch) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  if (Result<Done> done = put_back_slots(database_, least_epoch); !done) return done.error();
  Result<Rows> taken = database_.run(
      "UPDATE seq_slot SET owner = ?1, epoch = epoch + 1 WHERE owner IS NULL", {head.owner});
  if (!taken) return taken.error();
  Result<std::vector<SlotRow>> ours = slots_of(head.owner);
  if (!ours) return ours.error();
  Result<UnitReport> finished = unit->finish(false);
  if (!finished) return finished.error();
  return ClaimReport{*finished, std::move(*ours)};
}

Result<ClaimReport> SqliteLeaseStore::take_over(const UnitHead& head, const OwnerRow& victim) {
  if (victim.owner.empty() || victim.owner == head.owner) {
    return Error{Code::kBusy, "a takeover needs another owner"};
  }
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  Result<Rows> row =
      database_.run("SELECT beat, fenced FROM seq_owner WHERE owner = ?1", {victim.owner});
  if (!row) return row.error();
  if (!row->empty() && number(row->front()[1]) == 0) {
    if (number(row->front()[0]) != victim.beat) {
      if (Result<UnitReport> undone = unit->abandon(); !undone) return undone.error();
      return Error{Code::kBusy, "the owner " + victim.owner + " lives: its beat moved"};
    }
    Result<Rows> fenced =
        database_.run("UPDATE seq_owner SET fenced = 1 WHERE owner = ?1", {victim.owner});
    if (!fenced) return fenced.error();
  }
  Result<Rows> taken =
      database_.run("UPDATE seq_slot SET owner = ?1, epoch = epoch + 1 WHERE owner = ?2",
                    {head.owner, victim.owner});
  if (!taken) return taken.error();
  Result<std::vector<SlotRow>> ours = slots_of(head.owner);
  if (!ours) return ours.error();
  Result<UnitReport> finished = unit->finish(false);
  if (!finished) return finished.error();
  return ClaimReport{*finished, std::move(*ours)};
}

Result<UnitReport> SqliteLeaseStore::give(const UnitHead& head, std::span<const Slot> slots) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  for (const Slot slot : slots) {
    Result<Rows> given =
        database_.run("UPDATE seq_slot SET owner = NULL WHERE slot = ?1 AND owner = ?2",
                      {std::int64_t{slot}, head.owner});
    if (!given) return given.error();
  }
  return unit->finish(false);
}

Result<UnitReport> SqliteLeaseStore::bump(const UnitHead& head, const SlotBump& order) {
  Result<Unit> unit = Unit::begin(database_, head);
  if (!unit) return unit.error();
  if (Result<Done> done = put_back_slots(database_, order.least_epoch); !done) return done.error();
  for (const std::string& name : order.former) {
    Result<Rows> freed = database_.run("UPDATE seq_slot SET owner = NULL WHERE owner = ?1", {name});
    if (!freed) return freed.error();
  }
  for (const Slot slot : order.slots) {
    Result<Rows> bumped = database_.run(
        "UPDATE seq_slot SET bump = MAX(bump, ?3) + ?2, "
        "epoch = CASE WHEN owner IS NULL THEN MAX(epoch, ?4) + 1 ELSE epoch END WHERE slot = ?1",
        {std::int64_t{slot}, order.by, order.least_bump, order.least_epoch});
    if (!bumped) return bumped.error();
  }
  return unit->finish(false);
}

Result<Done> SqliteLeaseStore::resign(const std::string& owner) {
  if (Result<Done> begun = database_.begin(); !begun) return begun;
  Result<Rows> given = database_.run("UPDATE seq_slot SET owner = NULL WHERE owner = ?1", {owner});
  if (!given) return given.error();
  Result<Rows> deleted = database_.run("DELETE FROM seq_owner WHERE owner = ?1", {owner});
  if (!deleted) return deleted.error();
  return database_.send_commit();
}

}  // namespace seqd::sqlite
