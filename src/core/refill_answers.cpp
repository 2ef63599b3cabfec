// What Refill does with the outcome of a unit, good or bad.
#include <utility>

#include "core/refill.h"

namespace seqd {
namespace {

constexpr Duration kLockedRetry = std::chrono::milliseconds(20);
constexpr int kTries = 2;
constexpr int kLookUps = 5;

UnitResult result_of(Code code) {
  switch (code) {
    case Code::kUnknown:
      return UnitResult::kUnknown;
    case Code::kFenced:
      return UnitResult::kFenced;
    case Code::kLostCommits:
      return UnitResult::kLostCommits;
    case Code::kRefused:
    case Code::kMismatch:
      return UnitResult::kRefused;
    case Code::kBusy:
      return UnitResult::kBusy;
    case Code::kUnavailable:
      break;
  }
  return UnitResult::kUnavailable;
}

}  // namespace

void Refill::reserved(const UnitTicket& ticket, std::vector<Want> wants, bool creating,
                      BootTime sent, Result<ReserveReport> reply) {
  if (took_) took_(clock_.boot_now() - sent);
  if (!reply.ok()) {
    const Error& error = reply.error();
    unit_failed(ticket, error);
    if (error.code == Code::kUnknown) {
      // DESIGN S1: never assume either way. The numbers are a gap at most, and a created row must be looked up.
      for (Want& w : wants) {
        stats_.gap(GapReason::kUnknownCommit, w.ask.numbers);
        if (creating) w.row_known = false;
      }
    }
    const bool slow =
        clock_.boot_now() - sent >= tuning_.with([](const Tuning& t) { return t.patience; });
    return retry_or_fail(std::move(wants), error, slow);
  }

  const bool ours = unit_confirmed(ticket, reply->unit);
  std::vector<Want> locked;
  bool rolled_back = false;
  for (std::size_t i = 0; i < wants.size(); ++i) {
    Want& w = wants[i];
    const ReserveOutcome& outcome = reply->outcomes[i];
    switch (outcome.status) {
      case ReserveStatus::kReserved:
        Stats::add(stats_.reserved_intervals);
        Stats::add(stats_.reserved_numbers, outcome.plan.interval.end - outcome.plan.interval.lo);
        stats_.gap(GapReason::kCrash, outcome.plan.crash_gap);
        stats_.gap(GapReason::kLift, outcome.plan.lift_gap);
        if (sequencer_.adopt(w, outcome.plan) == Adoption::kBelow) rolled_back = true;
        break;
      case ReserveStatus::kLocked:
        locked.push_back(std::move(w));
        break;
      case ReserveStatus::kMissing:
        // The row of an interval that we hold is gone: the store forgot it (S7, H45).
        if (w.row_known) {
          rolled_back = true;
          sequencer_.fail(w, Refusal::kStoreDown);
          break;
        }
        [[fallthrough]];
      case ReserveStatus::kExists:
        if (++w.failures < kLookUps) {
          again(std::move(w));
        } else {
          give_up({std::move(w)}, Error{Code::kUnavailable,
                                        "the row of a conversation can neither be found nor "
                                        "created; is somebody else writing seq_counter?"});
        }
        break;
      case ReserveStatus::kSlotLost:
        sequencer_.fail(w, Refusal::kNotOwner);
        break;
      case ReserveStatus::kExhausted:
        sequencer_.fail(w, Refusal::kExhausted);
        break;
    }
  }
  if (!locked.empty()) later(std::move(locked));
  if (rolled_back && ours && lease_.end(ticket.head.owner)) {
    news_.lost_commits(ticket.head.owner);
  }
}

bool Refill::unit_confirmed(const UnitTicket& ticket, const UnitReport& report) {
  Stats::add(stats_.units[static_cast<std::size_t>(UnitResult::kOk)]);
  store_answered();
  lease_.lost(report.lost);
  if (lease_.unit_confirmed(ticket, report)) return true;
  if (lease_.end(ticket.head.owner)) news_.fenced(ticket.head.owner);
  return false;
}

void Refill::store_answered() {
  if (situation_.answered(Situation::Link::kCounters)) {
    events_.on_event(Severity::kInfo, "store.up", "the store reserves again");
  }
}

// While reservations are refused nobody would notice that they are possible again.
void Refill::probe() {
  executor_.after(Lane::kCounters, situation_.backoff(), [this] {
    auto ids = std::make_shared<std::vector<std::string>>(1, "seqd:probe");
    call(
        executor_, Lane::kCounters, [this, ids] { return counters_.look_up(*ids); },
        [this](const Result<std::vector<FoundCounter>>& reply) {
          if (!reply.ok()) {
            situation_.failed(Situation::Link::kCounters, reply.error().message, clock_.boot_now());
            return probe();
          }
          probing_ = false;
          store_answered();
        });
  });
}

void Refill::unit_failed(const UnitTicket& ticket, const Error& error) {
  Stats::add(stats_.units[static_cast<std::size_t>(result_of(error.code))]);
  if (error.code == Code::kUnknown) {
    lease_.unit_unknown(ticket);
  } else {
    lease_.unit_not_applied(ticket);
  }
  if (error.code == Code::kFenced && lease_.end(ticket.head.owner)) {
    news_.fenced(ticket.head.owner);
  }
  if (error.code == Code::kLostCommits && lease_.end(ticket.head.owner)) {
    news_.lost_commits(ticket.head.owner);
  }
}

void Refill::retry_or_fail(std::vector<Want> wants, const Error& error, bool slow) {
  if (error.code == Code::kFenced || error.code == Code::kLostCommits) {
    for (const Want& w : wants) sequencer_.fail(w, Refusal::kNotOwner);
    return;
  }
  if (error.code == Code::kBusy)
    return later(std::move(wants));  // until it fits, or the requests' deadline
  std::vector<Want> hopeless;
  for (Want& w : wants) {
    if (++w.failures < kTries && !slow && error.code != Code::kRefused) {
      again(std::move(w));
    } else {
      hopeless.push_back(std::move(w));
    }
  }
  if (!hopeless.empty()) give_up(hopeless, error);
}

// DESIGN C5: the store's last contact failed, so whoever has no number is refused now rather than at its deadline.
void Refill::give_up(const std::vector<Want>& wants, const Error& error) {
  if (situation_.failed(Situation::Link::kCounters, error.message, clock_.boot_now())) {
    events_.on_event(Severity::kError, "store.down", error.message);
  }
  for (const Want& w : wants) sequencer_.fail(w, Refusal::kStoreDown);
  for (const Want& w : demand_.take_all_wants()) sequencer_.fail(w, Refusal::kStoreDown);
  if (!std::exchange(probing_, true)) probe();
}

// DESIGN O3. What comes too late for a unit is tried again when the lease was renewed.
bool Refill::in_time(std::vector<Want>& wants) {
  if (lease_.time_for_unit(clock_.boot_now())) return true;
  later(std::exchange(wants, {}));
  return false;
}

void Refill::later(std::vector<Want> wants) {
  executor_.after(Lane::kCounters, kLockedRetry,
                  [this, wants = std::make_shared<std::vector<Want>>(std::move(wants))] {
                    bool wake = false;
                    for (Want& w : *wants) wake = demand_.want(std::move(w)) || wake;
                    if (wake) demand_.wake();
                  });
}

// Back into the queue of the round that is running: nobody needs to be woken.
void Refill::again(Want want) { (void)demand_.want(std::move(want)); }

void Refill::ask_history(std::vector<Want> wants) {
  auto ids = std::make_shared<std::vector<std::string>>();
  for (const Want& w : wants) ids->push_back(w.conv_id);
  call(
      executor_, Lane::kHistory, [this, ids] { return history_->max_seq(*ids); },
      [this, wants = std::move(wants)](Result<std::vector<std::int64_t>> reply) mutable {
        history_answered(std::move(wants), std::move(reply));
      });
}

void Refill::history_answered(std::vector<Want> wants, Result<std::vector<std::int64_t>> reply) {
  if (!reply.ok() && !tuning_.with([](const Tuning& t) { return t.recovery.assume_new; })) {
    events_.on_event(Severity::kError, "recovery.history_unreadable", reply.error().message);
    for (const Want& w : wants) sequencer_.fail(w, Refusal::kHistoryDown);
    return;
  }
  bool wake = false;
  for (std::size_t i = 0; i < wants.size(); ++i) {
    wants[i].history_max = reply.ok() ? (*reply)[i] : 0;
    wake = demand_.want(std::move(wants[i])) || wake;
  }
  if (wake) demand_.wake();
}

}  // namespace seqd
