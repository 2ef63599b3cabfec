// The text of /metrics. It always holds the same series, whatever is configured and whatever has happened; none of them
// carries a conversation's id or number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "adapters/prometheus/striped.h"
#include "core/situation.h"
#include "core/stats.h"

namespace seqd::prometheus {

inline constexpr std::array<const char*, 3> kCommandResultNames = {
    "ok",       ///< executed
    "refused",  ///< a good command that could not be served now; nothing was done
    "error",    ///< the client's mistake
};
inline constexpr std::array<const char*, 2> kListenerNames = {"resp", "http"};
inline constexpr std::array<double, 3> kReserveQuantiles = {0.01, 0.1, 0.5};

/// For how long the numbers in memory last at their present use, over the conversations that are in memory now.
struct ReserveLook {
  std::array<double, kReserveQuantiles.size()> seconds{};  ///< by place in kReserveQuantiles
  double sum_seconds = 0;
  std::int64_t conversations = 0;
};

struct ListenerCounts {
  std::int64_t connections = 0;
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  std::int64_t received_bytes = 0;
  std::int64_t sent_bytes = 0;
};

/// Where the values come from. A function that is not set gives 0. All are called from the thread that renders, one after
/// another; they and what they use outlive the Metrics.
struct Sources {
  std::string version;
  std::vector<std::string>
      commands;  ///< label values, lower case; fixed for the life of the process

  /// By place in `commands` and in kCommandResultNames.
  std::function<std::int64_t(std::size_t command, std::size_t result)> command_count;
  std::function<LatencyHistogram::Look()> command_durations;
  std::function<LatencyHistogram::Look()> reservation_durations;
  std::function<ListenerCounts(std::size_t listener)> listener;  ///< by place in kListenerNames
  std::function<double()> waiters;
  std::function<double()> resident;
  std::function<double()> issued;
  std::function<ReserveLook()> reserve;
  std::function<double()> lease_age_seconds;  ///< since the last renewal was sent
  std::function<double()> owned_slots;
  std::function<double()> busy_ratio;  ///< of the busiest event loop, 0 to 1
  std::function<double()> reload_ok;  ///< 1 if the last one succeeded; the load at the start counts
  std::function<double()> reload_unix_seconds;
  std::function<double()> log_dropped;
};

/// Any thread.
class Metrics {
 public:
  /// stats and situation outlive it.
  Metrics(Sources sources, const Stats& stats, const Situation& situation);
  /// Text format 0.0.4; its content type is "text/plain; version=0.0.4; charset=utf-8".
  std::string text() const;

 private:
  const Sources sources_;
  const Stats& stats_;
  const Situation& situation_;
};

}  // namespace seqd::prometheus
