#include "app/thread_executor.h"

#include <pthread.h>

#include "base/clock.h"

namespace seqd::app {

ThreadExecutor::ThreadExecutor() {
  static constexpr std::array<const char*, kLanes> kNames = {"seqd-counters", "seqd-lease",
                                                             "seqd-history", "seqd-keep"};
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].thread = std::thread(run, std::ref(lanes_[i]));
    pthread_setname_np(lanes_[i].thread.native_handle(), kNames[i]);
  }
}

ThreadExecutor::~ThreadExecutor() { stop(); }

void ThreadExecutor::submit(Lane lane, std::function<void()> work, std::function<void()> done) {
  LaneThread& l = lanes_[static_cast<std::size_t>(lane)];
  {
    const std::lock_guard<std::mutex> lock(l.mutex);
    if (l.stopping) return;
    l.tasks.emplace_back(std::move(work), std::move(done));
  }
  l.wake.notify_one();
}

void ThreadExecutor::after(Lane lane, Duration delay, std::function<void()> then) {
  LaneThread& l = lanes_[static_cast<std::size_t>(lane)];
  {
    const std::lock_guard<std::mutex> lock(l.mutex);
    if (l.stopping) return;
    l.timers.emplace(seqd::boot_now() + delay, std::move(then));
  }
  l.wake.notify_one();
}

void ThreadExecutor::run(LaneThread& lane) {
  std::unique_lock<std::mutex> lock(lane.mutex);
  while (!lane.stopping) {
    std::function<void()> work;
    std::function<void()> done;
    const BootTime now = seqd::boot_now();
    if (!lane.timers.empty() && lane.timers.begin()->first <= now) {
      done = std::move(lane.timers.extract(lane.timers.begin()).mapped());
    } else if (!lane.tasks.empty()) {
      std::tie(work, done) = std::move(lane.tasks.front());
      lane.tasks.pop_front();
    } else if (lane.timers.empty()) {
      lane.wake.wait(lock);
      continue;
    } else {
      // wait_for counts on CLOCK_MONOTONIC: after a suspend it is late by at most what is left of this wait.
      lane.wake.wait_for(lock, lane.timers.begin()->first - now);
      continue;
    }
    lock.unlock();
    if (work) work();
    if (done) done();
    // What they captured may take locks when it goes.
    work = nullptr;
    done = nullptr;
    lock.lock();
  }
}

void ThreadExecutor::stop() {
  for (LaneThread& lane : lanes_) {
    {
      const std::lock_guard<std::mutex> lock(lane.mutex);
      lane.stopping = true;
      lane.tasks.clear();
      lane.timers.clear();
    }
    lane.wake.notify_one();
  }
  for (LaneThread& lane : lanes_) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

}  // namespace seqd::app
