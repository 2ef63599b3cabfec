#include "adapters/mysql/unit.h"

#include <utility>

#include "adapters/mysql/sql_text.h"

namespace seqd::mysql {
namespace {

/// Above this many slots a range is shorter than a list, and no slower over 1,024 rows.
constexpr std::size_t kListedSlots = 64;

std::string slots_sql(const std::vector<SlotBelief>& slots) {
  const std::string select = "SELECT slot, owner, epoch, bump FROM seq_slot WHERE slot ";
  if (slots.size() > kListedSlots) {
    return select + "BETWEEN " + std::to_string(slots.front().slot) + " AND " +
           std::to_string(slots.back().slot);
  }
  return select + "IN (" +
         joined(slots, [](const SlotBelief& belief) { return std::to_string(belief.slot); }) + ")";
}

}  // namespace

Result<Unit> Unit::begin(Connection& connection, const UnitHead& head) {
  if (Result<Done> begun = connection.begin(); !begun) return begun.error();
  Unit unit(connection, head);
  Result<Done> judged = unit.judge(head);
  if (judged) judged = unit.judge_slots(head);
  if (judged) return unit;
  if (judged.error().code == Code::kFenced || judged.error().code == Code::kLostCommits) {
    (void)unit.abandon();
  }
  return judged.error();
}

Unit::Unit(Unit&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)),
      owner_(std::move(other.owner_)),
      report_(std::move(other.report_)),
      ours_(std::move(other.ours_)) {}

Unit::~Unit() {
  if (connection_ != nullptr) connection_->close();
}

Result<Done> Unit::judge(const UnitHead& head) {
  Result<Rows> rows = connection_->query(
      "SELECT beat, resv_no, fenced, @@global.read_only FROM seq_owner WHERE owner = " +
      quoted(head.owner) + " FOR UPDATE");
  if (!rows) return rows.error();
  std::optional<OwnerRow> seen;
  if (!rows->empty()) {
    const Row& row = rows->front();
    // A server may be made read-only under an open connection, and some accounts may write even then (H36).
    if (const std::string read_only = row[3].value_or(""); read_only != "0" && read_only != "OFF") {
      return Error{Code::kUnavailable, "MySQL is read-only (read_only=" + read_only + ")"};
    }
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
  Result<Rows> rows = connection_->query(slots_sql(head.slots));
  if (!rows) return rows.error();
  std::vector<SlotRow> seen;
  for (const Row& row : *rows) {
    seen.push_back(SlotRow{static_cast<Slot>(number(row[0])), row[1].value_or(""), number(row[2]),
                           number(row[3])});
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
  Result<std::int64_t> stamped =
      connection_->exec(std::string("UPDATE seq_owner SET beat = beat + 1") +
                        (reservation ? ", resv_no = resv_no + 1" : "") +
                        " WHERE owner = " + quoted(owner_) + " AND fenced = 0");
  if (!stamped) return stamped.error();
  if (*stamped != 1) {
    return Error{Code::kBusy, "the locked row of " + owner_ + " could not be stamped"};
  }
  Result<Done> committed = connection_->send_commit();
  connection_ = nullptr;
  if (!committed) return committed.error();
  report_.stamped = true;
  report_.stamp.beat += 1;
  if (reservation) report_.stamp.resv_no += 1;
  return report_;
}

Result<UnitReport> Unit::abandon() {
  Result<Done> undone = std::exchange(connection_, nullptr)->send_rollback();
  if (!undone) return undone.error();
  return report_;
}

}  // namespace seqd::mysql
