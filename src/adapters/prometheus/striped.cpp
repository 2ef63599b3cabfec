#include "adapters/prometheus/striped.h"

#include <algorithm>

namespace seqd::prometheus {

std::size_t own_stripe() noexcept {
  static std::atomic<std::size_t> next{0};
  static thread_local const std::size_t own =
      next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return own;
}

std::int64_t StripedCounter::total() const noexcept {
  std::int64_t sum = 0;
  for (const Stripe& stripe : stripes_) sum += stripe.n.load(std::memory_order_relaxed);
  return sum;
}

void LatencyHistogram::observe(Duration took) noexcept {
  const std::int64_t ns = std::max<std::int64_t>(took.count(), 0);
  const double seconds = static_cast<double>(ns) * 1e-9;
  const auto bucket = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), seconds);
  Stripe& stripe = stripes_[own_stripe()];
  stripe.counts[static_cast<std::size_t>(bucket - kLatencyBounds.begin())].fetch_add(
      1, std::memory_order_relaxed);
  stripe.sum_ns.fetch_add(ns, std::memory_order_relaxed);
}

LatencyHistogram::Look LatencyHistogram::look() const noexcept {
  Look look;
  std::int64_t sum_ns = 0;
  for (const Stripe& stripe : stripes_) {
    for (std::size_t i = 0; i < look.counts.size(); ++i) {
      look.counts[i] += stripe.counts[i].load(std::memory_order_relaxed);
    }
    sum_ns += stripe.sum_ns.load(std::memory_order_relaxed);
  }
  look.sum_seconds = static_cast<double>(sum_ns) * 1e-9;
  return look;
}

}  // namespace seqd::prometheus
