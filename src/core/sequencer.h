// The numbers: every resident conversation, the hot path that hands numbers out, and the requests that wait.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/answer.h"
#include "core/conv_id.h"
#include "core/conversation.h"
#include "core/demand.h"
#include "core/ports/clock.h"
#include "core/settings.h"
#include "core/situation.h"
#include "core/slot_hash.h"
#include "core/slot_lease.h"
#include "core/stats.h"

namespace seqd {

/// What became of an interval that arrived from the store.
enum class Adoption : unsigned char {
  kAdopted,
  kDropped,  ///< the slot was lost meanwhile, or the conversation left: the numbers are a counted gap
  kBelow,  ///< it lies below numbers that are held: the store lost commits (DESIGN S7). Nothing of it is used.
};

/// Everything it is given outlives it. take(), peek(), refusal_text(): any thread. The rest: core's lanes.
class Sequencer final {
 public:
  Sequencer(const SegmentSettings& settings, const SlotHash& hash, const Clock& clock,
            SlotLease& lease, Situation& situation, Demand& demand, Stats& stats);
  ~Sequencer();

  /// Takes n numbers of one conversation: one contiguous run, or an error. The lease is tested inside, on the boot clock,
  /// after the request was read (DESIGN C4). kWaiting: sink->taken(token, …) is called once, later, from another thread,
  /// possibly before take() returns. Requests of one conversation are served in the order of their take().
  /// REQUIRES: 1 <= n <= segment.max_batch.
  TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink, std::uint64_t token);

  /// Reads without counting. kWaiting as above, with sink->peeked().
  PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token);

  /// The sentence for a refusal, without an error code: what happened and what to do. Names the owner and its address
  /// where another daemon owns the conversation. Not on the hot path.
  std::string refusal_text(Refusal why) const;

  /// Takes over new settings; what is reserved and who waits stays as it is. Any thread.
  void configure(const SegmentSettings& settings);

  // ---- what the store answered (Refill) ----

  Adoption adopt(const Want& want, const ReservePlan& plan);
  /// No interval for this want: its waiting requests are refused, and a conversation without numbers leaves memory.
  void fail(const Want& want, Refusal why);
  void answer_peek(std::uint64_t ticket, const PeekResult& from_store);

  // ---- time ----

  /// Refuses requests whose deadline has passed. False: nobody waits, and on_waiting() tells when it is needed again.
  bool expire(BootTime now);
  /// `begin` is called when expire() is to be called regularly until it answers false; never twice at once. Set before the
  /// first take().
  void on_waiting(std::function<void()> begin) { on_waiting_ = std::move(begin); }

  // ---- memory ----

  /// Takes the conversations of these slots out of memory, ready to be released. REQUIRES: the slots are closed or lost, so
  /// that no number leaves any more. Waiting requests are refused.
  std::vector<Leave> extract(std::span<const Slot> slots);
  /// Drops every conversation whose grant is not current any more: counted gaps.
  void purge();
  /// What is held, under whatever grant, after the registration has ended: nothing at or below `end` may be given out again (S7).
  std::vector<Lift> held() const;
  /// True while a reservation of one of these slots is queued or in flight.
  bool reserving(std::span<const Slot> slots) const;
  /// From now on every request is refused with kStopping, and those that wait are too.
  void stop();

  std::int64_t resident() const noexcept { return resident_.load(std::memory_order_relaxed); }
  std::int64_t waiting() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  std::int64_t issued() const;  ///< numbers given out since the start

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::int64_t kMaxWaiting = 1'000'000;

  struct Waiter {
    std::int64_t n = 0;
    BootTime deadline;
    AnswerSink* sink = nullptr;
    std::uint64_t token = 0;
  };
  struct Answered {
    Waiter waiter;
    TakeResult result;
  };
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    ConversationTable table;
    std::unordered_map<Conversation*, std::deque<Waiter>> waiters;
    std::int64_t issued = 0;
    std::size_t hand = 0;  // where the search for an idle conversation goes on
  };
  struct PeekWait {
    std::string conv_id;
    Waiter waiter;
  };
  struct Peeks {
    std::unordered_map<std::uint64_t, PeekWait> waiting;
    std::uint64_t next = 1;
  };
  enum class Issue : unsigned char { kIssued, kNoRoom, kLapsed, kNotOpen, kViolation };

  Shard& shard_of(std::uint64_t hash) { return shards_[hash >> 58]; }
  const Shard& shard_of(std::uint64_t hash) const { return shards_[hash >> 58]; }

  Issue issue(Shard& shard, Conversation& c, std::int64_t n, TakeResult& out);
  TakeResult take_slowly(Shard& shard, std::uint64_t hash, Conversation* c, const ConvId& conv,
                         const Waiter& request, bool& wake);
  Refusal why_not_open(Slot slot) const;
  bool wants_prefetch(const Conversation& c) const;
  [[nodiscard]] bool reserve(Conversation& c, std::int64_t waiting_numbers, BootTime now);
  SegmentSettings settings() const {
    return settings_.with([](const SegmentSettings& s) { return s; });
  }
  std::int64_t next_step(const Conversation& c, BootTime now) const;
  void forget_interval(Conversation& c, GapReason why);
  void serve_waiters(Shard& shard, Conversation& c, std::vector<Answered>& answered, bool& wake);
  void refuse_waiters(Shard& shard, Conversation& c, Refusal why, std::vector<Answered>& answered);
  void send(const std::vector<Answered>& answered);
  void begin_waiting(std::int64_t n);
  [[nodiscard]] bool make_room(Shard& own);
  void erase(Shard& shard, Conversation& c);
  PeekResult peek_resident(const Shard& shard, std::uint64_t hash, std::string_view id) const;

  Guarded<SegmentSettings> settings_;  // copied out on the slow path; never on the hot one
  const SlotHash hash_;
  const Clock& clock_;
  SlotLease& lease_;
  Situation& situation_;
  Demand& demand_;
  Stats& stats_;
  std::atomic<std::uint64_t> keep_q16_{0};  // prefetch when room <= step * keep_q16_ / 65536
  std::function<void()> on_waiting_;
  std::atomic<std::int64_t> resident_{0};
  std::atomic<std::int64_t> waiting_{0};
  std::atomic<bool> watched_{false};  // somebody calls expire()
  std::atomic<bool> stopping_{false};
  std::array<Shard, kShards> shards_;
  Guarded<Peeks> peeks_;
};

}  // namespace seqd
