// Data and the mutex that guards it, in one object: the data cannot be reached without the lock.
#pragma once

#include <mutex>
#include <utility>

namespace seqd {

/// Guarded<T> owns a T. with(f) runs f(T&) under the lock and returns what f returns.
/// No I/O and no call into another Guarded inside f (DESIGN 10). Any thread.
template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  template <class F>
  decltype(auto) with(F&& f) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::forward<F>(f)(value_);
  }
  template <class F>
  decltype(auto) with(F&& f) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::forward<F>(f)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace seqd
