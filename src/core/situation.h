// What is going on, for sentences and health checks: is the store there, who owns, why not us.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"

namespace seqd {

/// Any thread. The atomics are read on request paths, the texts only for people.
class Situation {
 public:
  struct Facts {
    bool prepared = false;               ///< the store's tables were found fit since the start
    std::array<std::string, 2> trouble;  ///< by Link: the last failed contact; empty while up
    std::string store_server;            ///< product and version
    bool durable = false;
    std::string own_name;
    std::string owner_name;  ///< who owns the conversations, as far as we know; empty = nobody
    std::string owner_address;

    const std::string& store_trouble() const {
      return trouble[0].empty() ? trouble[1] : trouble[0];
    }
  };

  /// The two connections that a daemon has to its store; either may fail alone.
  enum class Link : unsigned char { kCounters, kLease };

  /// False once the last contact for reservations failed (DESIGN C5).
  bool can_reserve() const noexcept { return up_[0].load(std::memory_order_acquire); }
  /// Not before this may a background reservation be tried again.
  bool may_prefetch(BootTime now) const noexcept {
    return now.time_since_epoch().count() >= prefetch_from_ns_.load(std::memory_order_relaxed);
  }
  bool store_up() const noexcept { return up_[0].load() && up_[1].load(); }

  /// Returns true if that link was down before.
  bool answered(Link link) {
    if (link == Link::kCounters) {
      prefetch_from_ns_.store(0, std::memory_order_relaxed);
      backoff_ns_.store(0, std::memory_order_relaxed);
    }
    if (up_[index(link)].exchange(true, std::memory_order_acq_rel)) return false;
    facts_.with([&](Facts& f) { f.trouble[index(link)].clear(); });
    return true;
  }
  /// Returns true if that link was up before. Prefetch waits twice as long with each failure, half a second at most.
  bool failed(Link link, const std::string& why, BootTime now) {
    facts_.with([&](Facts& f) { f.trouble[index(link)] = why; });
    if (link == Link::kCounters) {
      const std::int64_t wait = std::clamp<std::int64_t>(
          backoff_ns_.load(std::memory_order_relaxed) * 2, 50'000'000, 500'000'000);
      backoff_ns_.store(wait, std::memory_order_relaxed);
      prefetch_from_ns_.store(now.time_since_epoch().count() + wait, std::memory_order_relaxed);
    }
    return up_[index(link)].exchange(false, std::memory_order_acq_rel);
  }
  /// How long to wait before the next look at a failed link.
  Duration backoff() const { return Duration(backoff_ns_.load(std::memory_order_relaxed)); }

  template <class F>
  decltype(auto) facts(F&& f) {
    return facts_.with(std::forward<F>(f));
  }
  template <class F>
  decltype(auto) facts(F&& f) const {
    return facts_.with(std::forward<F>(f));
  }
  Facts facts() const {
    return facts_.with([](const Facts& f) { return f; });
  }

 private:
  static std::size_t index(Link link) { return static_cast<std::size_t>(link); }

  std::array<std::atomic<bool>, 2> up_{true, false};
  std::atomic<std::int64_t> prefetch_from_ns_{0};
  std::atomic<std::int64_t> backoff_ns_{0};
  Guarded<Facts> facts_;
};

}  // namespace seqd
