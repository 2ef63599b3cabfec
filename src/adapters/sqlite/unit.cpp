#include "adapters/sqlite/unit.h"

#include <utility>

namespace seqd::sqlite {

Result<Unit> Unit::begin(Database& database, const UnitHead& head) {
  if (Result<Done> begun = database.begin(); !begun) return begun.error();
  Unit unit(database, head);
  Result<Done> judged = unit.judge(head);
  if (judged) judged = unit.judge_slots(head);
  if (judged) return unit;
  if (judged.error().code == Code::kFenced || judged.error().code == Code::kLostCommits) {
    (void)unit.abandon();
  }
  return judged.error();
}

Unit::Unit(Unit&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)),
      owner_(std::move(other.owner_)),
      report_(std::move(other.report_)),
      ours_(std::move(other.ours_)) {}

Unit::~Unit() {
  if (database_ != nullptr) database_->close();
}

Result<Done> Unit::judge(const UnitHead& head) {
  Result<Rows> rows =
      database_->run("SELECT beat, resv_no, fenced FROM seq_owner WHERE owner = ?1", {head.owner});
  if (!rows) return rows.error();
  std::optional<OwnerRow> seen;
  if (!rows->empty()) {
    const Row& row = rows->front();
    seen.emplace();
    seen->beat = number(row[0]);
    seen->resv_no = number(row[1]);
    seen->fenced = number(row[2]) != 0;
    report_.stamp = Stamp{seen->beat, seen->resv_no};
  }
  return admit_owner(head, seen);
}

Result<Done> Unit::judge_slots(const UnitHead& head) {
  if (head.slots.empty()) return Done{};
  Result<Rows> rows =
      database_->run("SELECT slot, owner, epoch, bump FROM seq_slot WHERE slot BETWEEN ?1 AND ?2",
                     {std::int64_t{head.slots.front().slot}, std::int64_t{head.slots.back().slot}});
  if (!rows) return rows.error();
  std::vector<SlotRow> seen;
  for (const Row& row : *rows) {
    seen.push_back(
        SlotRow{static_cast<Slot>(number(row[0])), bytes(row[1]), number(row[2]), number(row[3])});
  }
  Result<AdmittedSlots> admitted = admit_slots(head, seen);
  if (!admitted) return admitted.error();
  ours_ = std::move(admitted->ours);
  report_.lost = std::move(admitted->lost);
  return Done{};
}

std::optional<std::int64_t> Unit::bump_of(Slot slot) const {
  const auto found = ours_.find(slot);
  if (found == ours_.end()) return std::nullopt;
  return found->second;
}

Result<UnitReport> Unit::finish(bool reservation) {
  Result<Rows> stamped = database_->run(
      "UPDATE seq_owner SET beat = beat + 1, resv_no = resv_no + ?2, updated_at = unixepoch() "
      "WHERE owner = ?1 AND fenced = 0",
      {owner_, std::int64_t{reservation ? 1 : 0}});
  if (!stamped) return stamped.error();
  if (database_->changes() != 1) {
    return Error{Code::kBusy, "the row of " + owner_ + " could not be stamped"};
  }
  Result<Done> committed = std::exchange(database_, nullptr)->send_commit();
  if (!committed) return committed.error();
  report_.stamped = true;
  report_.stamp.beat += 1;
  if (reservation) report_.stamp.resv_no += 1;
  return report_;
}

Result<UnitReport> Unit::abandon() {
  Result<Done> undone = std::exchange(database_, nullptr)->send_rollback();
  if (!undone) return undone.error();
  return report_;
}

}  // namespace seqd::sqlite
