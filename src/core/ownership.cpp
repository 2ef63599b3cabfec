#include "core/ownership.h"

namespace seqd {

OwnerVerdict judge_owner(const StampBelief& belief, const std::optional<OwnerRow>& seen) {
  if (!seen || seen->fenced) return OwnerVerdict::kFenced;
  if (seen->beat < belief.known.beat || seen->resv_no < belief.known.resv_no) {
    return OwnerVerdict::kLostCommits;
  }
  if (seen->beat > belief.known.beat + belief.beat_slack ||
      seen->resv_no > belief.known.resv_no + belief.resv_slack) {
    return OwnerVerdict::kCloned;
  }
  return OwnerVerdict::kOurs;
}

SlotVerdict judge_slot(std::string_view owner, const SlotBelief& belief,
                       const std::optional<SlotRow>& seen) {
  if (!seen || seen->epoch < belief.epoch) return SlotVerdict::kLostCommits;
  if (seen->epoch > belief.epoch || seen->owner != owner) return SlotVerdict::kLost;
  if (seen->bump < belief.bump) return SlotVerdict::kLostCommits;
  return seen->bump == belief.bump ? SlotVerdict::kOurs : SlotVerdict::kLost;
}

Result<Done> admit_owner(const UnitHead& head, const std::optional<OwnerRow>& seen) {
  switch (judge_owner(head.belief, seen)) {
    case OwnerVerdict::kOurs:
      return Done{};
    case OwnerVerdict::kFenced:
      return Error{Code::kFenced, "the owner " + head.owner + " is fenced or gone"};
    case OwnerVerdict::kCloned:
      return Error{Code::kFenced, "the owner " + head.owner + " is written by another process too"};
    case OwnerVerdict::kLostCommits:
      break;
  }
  return Error{Code::kLostCommits, "the store lost commits: the owner " + head.owner +
                                       " stands at beat " + std::to_string(seen->beat) + ", and " +
                                       std::to_string(head.belief.known.beat) + " was confirmed"};
}

Result<AdmittedSlots> admit_slots(const UnitHead& head, std::span<const SlotRow> seen) {
  std::map<Slot, SlotRow> rows;
  for (const SlotRow& row : seen) rows[row.slot] = row;
  AdmittedSlots admitted;
  for (const SlotBelief& belief : head.slots) {
    std::optional<SlotRow> row;
    if (const auto found = rows.find(belief.slot); found != rows.end()) row = found->second;
    switch (judge_slot(head.owner, belief, row)) {
      case SlotVerdict::kOurs:
        admitted.ours[belief.slot] = belief.bump;
        break;
      case SlotVerdict::kLost:
        admitted.lost.push_back(belief.slot);
        break;
      case SlotVerdict::kLostCommits:
        return Error{Code::kLostCommits, "the store lost commits: slot " +
                                             std::to_string(belief.slot) +
                                             " is gone or stands below what was confirmed"};
    }
  }
  return admitted;
}

}  // namespace seqd
