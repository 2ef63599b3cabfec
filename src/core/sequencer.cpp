#include "core/sequencer.h"

#include <algorithm>

namespace seqd {
namespace {

std::uint32_t boot_ms(BootTime t) noexcept {
  return static_cast<std::uint32_t>(t.time_since_epoch().count() / 1'000'000);
}

TakeResult refused(Refusal why) {
  TakeResult r;
  r.kind = TakeResult::Kind::kRefused;
  r.why = why;
  return r;
}

}  // namespace

Sequencer::Sequencer(const SegmentSettings& settings, const SlotHash& hash, const Clock& clock,
                     SlotLease& lease, Situation& situation, Demand& demand, Stats& stats)
    : hash_(hash),
      clock_(clock),
      lease_(lease),
      situation_(situation),
      demand_(demand),
      stats_(stats) {
  configure(settings);
}

Sequencer::~Sequencer() = default;

void Sequencer::configure(const SegmentSettings& settings) {
  settings_.with([&](SegmentSettings& s) { s = settings; });
  keep_q16_.store(static_cast<std::uint64_t>((1.0 - settings.prefetch_at) * 65536.0),
                  std::memory_order_relaxed);
}

TakeResult Sequencer::take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                           std::uint64_t token) {
  const std::uint64_t hash = hash_id(conv.bytes());
  Shard& shard = shard_of(hash);
  TakeResult result;
  bool wake = false;
  {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    Conversation* c = shard.table.find(hash, conv.bytes());
    if (c != nullptr && !c->waiting && issue(shard, *c, n, result) == Issue::kIssued) {
      if (!wants_prefetch(*c)) return result;
      const BootTime now = clock_.boot_now();
      if (situation_.may_prefetch(now)) wake = reserve(*c, 0, now);
    } else {
      result = take_slowly(shard, hash, c, conv, Waiter{n, {}, sink, token}, wake);
    }
  }
  if (wake) demand_.wake();
  return result;
}

// The only place where numbers leave. Everything that the promise needs is tested here, in release builds too (DESIGN C3, C4).
Sequencer::Issue Sequencer::issue(Shard& shard, Conversation& c, std::int64_t n, TakeResult& out) {
  if (c.room() < n) return Issue::kNoRoom;
  const BootTime now = clock_.boot_now();
  if (!lease_.open(c.slot, c.grant)) return Issue::kNotOpen;
  if (!lease_.valid_at(now)) return Issue::kLapsed;
  const std::int64_t first = c.cur + 1;
  const std::int64_t last = c.cur + n;
  if (n < 1 || first < 1 || last > c.end || c.end > kMaxSeq || stopping_.load()) [[unlikely]] {
    if (stopping_.load()) return Issue::kNotOpen;
    Stats::add(stats_.invariant_violations);
    const Slot slot = c.slot;
    lease_.lost({&slot, 1});
    return Issue::kViolation;
  }
  c.cur = last;
  c.issued_known = true;
  c.used_ms = boot_ms(now);
  shard.issued += n;
  out.kind = TakeResult::Kind::kTaken;
  out.first = first;
  out.last = last;
  return Issue::kIssued;
}

bool Sequencer::wants_prefetch(const Conversation& c) const {
  return !c.reserving && c.end < kMaxSeq &&
         static_cast<std::uint64_t>(c.room()) <=
             ((c.step * keep_q16_.load(std::memory_order_relaxed)) >> 16);
}

TakeResult Sequencer::take_slowly(Shard& shard, std::uint64_t hash, Conversation* c,
                                  const ConvId& conv, const Waiter& request, bool& wake) {
  if (stopping_.load()) return refused(Refusal::kStopping);
  const BootTime now = clock_.boot_now();
  const Slot slot = c != nullptr ? c->slot : hash_.slot_of(conv.bytes());
  const Grant grant = lease_.grant_of(slot);
  if (grant == 0 || !lease_.open(slot, grant)) return refused(why_not_open(slot));
  if (!lease_.valid_at(now)) return refused(Refusal::kLeaseLapsed);

  if (c != nullptr && c->grant != grant) {
    forget_interval(*c, GapReason::kSlotLost);
    c->grant = grant;
  }
  if (c != nullptr && c->end >= kMaxSeq && !c->waiting) {
    return refused(c->room() == 0 ? Refusal::kExhausted : Refusal::kBatchTooBig);
  }
  if (!situation_.can_reserve()) return refused(Refusal::kStoreDown);
  if (waiting_.load(std::memory_order_relaxed) >= kMaxWaiting) {
    return refused(Refusal::kTooManyWaiting);
  }
  if (c == nullptr) {
    wake = make_room(shard);
    c = shard.table.insert(hash, conv.bytes());
    resident_.fetch_add(1, std::memory_order_relaxed);
    c->slot = slot;
    c->grant = grant;
    c->used_ms = boot_ms(now);
  }
  std::deque<Waiter>& queue = shard.waiters[c];
  queue.push_back(request);
  queue.back().deadline = now + std::chrono::milliseconds(settings().wait_ms);
  c->waiting = true;
  begin_waiting(1);
  Stats::add(stats_.waited);
  if (!c->reserving && reserve(*c, request.n, now)) wake = true;
  TakeResult waiting;
  waiting.kind = TakeResult::Kind::kWaiting;
  return waiting;
}

Refusal Sequencer::why_not_open(Slot slot) const {
  if (stopping_.load() || lease_.closing(slot)) return Refusal::kStopping;
  return situation_.facts([](const Situation::Facts& f) { return f.prepared; })
             ? Refusal::kNotOwner
             : Refusal::kStarting;
}

// Step follows the rate so that what is held when the next interval is asked for lasts cover_seconds (DESIGN 2). It grows
// eightfold at most, because one burst says little about a rate.
std::int64_t Sequencer::next_step(const Conversation& c, BootTime now) const {
  const SegmentSettings settings = this->settings();
  const std::int64_t least = settings.step;
  if (c.step == 0) return least;
  const std::int64_t most =
      std::clamp<std::int64_t>(std::int64_t{c.step} * 8, least, std::max(least, settings.max_step));
  const std::int64_t elapsed_ms = std::max<std::int64_t>(1, boot_ms(now) - c.asked_ms);
  const double per_ms = static_cast<double>(c.step) / static_cast<double>(elapsed_ms);
  const double kept = std::max(0.1, 1.0 - settings.prefetch_at);
  const double cover_ms = static_cast<double>(settings.cover_seconds) * 1000.0;
  const double wanted = per_ms * cover_ms / kept;
  if (wanted >= static_cast<double>(most)) return most;
  return std::clamp(static_cast<std::int64_t>(wanted), least, most);
}

bool Sequencer::reserve(Conversation& c, std::int64_t waiting_numbers, BootTime now) {
  const std::int64_t step = std::max(next_step(c, now), waiting_numbers - c.room());
  c.step = static_cast<std::uint32_t>(std::min<std::int64_t>(step, UINT32_MAX));
  c.asked_ms = boot_ms(now);
  c.reserving = true;
  Want want;
  want.conv_id = std::string(c.id());
  want.slot = c.slot;
  want.grant = c.grant;
  want.row_known = c.end > 0;
  want.ask.numbers = std::min(step, kMaxSeq);
  want.ask.issued = want.row_known ? c.cur : -1;
  return demand_.want(std::move(want));
}

void Sequencer::forget_interval(Conversation& c, GapReason why) {
  stats_.gap(why, c.room());
  c.cur = 0;
  c.end = 0;
  c.step = 0;
  c.issued_known = false;
  c.reserving = false;  // what is in flight carries the old grant and will be thrown away
}

void Sequencer::begin_waiting(std::int64_t n) {
  // Sequentially consistent, like expire(): either it sees this request, or this sees that nobody watches.
  waiting_.fetch_add(n);
  if (!watched_.exchange(true) && on_waiting_) on_waiting_();
}

std::int64_t Sequencer::issued() const {
  std::int64_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    sum += shard.issued;
  }
  return sum;
}

}  // namespace seqd
