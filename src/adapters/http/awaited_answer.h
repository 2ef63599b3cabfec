// A thread that waits for an answer which core gives later.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/answer.h"

namespace seqd::http {

/// For one request: pass it as the sink, then wait for the answer that is owed. It must not go before that answer came.
class AwaitedAnswer final : public AnswerSink {
 public:
  void taken(std::uint64_t /*token*/, const TakeResult& result) noexcept override {
    put(taken_, result);
  }
  void peeked(std::uint64_t /*token*/, const PeekResult& result) noexcept override {
    put(peeked_, result);
  }
  TakeResult wait_taken() { return wait(taken_); }
  PeekResult wait_peeked() { return wait(peeked_); }

 private:
  template <class T>
  void put(std::optional<T>& place, const T& result) {
    // Notified under the lock: the waiting thread destroys this object as soon as it can leave.
    const std::lock_guard lock(mutex_);
    place = result;
    came_.notify_one();
  }
  template <class T>
  T wait(std::optional<T>& place) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return place.has_value(); });
    return *place;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<TakeResult> taken_;
  std::optional<PeekResult> peeked_;
};

}  // namespace seqd::http
