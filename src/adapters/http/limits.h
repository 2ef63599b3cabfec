// What one client, or all of them, may ask for at most.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/clock.h"

namespace seqd::http {

/// Sizes of requests stand in head.h.
struct Limits {
  std::size_t connections = 1000;
  std::size_t api_queue =
      64;  ///< requests that may wait for one of the http.threads; more are answered 503
  std::size_t health_threads = 2;  ///< for health and metrics alone
  std::size_t health_queue = 64;
  Duration request =
      std::chrono::seconds(5);  ///< from its first byte to its last, however slowly they come
  Duration idle = std::chrono::seconds(15);     ///< between two requests
  Duration response = std::chrono::seconds(5);  ///< until the client has taken it
  Duration linger = std::chrono::seconds(1);    ///< for the client to close after a last answer
};

/// One sentence for the operator's log. Any thread.
using Log = std::function<void(std::string_view)>;

/// Since the start; each is read on its own. Any thread.
struct ServerStats {
  std::atomic<std::int64_t> connected{0};
  std::atomic<std::int64_t> accepted{0};
  std::atomic<std::int64_t> rejected{0};  ///< connections that were ended to make room for others
  std::atomic<std::int64_t> overfull{
      0};  ///< requests that were answered 503 because all threads were busy
  std::atomic<std::int64_t> faults{0};  ///< requests that could not be read
  std::atomic<std::int64_t> requests{0};
  std::atomic<std::int64_t> bytes_in{0};
  std::atomic<std::int64_t> bytes_out{0};
};

}  // namespace seqd::http
