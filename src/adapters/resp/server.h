// The Redis-protocol front: listens, serves, drains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/resp/numbers.h"
#include "adapters/resp/shared.h"
#include "base/clock.h"
#include "base/result.h"
#include "core/settings.h"

namespace seqd::resp {

class Acceptor;
class EventLoop;

/// Order of calls: listen(), start(), stop_accepting(), drain(), destructor; from one thread. port(), stats() from any, after
/// listen(). `numbers` and `log` are called from the loops' threads; numbers outlives the Server.
/// A signal for a broken pipe is never raised.
class Server {
 public:
  /// password "" = none is asked for. `settings.password_file` is not read here.
  Server(RespSettings settings, std::string password, Numbers& numbers, std::int64_t max_batch,
         ServerFacts facts, Log log, Limits limits = {});
  /// Closes every connection, waits for the answers that `numbers` owes, joins the threads.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds and listens; clients queue from here on and are served from start() on. The message of a failure names the
  /// address and the system's reason.
  [[nodiscard]] Result<Done> listen();
  /// The port that is listened on, also where settings ask for port 0. REQUIRES: listen() succeeded.
  std::uint16_t port() const;
  /// REQUIRES: listen() succeeded; once.
  void start();

  /// Takes over a new segment.max_batch. Any thread.
  void set_max_batch(std::int64_t most) { shared_.max_batch.store(most); }

  /// Soon closes the listening socket; connections stay. Returns at once.
  void stop_accepting();
  /// Serves what has arrived, sends its replies, closes each connection as it is done. After `patience` closes the rest.
  /// True: all were done in time. Implies stop_accepting().
  bool drain(Duration patience);

  ServerStats stats() const;

 private:
  Shared shared_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;
  bool started_ = false;
};

}  // namespace seqd::resp
