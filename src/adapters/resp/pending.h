// Replies that cannot leave yet, in the order of their commands: an answer that came early waits here for those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adapters/resp/command.h"
#include "adapters/resp/reply.h"
#include "adapters/resp/shared.h"
#include "core/answer.h"

namespace seqd::resp {

/// What a number command came to, without its wording.
struct Outcome {
  enum class Kind : unsigned char { kWaiting, kNumber, kNever, kRefused };
  Kind kind = Kind::kWaiting;
  Does asked = Does::kIncr;
  Refusal why = Refusal::kStarting;  ///< with kRefused
  std::int64_t number = 0;           ///< with kNumber
  std::int64_t reserved = 0;         ///< with kNumber of a read
};

Outcome outcome_of(Does asked, const TakeResult& result);
Outcome outcome_of(Does asked, const PeekResult& result);

/// SEQD.INFO's map. REQUIRES: outcome.kind is not kWaiting.
void write_info(Reply& reply, const Outcome& outcome, const Numbers::Place& place,
                const Numbers& numbers);

/// REQUIRES: outcome.kind is not kWaiting, and what was asked is not SEQD.INFO.
void write_outcome(Reply& reply, const Outcome& outcome, const Numbers& numbers);

/// One for each connection; costs no memory while nothing waits. Thread-compatible.
class Pending {
 public:
  static constexpr std::size_t kMost = 1024;

  bool empty() const { return first_ == entries_.size(); }
  bool full() const { return entries_.size() - first_ >= kMost; }
  /// The number that push() will file its outcome under.
  std::uint16_t next() const { return static_cast<std::uint16_t>(base_ + entries_.size()); }
  /// REQUIRES: !full()
  void push(const Outcome& outcome);

  /// Files a late answer. Unknown numbers are ignored.
  void answer(std::uint16_t number, const TakeResult& result);
  void answer(std::uint16_t number, const PeekResult& result);

  /// Writes and drops every outcome up to the first that still waits.
  void write_ready(Reply& reply, const Numbers& numbers);
  /// Where the conversation of the SEQD.INFO that waits belongs: it is the only one, as reads do not wait beside it.
  Numbers::Place place;

 private:
  Outcome* find(std::uint16_t number);

  std::vector<Outcome> entries_;  // the first `first_` of them have left
  std::size_t first_ = 0;
  std::uint16_t base_ = 0;  // the number of entries_[0]; wraps
};

}  // namespace seqd::resp
