// What core asks of time. The only clocks that core knows are the ones handed in through this port.
#pragma once

#include "base/clock.h"

namespace seqd {

/// Any thread. boot_now() never goes back within a process. wall_now() may step either way.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual BootTime boot_now() const noexcept = 0;
  virtual WallTime wall_now() const noexcept = 0;
};

}  // namespace seqd
