// What conversations ask of the store, queued until a unit takes it: hundreds go together in one transaction (DESIGN S9).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "core/ports/counter_store.h"
#include "core/slot_lease.h"

namespace seqd {

/// One conversation needs an interval. At most one Want of a conversation and grant exists (C1).
struct Want {
  std::string conv_id;
  Slot slot = 0;
  Grant grant = 0;
  ReserveAsk ask;
  bool row_known = false;         ///< an interval of this row is held: no need to look it up
  std::int64_t history_max = -1;  ///< what the message table says of it; -1: not asked yet
  int failures = 0;               ///< store failures in a row
};

/// One conversation leaves memory; its row gets the exact cur.
struct Leave {
  Release release;
  Grant grant = 0;
};

/// A read of a conversation that is not resident; `ticket` names the waiting request.
struct PeekAsk {
  std::string conv_id;
  Slot slot = 0;
  std::uint64_t ticket = 0;
};

/// What one round takes: at most kMaxUnitRows leaves, and as many wants and peeks together. While leaves are left over nothing
/// else is taken: a conversation that left and is wanted again is released first.
struct DemandBatch {
  std::vector<Leave> leaves;
  std::vector<Want> wants;
  std::vector<PeekAsk> peeks;
  bool empty() const { return leaves.empty() && wants.empty() && peeks.empty(); }
};

/// Any thread. Every push returns true if nobody works on the queue: the caller then calls wake(), outside its locks.
class Demand {
 public:
  [[nodiscard]] bool want(Want w) {
    return push([&](Queue& q) { q.wants.push_back(std::move(w)); });
  }
  [[nodiscard]] bool leave(Leave l) {
    return push([&](Queue& q) {
      q.leaves.push_back(std::move(l));
      ++q.open_leaves;
    });
  }
  /// Leaves that were taken are settled: released, or a counted gap.
  void settled(std::size_t leaves) {
    queue_.with([&](Queue& q) { q.open_leaves -= leaves; });
  }
  [[nodiscard]] bool peek(PeekAsk p) {
    return push([&](Queue& q) { q.peeks.push_back(std::move(p)); });
  }

  /// Set once, before the first push.
  void on_work(std::function<void()> wake) { wake_ = std::move(wake); }
  void wake() const { wake_(); }

  /// Takes the next batch; an empty one ends the work: the next push asks for a wake again.
  DemandBatch take() {
    return queue_.with([](Queue& q) {
      DemandBatch batch;
      move_some(q.leaves, batch.leaves, kMaxUnitRows);
      if (!q.leaves.empty()) return batch;
      move_some(q.wants, batch.wants, kMaxUnitRows);
      move_some(q.peeks, batch.peeks, kMaxUnitRows - batch.wants.size());
      if (batch.empty()) q.working = false;
      return batch;
    });
  }
  /// Everything that is queued, to be refused; the work goes on.
  std::deque<Want> take_all_wants() {
    return queue_.with([](Queue& q) { return std::exchange(q.wants, {}); });
  }
  std::deque<Leave> take_all_leaves() {
    return queue_.with([](Queue& q) {
      q.open_leaves -= q.leaves.size();
      return std::exchange(q.leaves, {});
    });
  }
  /// True while a leave is queued or in flight.
  bool leaving() const {
    return queue_.with([](const Queue& q) { return q.open_leaves > 0; });
  }
  /// True if nothing is queued and nobody works.
  bool idle() const {
    return queue_.with([](const Queue& q) { return !q.working; });
  }

 private:
  struct Queue {
    std::deque<Leave> leaves;
    std::deque<Want> wants;
    std::deque<PeekAsk> peeks;
    std::size_t open_leaves = 0;  // queued, or taken and not settled
    bool working = false;
  };

  template <class F>
  bool push(F&& f) {
    return queue_.with([&](Queue& q) {
      f(q);
      return !std::exchange(q.working, true);
    });
  }
  template <class T>
  static void move_some(std::deque<T>& from, std::vector<T>& to, std::size_t most) {
    while (!from.empty() && to.size() < most) {
      to.push_back(std::move(from.front()));
      from.pop_front();
    }
  }

  Guarded<Queue> queue_;
  std::function<void()> wake_;
};

}  // namespace seqd
