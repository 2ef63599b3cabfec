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

}  // namespace seqd
