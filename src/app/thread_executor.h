// Core's lanes as threads.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/ports/executor.h"

namespace seqd::app {

/// One thread for each lane: a lane that is stuck in a call holds up no other. Any thread may submit.
class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor();
  /// As stop().
  ~ThreadExecutor() override;

  void submit(Lane lane, std::function<void()> work, std::function<void()> done) override;
  void after(Lane lane, Duration delay, std::function<void()> then) override;

  /// Drops what was not begun, waits for what is running, ends the threads. Not from a lane.
  void stop();

 private:
  struct LaneThread {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::pair<std::function<void()>, std::function<void()>>> tasks;
    std::multimap<BootTime, std::function<void()>> timers;
    bool stopping = false;
    std::thread thread;
  };

  static void run(LaneThread& lane);

  std::array<LaneThread, kLanes> lanes_;
};

}  // namespace seqd::app
