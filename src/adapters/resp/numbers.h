// What this front asks of the daemon: numbers, reads, and sentences. app implements it over core's Sequencer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/answer.h"
#include "core/conv_id.h"
#include "core/ownership.h"

namespace seqd::resp {

/// Lines of INFO's own section, in order: key and value, both printable and without CR or LF.
using InfoText = std::vector<std::pair<std::string, std::string>>;

/// Called from every event loop at once. Must outlive the Server.
class Numbers {
 public:
  virtual ~Numbers() = default;

  /// As Sequencer::take(). ENSURES: exactly one sink->taken(token, …) for each kWaiting, from any thread, possibly before
  /// take() returned. The Server's destructor waits for the answers it is owed.
  virtual TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                          std::uint64_t token) = 0;
  /// As Sequencer::peek(), with sink->peeked().
  virtual PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) = 0;
  /// The sentence for a refusal, without an error code. Not on the hot path.
  virtual std::string refusal_text(Refusal why) const = 0;
  /// Where a conversation belongs. Not on the hot path.
  struct Place {
    Slot slot = 0;
    std::string owner;                  ///< "" = nobody, as far as we know
    std::optional<std::int64_t> epoch;  ///< where this daemon owns the slot
  };
  virtual Place place(const ConvId& conv) const = 0;
  /// For SEQD.ROUTE: current, mode, reason, since.
  virtual InfoText route() const = 0;
  /// For `INFO seqd`. Not on the hot path.
  virtual InfoText info() const = 0;
};

}  // namespace seqd::resp
