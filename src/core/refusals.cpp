// The sentences of refusals.
#include "core/sequencer.h"

namespace seqd {

std::string Sequencer::refusal_text(Refusal why) const {
  const Situation::Facts facts = situation_.facts();
  const auto because = [&](const std::string& text) {
    return facts.store_trouble().empty() ? text : text + ": " + facts.store_trouble();
  };
  switch (why) {
    case Refusal::kStarting:
      return because("the daemon is starting and has not reached its store yet; retry");
    case Refusal::kNotOwner:
      if (facts.owner_name.empty() || facts.owner_name == facts.own_name) {
        return "no daemon owns this conversation at the moment; retry";
      }
      return "this daemon stands by; the conversation is owned by " + facts.owner_name + " at " +
             facts.owner_address;
    case Refusal::kLeaseLapsed:
      return because("the owner lease could not be renewed in time; retry");
    case Refusal::kStoreDown:
      return because(
          "no numbers are left in memory for this conversation and the store does not answer; "
          "retry");
    case Refusal::kWaitExpired:
      return because("the store did not reserve numbers within " +
                     std::to_string(settings().wait_ms) + " ms; retry");
    case Refusal::kTooManyWaiting:
      return "too many requests wait for the store; retry";
    case Refusal::kIssuedUnknown:
      return "the last issued number of this conversation is not known since a crash; it is known "
             "again after the next INCR";
    case Refusal::kExhausted:
      return "this conversation is exhausted: it reached 9007199254740991 (2^53-1)";
    case Refusal::kBatchTooBig:
      return "fewer numbers are left in this conversation than the batch asks for (the end is "
             "9007199254740991)";
    case Refusal::kHistoryDown:
      return "this conversation is not known yet, and recovery.history_query could not be run to "
             "find its first free number; retry";
    case Refusal::kStopping:
      return "the daemon is shutting down; retry";
  }
  return "refused";
}

}  // namespace seqd
