// The real clocks behind core's Clock port.
#pragma once

#include "core/ports/clock.h"

namespace seqd::app {

/// Any thread.
class SystemClock final : public Clock {
 public:
  BootTime boot_now() const noexcept override { return seqd::boot_now(); }
  WallTime wall_now() const noexcept override { return seqd::wall_now(); }
};

}  // namespace seqd::app
