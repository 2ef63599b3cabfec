// Where and when core's blocking calls run. Core has no thread of its own: it hands out work and continuations.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/clock.h"

namespace seqd {

/// A lane runs its tasks one at a time, in the order of submission. In the daemon each lane is a thread with its own store
/// connection; in a simulator all lanes share one thread under virtual time.
enum class Lane : unsigned char {
  kCounters,      ///< reservations and releases (CounterStore)
  kLease,         ///< the owner lease (LeaseStore): nothing else may run here (DESIGN O3, H60)
  kHistory,       ///< the host system's message table (HistorySource)
  kHousekeeping,  ///< never blocks: deadlines of waiting requests
};
inline constexpr int kLanes = 4;

/// First use: submit() at any time after construction. Unknown outcome: none here; a port call's own result says it.
///
/// A blocking call is two functions so that a simulator can split it in three:
///   submit()   the call is SENT
///   work()     it TAKES EFFECT in the world (may block; touches only the port and its own result)
///   done()     its REPLY arrives in core
/// Between any two of them time may pass, the process may be paused, or it may end. An executor that is stopped drops
/// what it has not begun; core must not depend on done() being called.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void submit(Lane lane, std::function<void()> work, std::function<void()> done) = 0;
  /// Runs `then` on the lane, not before `delay` has passed on the boot clock.
  virtual void after(Lane lane, Duration delay, std::function<void()> then) = 0;
};

/// Typed form: runs `work` on the lane and hands its result to `done`.
template <class Work, class Then>
void call(Executor& executor, Lane lane, Work work, Then done) {
  using R = decltype(work());
  auto result = std::make_shared<std::unique_ptr<R>>();
  executor.submit(
      lane, [result, work = std::move(work)]() mutable { *result = std::make_unique<R>(work()); },
      [result, done = std::move(done)]() mutable { done(std::move(**result)); });
}

}  // namespace seqd
