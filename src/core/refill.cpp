#include "core/refill.h"

#include <algorithm>

namespace seqd {
namespace {

constexpr Duration kLockedRetry = std::chrono::milliseconds(20);
constexpr Duration kFailedRetry = std::chrono::milliseconds(100);

void sort_by_id(std::vector<Want>& wants) {
  std::sort(wants.begin(), wants.end(),
            [](const Want& a, const Want& b) { return a.conv_id < b.conv_id; });
}

std::vector<Slot> slots_of(const std::vector<Want>& wants) {
  std::vector<Slot> slots;
  slots.reserve(wants.size());
  for (const Want& w : wants) slots.push_back(w.slot);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

}  // namespace

Refill::Refill(Executor& executor, CounterStore& counters, HistorySource* history,
               const Clock& clock, SlotLease& lease, Situation& situation, Demand& demand,
               Sequencer& sequencer, Stats& stats, Events& events, const RecoverySettings& recovery,
               Duration patience)
    : executor_(executor),
      counters_(counters),
      history_(history),
      clock_(clock),
      lease_(lease),
      situation_(situation),
      demand_(demand),
      sequencer_(sequencer),
      stats_(stats),
      events_(events) {
  configure(recovery, patience);
}

void Refill::configure(const RecoverySettings& recovery, Duration patience) {
  tuning_.with([&](Tuning& t) { t = Tuning{recovery, patience}; });
}

void Refill::start(OwnershipNews news) {
  news_ = std::move(news);
  demand_.on_work([this] {
    executor_.submit(
        Lane::kCounters, [] {}, [this] { next_round(); });
  });
}

bool Refill::current(const Want& want) const { return lease_.grant_of(want.slot) == want.grant; }

void Refill::next_round() {
  DemandBatch batch = demand_.take();
  if (batch.empty()) return;
  drop_stale(batch);
  if (batch.empty()) return next_round();

  if (!lease_.time_for_unit(clock_.boot_now()) && !(batch.wants.empty() && batch.leaves.empty())) {
    // DESIGN O3: too late for a unit. The renewal will make room, or the waiting requests run into their deadline.
    put_back(std::move(batch));
    executor_.after(Lane::kCounters, kLockedRetry, [this] { next_round(); });
    return;
  }
  if (batch.leaves.empty()) return look_up(std::move(batch));
  std::vector<Leave> leaves = std::exchange(batch.leaves, {});
  release(std::move(leaves), std::move(batch));
}

// A want of an ended grant has a successor under the new one: only one of each conversation goes on (C1, C2).
void Refill::drop_stale(DemandBatch& batch) {
  std::vector<Want> wants;
  for (Want& w : batch.wants) {
    if (current(w)) {
      wants.push_back(std::move(w));
    } else {
      sequencer_.fail(w, Refusal::kNotOwner);
    }
  }
  batch.wants = std::move(wants);
  std::vector<Leave> leaves;
  for (Leave& l : batch.leaves) {
    if (lease_.grant_of(l.release.slot) == l.grant) {
      leaves.push_back(std::move(l));
    } else {
      stats_.gap(GapReason::kReleaseMissed, l.release.end - l.release.cur);
      demand_.settled(1);
    }
  }
  batch.leaves = std::move(leaves);
}

// Back into the queue of the round that is running: nobody needs to be woken.
void Refill::put_back(DemandBatch batch) {
  demand_.settled(batch.leaves.size());
  for (Leave& l : batch.leaves) (void)demand_.leave(std::move(l));
  for (Want& w : batch.wants) again(std::move(w));
  for (PeekAsk& p : batch.peeks) (void)demand_.peek(std::move(p));
}

void Refill::release(std::vector<Leave> leaves, DemandBatch rest) {
  std::sort(leaves.begin(), leaves.end(),
            [](const Leave& a, const Leave& b) { return a.release.conv_id < b.release.conv_id; });
  std::vector<Slot> slots;
  auto releases = std::make_shared<std::vector<Release>>();
  for (const Leave& l : leaves) {
    slots.push_back(l.release.slot);
    releases->push_back(l.release);
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  UnitTicket ticket = lease_.begin_unit(slots, true, clock_.boot_now());
  call(
      executor_, Lane::kCounters,
      [this, releases, head = ticket.head] { return counters_.release(head, *releases); },
      [this, ticket, leaves = std::move(leaves),
       rest = std::move(rest)](Result<ReleaseReport> reply) mutable {
        released(ticket, std::move(leaves), std::move(rest), std::move(reply));
      });
}

void Refill::released(const UnitTicket& ticket, std::vector<Leave> leaves, DemandBatch rest,
                      Result<ReleaseReport> reply) {
  std::int64_t numbers = 0;
  for (const Leave& l : leaves) numbers += l.release.end - l.release.cur;
  if (reply.ok()) {
    unit_confirmed(ticket, reply->unit);
    Stats::add(stats_.released_conversations, reply->released);
    // Which rows were missed is not told: all of them is the upper bound.
    if (reply->released < static_cast<std::int64_t>(leaves.size())) {
      stats_.gap(GapReason::kReleaseMissed, numbers);
    }
    demand_.settled(leaves.size());
    drop_stale(rest);
    return look_up(std::move(rest));
  }
  const Error error = reply.error();
  unit_failed(ticket, error);
  if ((error.code == Code::kUnavailable || error.code == Code::kBusy) && lease_.slot_count() > 0) {
    // Nothing was written: the memory is gone, so only the store can still learn `cur`. A delayed copy cannot hurt (CAS).
    rest.leaves = std::move(leaves);
  } else {
    stats_.gap(GapReason::kReleaseMissed, numbers);
    demand_.settled(leaves.size());
  }
  put_back(std::move(rest));
  executor_.after(Lane::kCounters, kFailedRetry, [this] { next_round(); });
}

void Refill::look_up(DemandBatch batch) {
  auto round = std::make_shared<Round>();
  round->peeks = std::move(batch.peeks);
  std::vector<Want> cold;
  auto ids = std::make_shared<std::vector<std::string>>();
  for (Want& w : batch.wants) {
    if (w.row_known) {
      round->reserve.push_back(std::move(w));
    } else {
      ids->push_back(w.conv_id);
      cold.push_back(std::move(w));
    }
  }
  for (const PeekAsk& p : round->peeks) ids->push_back(p.conv_id);
  if (ids->empty()) return create(round);
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  call(
      executor_, Lane::kCounters, [this, ids] { return counters_.look_up(*ids); },
      [this, cold = std::move(cold), round](Result<std::vector<FoundCounter>> reply) mutable {
        looked_up(std::move(cold), round, std::move(reply));
      });
}

void Refill::looked_up(std::vector<Want> cold, const RoundPtr& round,
                       Result<std::vector<FoundCounter>> reply) {
  if (!reply.ok()) {
    PeekResult down;
    down.why = Refusal::kStoreDown;
    for (const PeekAsk& p : round->peeks) sequencer_.answer_peek(p.ticket, down);
    round->peeks.clear();
    retry_or_fail(std::move(cold), reply.error(), false);
    return create(round);
  }
  store_answered();
  std::unordered_map<std::string, CounterRow> rows;
  for (FoundCounter& f : *reply) rows.emplace(std::move(f.conv_id), f.row);
  answer_peeks(round, rows);

  std::unordered_map<Slot, std::int64_t> bumps;
  for (const SlotBelief& s : lease_.held_slots()) bumps[s.slot] = s.bump;
  std::vector<Want> first_meetings;
  const std::int64_t jump = tuning_.with([](const Tuning& t) { return t.recovery.jump; });
  for (Want& w : cold) {
    const auto it = rows.find(w.conv_id);
    const bool found = it != rows.end();
    // DESIGN 4: a row that was left uncleanly, or before a bump, may be older than the messages (a restored backup).
    const bool doubtful =
        !found || !it->second.cur_seq.has_value() || it->second.bump_seen < bumps[w.slot];
    if (history_ != nullptr && doubtful && w.history_max < 0) {
      first_meetings.push_back(std::move(w));
      continue;
    }
    if (!found) {
      w.ask.at_least = w.history_max > 0 ? w.history_max + jump : 0;
      round->create.push_back(std::move(w));
      continue;
    }
    if (w.history_max > it->second.max_seq) {
      w.ask.at_least = w.history_max + jump;
      events_.on_event(Severity::kError, "recovery.counter_behind",
                       "conversation '" + w.conv_id + "': the message table holds seq " +
                           std::to_string(w.history_max) + " above the counter's " +
                           std::to_string(it->second.max_seq) +
                           "; lifted (was an old backup restored?)");
    }
    round->reserve.push_back(std::move(w));
  }
  if (!first_meetings.empty()) ask_history(std::move(first_meetings));
  create(round);
}

void Refill::answer_peeks(const RoundPtr& round,
                          const std::unordered_map<std::string, CounterRow>& rows) {
  std::unordered_map<Slot, std::int64_t> bumps;
  if (!round->peeks.empty()) {
    for (const SlotBelief& s : lease_.held_slots()) bumps[s.slot] = s.bump;
  }
  for (const PeekAsk& p : round->peeks) {
    PeekResult result;
    const auto it = rows.find(p.conv_id);
    if (it == rows.end()) {
      result.kind = PeekResult::Kind::kNever;
    } else if (!it->second.cur_seq || it->second.bump_seen < bumps[p.slot]) {
      result.why = Refusal::kIssuedUnknown;
    } else {
      result.kind = *it->second.cur_seq == 0 ? PeekResult::Kind::kNever : PeekResult::Kind::kKnown;
      result.issued = *it->second.cur_seq;
      result.reserved = it->second.max_seq;
    }
    sequencer_.answer_peek(p.ticket, result);
  }
}

UnitTicket Refill::begin_unit(const std::vector<Want>& wants) {
  return lease_.begin_unit(slots_of(wants), true, clock_.boot_now());
}

void Refill::create(const RoundPtr& round) {
  if (round->create.empty() || !in_time(round->create)) return reserve(round);
  sort_by_id(round->create);
  auto rows = std::make_shared<std::vector<NewCounter>>();
  for (const Want& w : round->create) {
    rows->push_back(NewCounter{w.conv_id, w.slot, w.ask.at_least, w.ask.numbers});
  }
  const BootTime sent = clock_.boot_now();
  UnitTicket ticket = begin_unit(round->create);
  call(
      executor_, Lane::kCounters,
      [this, rows, head = ticket.head] { return counters_.create(head, *rows); },
      [this, ticket, round, sent](Result<ReserveReport> reply) {
        reserved(ticket, std::exchange(round->create, {}), true, sent, std::move(reply));
        reserve(round);
      });
}

void Refill::reserve(const RoundPtr& round) {
  // A failed creation may have cost the lease: what is not ours any more is not sent.
  std::vector<Want> wants;
  for (Want& w : round->reserve) {
    if (current(w)) {
      wants.push_back(std::move(w));
    } else {
      sequencer_.fail(w, Refusal::kNotOwner);
    }
  }
  if (wants.empty() || !in_time(wants)) return next_round();
  sort_by_id(wants);
  auto requests = std::make_shared<std::vector<ReserveRequest>>();
  for (const Want& w : wants) requests->push_back(ReserveRequest{w.conv_id, w.slot, w.ask});
  const BootTime sent = clock_.boot_now();
  UnitTicket ticket = begin_unit(wants);
  call(
      executor_, Lane::kCounters,
      [this, requests, head = ticket.head] { return counters_.reserve(head, *requests); },
      [this, ticket, sent, wants = std::move(wants)](Result<ReserveReport> reply) mutable {
        reserved(ticket, std::move(wants), false, sent, std::move(reply));
        next_round();
      });
}

}  // namespace seqd
