// One client: its bytes in, its bytes out, and how far its request has come. Owned and used by the Front's thread alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/http/body.h"
#include "adapters/http/head.h"
#include "adapters/http/limits.h"
#include "base/clock.h"

namespace seqd::http {

class Connection {
 public:
  enum class Phase : unsigned char {
    kReading,  ///< a request, or the wait for one
    kWorking,  ///< a worker has the request; nothing is read meanwhile
    kWriting,
    kLingering,  ///< the last answer is out; what still comes is thrown away, so that it does not reset the answer
    kDead,
  };

  /// Owns the descriptor.
  Connection(int fd, std::uint64_t id, const Limits& limits, ServerStats& stats);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  std::uint64_t id() const { return id_; }
  Phase phase() const { return phase_; }
  BootTime deadline() const { return deadline_; }
  /// True between two requests, with nothing of the next.
  bool idle() const { return phase_ == Phase::kReading && !head_ && in_.empty(); }

  /// Takes what has arrived; once, so that nobody gets more than his turn.
  void receive();
  /// Looks at what was received. True: a whole request is there, to be fetched with take_request(), and the phase is
  /// kWorking. Otherwise the phase says what is waited for. REQUIRES: kReading
  bool advance();
  /// The head of the request that advance() announced; until answer().
  const Head& head() const { return *head_; }
  /// The bytes for Exchange::run().
  std::string request() const;

  /// Begins to send an answer. `close`: it is the last.
  void answer(std::string bytes, bool close);
  /// Sends what the client takes; afterwards the next request may already be there: advance().
  void send();
  /// The deadline has passed.
  void expire();
  /// Ends a client that has not finished a request, with a 503, for somebody else's sake.
  void evict();
  void kill() { phase_ = Phase::kDead; }

 private:
  void refuse(const Fault& fault);
  void finished();

  const int fd_;
  const std::uint64_t id_;
  const Limits& limits_;
  ServerStats& stats_;
  Phase phase_ = Phase::kReading;
  BootTime deadline_;
  std::string in_;
  std::size_t scanned_ = 0;
  std::optional<Head> head_;
  std::optional<BodyReader> body_;
  std::string out_;
  std::size_t sent_ = 0;
  bool last_ = false;
};

}  // namespace seqd::http
