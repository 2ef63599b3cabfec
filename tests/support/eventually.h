// Waiting for a condition, in tests that have a real server beside them.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace seqd::support {

/// Asks every 5 ms until the condition holds; false after ten seconds.
inline bool eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace seqd::support
