#include "base/clock.h"

#include <ctime>

namespace seqd {

BootTime boot_now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return BootTime(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

WallTime wall_now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return WallTime{static_cast<std::int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000};
}

}  // namespace seqd
