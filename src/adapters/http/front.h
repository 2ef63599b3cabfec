// The thread in front of the workers: accepts, reads whole requests, hands them over, writes what comes back.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/http/connection.h"
#include "adapters/http/exchange.h"
#include "adapters/http/limits.h"
#include "adapters/http/workers.h"
#include "base/guarded.h"

namespace seqd::http {

/// A client costs memory here, never a thread: half a request, a drip of bytes or an unread response holds nobody up. Health
/// and metrics have workers of their own. When all connections are taken, the client that has least time left for its
/// unfinished request goes, so that new ones always get in.
class Front {
 public:
  /// `listener` is a non-blocking listening socket and outlives the Front, as do the rest.
  Front(int listener, std::size_t api_threads, const Exchange& exchange, const Limits& limits,
        ServerStats& stats);
  /// stop() with no patience, if it was not called.
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  void start();
  /// Accepts no more, answers what has arrived, closes each connection as it is done; after `patience` closes the rest. Then joins; what workers still do for an Api, they finish. True: all were done in time.
  bool stop(Duration patience);

 private:
  using Connections = std::map<std::uint64_t, std::unique_ptr<Connection>>;
  struct Finished {
    std::uint64_t id;
    std::string bytes;
  };

  void run();
  void wake() const;
  void accept_clients();
  void make_room();
  void begin_stop();
  void on_event(Connection& connection, unsigned events);
  void dispatch(Connection& connection);
  void settle(Connection& connection);
  void collect();
  void sweep(BootTime now);
  bool drained(BootTime now);

  const int listener_;
  const Exchange& exchange_;
  const Limits limits_;
  ServerStats& stats_;
  const int epoll_;
  const int wake_;
  std::uint64_t next_id_ = 2;  // 0 and 1 are the listener and the wake-up
  Connections connections_;
  std::size_t working_ = 0;
  bool paused_ = false;  // accept() failed for want of descriptors
  BootTime next_sweep_;
  Guarded<std::vector<Finished>> finished_;
  std::atomic<std::int64_t> stop_by_ns_{0};  // 0: not stopping
  bool stopping_ = false;
  bool in_time_ = true;
  std::thread thread_;
  // Last: their jobs use what stands above.
  std::unique_ptr<Workers> api_;
  std::unique_ptr<Workers> health_;
};

}  // namespace seqd::http
