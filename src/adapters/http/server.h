// The HTTP front: listens, serves, drains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adapters/http/api.h"
#include "adapters/http/limits.h"
#include "base/clock.h"
#include "base/result.h"
#include "core/settings.h"

namespace seqd::http {

/// Order of calls: listen(), start(), stop(), destructor; from one thread. port(), stats(): from any, after listen().
/// `api` and `log` are called from the workers' threads and outlive the Server. A signal for a broken pipe is never raised.
class Server {
 public:
  /// token "" = none is configured. `settings.token_file` is not read here.
  Server(HttpSettings settings, std::string token, Api& api, std::int64_t max_batch, Log log,
         Limits limits = {});
  /// Closes every connection and joins the threads; waits for the answers that `api` owes.
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
  /// Accepts no more, answers the requests that have arrived whole, closes each connection as it is done; after `patience`
  /// closes the rest. Returns when no call to `api` is in progress. True: all were done in time.
  bool stop(Duration patience);

  const ServerStats& stats() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace seqd::http
