// The slow side of the Sequencer: what the store answered, requests that wait, reads.
#include <algorithm>
#include <iterator>

#include "core/sequencer.h"

namespace seqd {
namespace {

TakeResult refused(Refusal why) {
  TakeResult r;
  r.kind = TakeResult::Kind::kRefused;
  r.why = why;
  return r;
}

PeekResult not_read(Refusal why) {
  PeekResult r;
  r.kind = PeekResult::Kind::kRefused;
  r.why = why;
  return r;
}

}  // namespace

Adoption Sequencer::adopt(const Want& want, const ReservePlan& plan) {
  const std::uint64_t hash = hash_id(want.conv_id);
  Shard& shard = shard_of(hash);
  std::vector<Answered> answered;
  bool wake = false;
  Adoption adoption = Adoption::kAdopted;
  {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    Conversation* c = shard.table.find(hash, want.conv_id);
    const Interval& got = plan.interval;
    // DESIGN C2: what arrives under a grant that is not current any more is thrown away.
    if (c == nullptr || c->grant != want.grant || lease_.grant_of(want.slot) != want.grant) {
      stats_.gap(GapReason::kSlotLost, got.end - got.lo);
      if (c == nullptr || c->grant != want.grant) return Adoption::kDropped;
      c->reserving = false;
      refuse_waiters(shard, *c, why_not_open(want.slot), answered);
      adoption = Adoption::kDropped;
    } else if (c->end > 0 && got.lo < c->end) {
      // DESIGN C1: never an interval that does not lie above all that were seen.
      c->reserving = false;
      refuse_waiters(shard, *c, Refusal::kLeaseLapsed, answered);
      stats_.gap(GapReason::kSlotLost, got.end - got.lo);
      adoption = Adoption::kBelow;
    } else {
      c->reserving = false;
      if (c->end == 0) {
        c->cur = got.lo;
        c->issued_known = plan.issued_known;
      } else if (got.lo > c->end) {
        stats_.gap(GapReason::kSkipped, c->room());
        c->cur = got.lo;
        // The last issued number stays known only through what memory remembers of it; it is not `cur` any more.
        c->issued_known = false;
      }
      c->end = got.end;
      serve_waiters(shard, *c, answered, wake);
    }
  }
  send(answered);
  if (wake) demand_.wake();
  return adoption;
}

void Sequencer::fail(const Want& want, Refusal why) {
  const std::uint64_t hash = hash_id(want.conv_id);
  Shard& shard = shard_of(hash);
  std::vector<Answered> answered;
  {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    Conversation* c = shard.table.find(hash, want.conv_id);
    if (c == nullptr || c->grant != want.grant) return;
    c->reserving = false;
    refuse_waiters(shard, *c, why, answered);
    if (why == Refusal::kExhausted && c->end == 0) {
      c->cur = kMaxSeq;
      c->end = kMaxSeq;
    } else if (c->end == 0) {
      erase(shard, *c);
    }
  }
  send(answered);
}

void Sequencer::serve_waiters(Shard& shard, Conversation& c, std::vector<Answered>& answered,
                              bool& wake) {
  const auto it = shard.waiters.find(&c);
  if (it == shard.waiters.end()) return;
  std::deque<Waiter>& queue = it->second;
  while (!queue.empty()) {
    TakeResult result;
    const Issue issued = issue(shard, c, queue.front().n, result);
    if (issued == Issue::kNoRoom) {
      if (c.end < kMaxSeq) break;
      result = refused(c.room() == 0 ? Refusal::kExhausted : Refusal::kBatchTooBig);
    } else if (issued != Issue::kIssued) {
      refuse_waiters(shard, c,
                     issued == Issue::kNotOpen ? why_not_open(c.slot) : Refusal::kLeaseLapsed,
                     answered);
      return;
    }
    answered.push_back({queue.front(), result});
    queue.pop_front();
  }
  if (queue.empty()) {
    shard.waiters.erase(it);
    c.waiting = false;
  }
  const BootTime now = clock_.boot_now();
  std::int64_t numbers = 0;
  if (c.waiting) {
    for (const Waiter& w : queue) numbers = std::min(numbers + w.n, kMaxSeq);
  }
  if (c.waiting ? !c.reserving : wants_prefetch(c) && situation_.may_prefetch(now)) {
    if (reserve(c, numbers, now)) wake = true;
  }
}

void Sequencer::refuse_waiters(Shard& shard, Conversation& c, Refusal why,
                               std::vector<Answered>& answered) {
  const auto it = shard.waiters.find(&c);
  if (it == shard.waiters.end()) return;
  for (const Waiter& w : it->second) answered.push_back({w, refused(why)});
  shard.waiters.erase(it);
  c.waiting = false;
}

void Sequencer::send(const std::vector<Answered>& answered) {
  if (answered.empty()) return;
  waiting_.fetch_sub(static_cast<std::int64_t>(answered.size()));
  for (const Answered& a : answered) {
    if (a.waiter.sink != nullptr) a.waiter.sink->taken(a.waiter.token, a.result);
  }
}

bool Sequencer::expire(BootTime now) {
  std::vector<Answered> answered;
  for (Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    for (auto it = shard.waiters.begin(); it != shard.waiters.end();) {
      std::deque<Waiter>& queue = it->second;
      // Not only the first: wait_ms may have been made shorter meanwhile.
      std::erase_if(queue, [&](const Waiter& w) {
        if (w.deadline > now) return false;
        answered.push_back({w, refused(Refusal::kWaitExpired)});
        return true;
      });
      it->first->waiting = !queue.empty();
      it = queue.empty() ? shard.waiters.erase(it) : std::next(it);
    }
  }
  Stats::add(stats_.wait_expired, static_cast<std::int64_t>(answered.size()));
  send(answered);

  std::vector<std::uint64_t> late;
  peeks_.with([&](const Peeks& peeks) {
    for (const auto& [ticket, wait] : peeks.waiting) {
      if (wait.waiter.deadline <= now) late.push_back(ticket);
    }
  });
  for (const std::uint64_t ticket : late) answer_peek(ticket, not_read(Refusal::kWaitExpired));
  if (waiting_.load() > 0) return true;
  watched_.exchange(false);
  // A request that began to wait just before saw the watch still on.
  return waiting_.load() > 0 && !watched_.exchange(true);
}

PeekResult Sequencer::peek_resident(const Shard& shard, std::uint64_t hash,
                                    std::string_view id) const {
  PeekResult result;
  result.kind = PeekResult::Kind::kWaiting;  // not resident
  const std::lock_guard<std::mutex> lock(shard.mutex);
  const Conversation* c = shard.table.find(hash, id);
  if (c == nullptr || c->end == 0 || c->grant != lease_.grant_of(c->slot)) return result;
  if (!c->issued_known) return not_read(Refusal::kIssuedUnknown);
  result.kind = c->cur == 0 ? PeekResult::Kind::kNever : PeekResult::Kind::kKnown;
  result.issued = c->cur;
  result.reserved = c->end;
  return result;
}

PeekResult Sequencer::peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) {
  const std::uint64_t hash = hash_id(conv.bytes());
  const Slot slot = hash_.slot_of(conv.bytes());
  const Grant grant = lease_.grant_of(slot);
  if (stopping_.load()) return not_read(Refusal::kStopping);
  if (grant == 0 || !lease_.open(slot, grant)) return not_read(why_not_open(slot));
  const BootTime now = clock_.boot_now();
  if (!lease_.valid_at(now)) return not_read(Refusal::kLeaseLapsed);
  const PeekResult resident = peek_resident(shard_of(hash), hash, conv.bytes());
  if (resident.kind != PeekResult::Kind::kWaiting) return resident;
  if (!situation_.can_reserve()) return not_read(Refusal::kStoreDown);

  PeekAsk ask;
  ask.conv_id = std::string(conv.bytes());
  ask.slot = slot;
  PeekWait wait{ask.conv_id,
                Waiter{0, now + std::chrono::milliseconds(settings().wait_ms), sink, token}};
  ask.ticket = peeks_.with([&](Peeks& peeks) {
    const std::uint64_t ticket = peeks.next++;
    peeks.waiting.emplace(ticket, std::move(wait));
    return ticket;
  });
  begin_waiting(1);
  const std::uint64_t ticket = ask.ticket;
  if (demand_.peek(std::move(ask))) demand_.wake();
  // stop() may have looked for waiting reads just before this one was entered.
  if (stopping_.load()) answer_peek(ticket, not_read(Refusal::kStopping));
  return resident;
}

void Sequencer::answer_peek(std::uint64_t ticket, const PeekResult& from_store) {
  PeekWait wait;
  const bool found = peeks_.with([&](Peeks& peeks) {
    const auto it = peeks.waiting.find(ticket);
    if (it == peeks.waiting.end()) return false;
    wait = std::move(it->second);
    peeks.waiting.erase(it);
    return true;
  });
  if (!found) return;
  // The conversation may have become resident since the row was read, and have moved on; or the slot may be lost.
  const std::uint64_t hash = hash_id(wait.conv_id);
  const Slot slot = hash_.slot_of(wait.conv_id);
  PeekResult result = from_store;
  const Grant grant = lease_.grant_of(slot);
  if (grant == 0) {
    result = not_read(why_not_open(slot));
  } else if (!lease_.valid_at(clock_.boot_now())) {
    result = not_read(Refusal::kLeaseLapsed);
  } else {
    const PeekResult resident = peek_resident(shard_of(hash), hash, wait.conv_id);
    if (resident.kind != PeekResult::Kind::kWaiting) result = resident;
  }
  waiting_.fetch_sub(1);
  if (wait.waiter.sink != nullptr) wait.waiter.sink->peeked(wait.waiter.token, result);
}

}  // namespace seqd
