// What this front asks of the daemon. app implements it over core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/json.h"
#include "core/answer.h"
#include "core/conv_id.h"

namespace seqd::http {

/// One line of /readyz?verbose.
struct Check {
  std::string name;  ///< one word
  bool ok = false;
  std::string detail;  ///< why not; shown to anybody, so no secret
};

/// What is known about a conversation besides its numbers.
struct Placement {
  std::string route;
  std::optional<std::int64_t> redis;  ///< the counter in Redis, where there is one
  std::int64_t slot = 0;
  std::string owner;  ///< "" = nobody, as far as we know
  std::optional<std::int64_t> epoch;
};

struct FloorResult {
  enum class Kind : unsigned char {
    kRaised,   ///< issued and reserved are at least what was asked for; `issued`, `reserved` hold
    kRefused,  ///< `why` says so; nothing was done
    kFailed,   ///< `text` says so
    kUnsupported,  ///< this daemon cannot do it
  };
  Kind kind = Kind::kUnsupported;
  Refusal why = Refusal::kStarting;
  std::int64_t issued = 0;
  std::int64_t reserved = 0;
  std::string text;
};

struct ReloadOutcome {
  bool ok = false;
  std::string
      text;  ///< what was applied and what needs a restart, or everything that is wrong with the file
};

/// Called from every worker thread at once. Must outlive the Server. Only reload() and raise_floor() may take their time.
class Api {
 public:
  virtual ~Api() = default;

  /// As Sequencer::take(). ENSURES: exactly one sink->taken(token, …) for each kWaiting, from any thread, possibly before
  /// take() returned. A worker blocks until then, so the answer must come even while the daemon stops.
  virtual TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                          std::uint64_t token) = 0;
  /// As Sequencer::peek(), with sink->peeked().
  virtual PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) = 0;
  /// The sentence for a refusal.
  virtual std::string refusal_text(Refusal why) const = 0;
  /// "redis" or "segment": the route that numbers take now.
  virtual std::string route() const = 0;
  virtual Placement placement(const ConvId& conv) const = 0;
  /// Raises issued and reserved to at least this, never lowers. Blocks.
  virtual FloorResult raise_floor(const ConvId& conv, std::int64_t at_least) = 0;

  /// The object of /v1/status: route, redis, store, owner, worker, reload.
  virtual Json status() const = 0;
  /// The active configuration, without secrets.
  virtual Json config() const = 0;
  /// The n busiest conversations; no value: not kept by this daemon.
  virtual std::optional<Json> top(std::int64_t n) const = 0;
  /// n message ids as strings; no value: not served by this daemon.
  virtual std::optional<std::vector<std::string>> msg_ids(std::int64_t n) = 0;
  /// time, worker and sequence of a message id; no value: not served by this daemon.
  virtual std::optional<Json> msg_id_parts(std::int64_t id) const = 0;

  /// Answers from memory: never contacts the store. Called while the API is overfull.
  virtual std::vector<Check> ready_checks() const = 0;
  /// The Prometheus text, version 0.0.4. Called while the API is overfull.
  virtual std::string metrics_text() const = 0;
  /// Applies the configuration file whole or not at all. Blocks.
  virtual ReloadOutcome reload() = 0;
};

}  // namespace seqd::http
