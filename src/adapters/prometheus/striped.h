// Counters that many threads write at once without meeting: each thread has a stripe of its own, a reader adds them up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace seqd::prometheus {

inline constexpr std::size_t kStripes = 16;

/// The stripe of the calling thread, the same for its whole life. Threads beyond kStripes share.
std::size_t own_stripe() noexcept;

/// Any thread. total() never goes down.
class StripedCounter {
 public:
  void add(std::int64_t n = 1) noexcept {
    stripes_[own_stripe()].n.fetch_add(n, std::memory_order_relaxed);
  }
  std::int64_t total() const noexcept;

 private:
  struct alignas(64) Stripe {
    std::atomic<std::int64_t> n{0};
  };
  std::array<Stripe, kStripes> stripes_;
};

/// Upper bounds of the buckets in seconds, 10 microseconds to 2.5 seconds; the last bucket has none.
inline constexpr std::array<double, 17> kLatencyBounds = {
    10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3,
    10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1.0,  2.5};

/// How long something took, as a histogram. observe(): any thread, a few nanoseconds. look(): any thread; what is observed
/// meanwhile may be in or not.
class LatencyHistogram {
 public:
  struct Look {
    std::array<std::int64_t, kLatencyBounds.size() + 1> counts{};  ///< per bucket, not cumulative
    double sum_seconds = 0;
  };
  void observe(Duration took) noexcept;
  Look look() const noexcept;

 private:
  struct alignas(64) Stripe {
    std::array<std::atomic<std::int64_t>, kLatencyBounds.size() + 1> counts{};
    std::atomic<std::int64_t> sum_ns{0};
  };
  std::array<Stripe, kStripes> stripes_;
};

}  // namespace seqd::prometheus
