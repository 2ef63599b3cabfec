// What the fronts get from core: a number, a refusal that says why, or the promise of a later answer.
#pragma once

#include <cstdint>

namespace seqd {

/// Why no number was given. All but kExhausted and kBatchTooBig are retryable: nothing was executed.
enum class Refusal : unsigned char {
  kStarting,     ///< the store was not reached yet since the start
  kNotOwner,     ///< another daemon owns the conversation; refusal_text() names it
  kLeaseLapsed,  ///< this daemon owns it but could not renew in time
  kStoreDown,    ///< nothing is reserved in memory and the store's last contact failed
  kWaitExpired,  ///< nothing is reserved in memory and the store did not answer within segment.wait_ms
  kTooManyWaiting,  ///< the queue of waiting requests is full
  kIssuedUnknown,   ///< GET only: the last issued number is not known since a crash
  kExhausted,       ///< the conversation reached 2^53-1
  kBatchTooBig,     ///< more numbers than are left below 2^53-1
  kHistoryDown,     ///< a first meeting needs the message table, and it could not be read
  kStopping,        ///< the daemon is shutting down
};
inline constexpr int kRefusals = 11;

struct TakeResult {
  enum class Kind : unsigned char { kTaken, kRefused, kWaiting };
  Kind kind = Kind::kRefused;
  Refusal why = Refusal::kStarting;  ///< with kRefused
  std::int64_t first = 0;            ///< with kTaken: first … last is one contiguous run
  std::int64_t last = 0;
};

struct PeekResult {
  enum class Kind : unsigned char {
    kKnown,    ///< `issued` and `reserved` hold
    kNever,    ///< no number of this conversation was ever issued
    kRefused,  ///< `why` says so
    kWaiting,  ///< the answer comes later: the store must be read
  };
  Kind kind = Kind::kRefused;
  Refusal why = Refusal::kStarting;
  std::int64_t issued = 0;    ///< the last issued number. Never the ceiling (H9).
  std::int64_t reserved = 0;  ///< the ceiling
};

/// Receives answers that had to wait. Called from core's lanes, exactly once for each kWaiting; must not block and must not
/// call back into the Sequencer. Outlives every request that names it.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void taken(std::uint64_t token, const TakeResult& result) noexcept = 0;
  virtual void peeked(std::uint64_t token, const PeekResult& result) noexcept = 0;
};

}  // namespace seqd
