// The two clocks, as types that cannot be mixed: time since boot decides, the wall is for people.
#pragma once

#include <chrono>
#include <cstdint>

namespace seqd {

using Duration = std::chrono::nanoseconds;

/// Time since boot, suspend included (CLOCK_BOOTTIME): never steps, never stops in suspend (DESIGN C4).
struct BootClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
};
using BootTime = BootClock::time_point;

/// Milliseconds since 1970 of the wall clock. For logs and for msg_id's anchor; decides nothing else.
struct WallTime {
  std::int64_t unix_ms = 0;
};

/// Reads CLOCK_BOOTTIME (vDSO, about 25 ns). Any thread.
BootTime boot_now() noexcept;
/// Reads CLOCK_REALTIME. Any thread.
WallTime wall_now() noexcept;

}  // namespace seqd
