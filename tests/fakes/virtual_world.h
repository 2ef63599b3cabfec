// Virtual time: one thread, no sleeps. Every blocking call of core is split into sent, takes effect and reply.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "core/ports/clock.h"
#include "core/ports/executor.h"

namespace seqd::fakes {

/// Time and what is going to happen. One for all daemons of a test.
class VirtualWorld {
 public:
  BootTime now() const { return now_; }
  std::int64_t wall_ms = 1'800'000'000'000;

  void at(BootTime when, std::function<void()> event) {
    events_.emplace(std::pair{when < now_ ? now_ : when, order_++}, std::move(event));
  }
  /// Runs everything that happens within `span`, in order.
  void run_for(Duration span) {
    const BootTime until = now_ + span;
    while (!events_.empty() && events_.begin()->first.first <= until) {
      auto event = events_.extract(events_.begin());
      now_ = event.key().first;
      event.mapped()();
    }
    now_ = until;
  }
  /// Runs until `condition` holds; false if it does not within `limit`.
  template <class Condition>
  bool run_until(Condition condition, Duration limit = std::chrono::seconds(60)) {
    const BootTime until = now_ + limit;
    while (!condition()) {
      if (events_.empty() || events_.begin()->first.first > until) return false;
      auto event = events_.extract(events_.begin());
      now_ = event.key().first;
      event.mapped()();
    }
    return true;
  }

 private:
  BootTime now_{std::chrono::seconds(1000)};
  std::uint64_t order_ = 0;
  std::map<std::pair<BootTime, std::uint64_t>, std::function<void()>> events_;
};

/// One daemon's lanes and clock. A frozen one does nothing until thawed, while the world goes on (SIGSTOP); a dead one never
/// does again (SIGKILL): what it sent may still take effect.
class VirtualProcess final : public Executor, public Clock {
 public:
  explicit VirtualProcess(VirtualWorld& world) : world_(world) {}

  std::array<Duration, kLanes>
      latency{};  ///< of a call: half until it takes effect, half for the reply

  BootTime boot_now() const noexcept override { return world_.now(); }
  WallTime wall_now() const noexcept override { return WallTime{world_.wall_ms}; }

  void submit(Lane lane, std::function<void()> work, std::function<void()> done) override {
    enqueue(lane, Task{std::move(work), std::move(done), latency[index(lane)]});
  }
  void after(Lane lane, Duration delay, std::function<void()> then) override {
    world_.at(world_.now() + delay, [this, lane, then = std::move(then)]() mutable {
      enqueue(lane, Task{nullptr, std::move(then), Duration::zero()});
    });
  }

  void freeze() { frozen_ = true; }
  void thaw() {
    frozen_ = false;
    for (auto& held : std::exchange(held_, {})) world_.at(world_.now(), std::move(held));
  }
  void kill() { dead_ = true; }

 private:
  struct Task {
    std::function<void()> work;
    std::function<void()> done;
    Duration latency;
  };
  struct LaneQueue {
    std::deque<Task> tasks;
    bool busy = false;
  };

  static std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }

  void enqueue(Lane lane, Task task) {
    if (dead_) return;
    lanes_[index(lane)].tasks.push_back(std::move(task));
    if (!lanes_[index(lane)].busy) begin(lane);
  }
  void begin(Lane lane) {
    LaneQueue& queue = lanes_[index(lane)];
    if (queue.tasks.empty()) return;
    queue.busy = true;
    Task task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    // Sent: from here on it takes effect even if this process freezes or dies.
    world_.at(world_.now() + task.latency / 2, [work = std::move(task.work)] {
      if (work) work();
    });
    world_.at(world_.now() + task.latency, [this, lane, done = std::move(task.done)]() mutable {
      alive([this, lane, done = std::move(done)] {
        if (done) done();
        lanes_[index(lane)].busy = false;
        begin(lane);
      });
    });
  }
  void alive(std::function<void()> step) {
    if (dead_) return;
    if (frozen_) {
      held_.push_back(std::move(step));
    } else {
      step();
    }
  }

  VirtualWorld& world_;
  std::array<LaneQueue, kLanes> lanes_;
  std::deque<std::function<void()>> held_;
  bool frozen_ = false;
  bool dead_ = false;
};

}  // namespace seqd::fakes
