// What is going on, for sentences and health checks: is the store there, who owns, why not us.
#pragma once

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
    bool prepared = false;      ///< the store's tables were found fit since the start
    std::string store_trouble;  ///< the last failed contact; empty while up
    std::string store_server;   ///< product and version
    bool durable = false;
    std::string own_name;
    std::string owner_name;  ///< who owns the conversations, as far as we know; empty = nobody
    std::string owner_address;
  };

  /// False once the store's last contact failed (DESIGN C5).
  bool store_up() const noexcept { return up_.load(std::memory_order_acquire); }
  /// Not before this may a background reservation be tried again.
  bool may_prefetch(BootTime now) const noexcept {
    return now.time_since_epoch().count() >= prefetch_from_ns_.load(std::memory_order_relaxed);
  }

  /// Returns true if it was down before.
  bool store_answered() {
    prefetch_from_ns_.store(0, std::memory_order_relaxed);
    backoff_ns_.store(0, std::memory_order_relaxed);
    if (up_.exchange(true, std::memory_order_acq_rel)) return false;
    facts_.with([](Facts& f) { f.store_trouble.clear(); });
    return true;
  }
  /// Returns true if it was up before. Prefetch waits twice as long with each failure, 1 s at most.
  bool store_failed(const std::string& why, BootTime now) {
    facts_.with([&](Facts& f) { f.store_trouble = why; });
    constexpr std::int64_t kFirst = 50'000'000;
    constexpr std::int64_t kMost = 1'000'000'000;
    std::int64_t wait = backoff_ns_.load(std::memory_order_relaxed) * 2;
    wait = wait < kFirst ? kFirst : wait > kMost ? kMost : wait;
    backoff_ns_.store(wait, std::memory_order_relaxed);
    prefetch_from_ns_.store(now.time_since_epoch().count() + wait, std::memory_order_relaxed);
    return up_.exchange(false, std::memory_order_acq_rel);
  }

  template <class F>
  decltype(auto) facts(F&& f) {
    return facts_.with(std::forward<F>(f));
  }
  Facts facts() const {
    return facts_.with([](const Facts& f) { return f; });
  }

 private:
  std::atomic<bool> up_{false};
  std::atomic<std::int64_t> prefetch_from_ns_{0};
  std::atomic<std::int64_t> backoff_ns_{0};
  Guarded<Facts> facts_;
};

}  // namespace seqd
