// The tables of the store in memory, the hands of an operator on them, and every way a store can hurt its caller.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ports/counter_store.h"
#include "core/ports/lease_store.h"

namespace seqd::fakes {

/// How the next call of a port goes wrong.
enum class Fault : unsigned char {
  kRefuse,             ///< nothing applied, the caller hears kUnavailable
  kBusy,               ///< nothing applied, the caller hears kBusy
  kLoseReply,          ///< applied, the caller hears kUnknown
  kNotAppliedUnknown,  ///< not applied, the caller hears kUnknown
  kZombie,  ///< the caller hears kUnknown; run_zombies() runs the unit later, fence judged then
};

/// Which port a fault is for.
enum class Port : unsigned char { kCounters, kLeases, kHistory };

struct MemoryCounter {
  Slot slot = 0;
  CounterRow row;
};

/// Everything that is committed. A copy of it is a backup.
struct MemoryTables {
  std::map<std::string, MemoryCounter> counters;
  std::map<std::string, OwnerRow> owners;
  std::map<Slot, SlotRow> slots;
  std::map<std::string, std::int64_t> history;  ///< MAX(seq) of the host's message table
};

/// One server. Outlives the ports that are connected to it. Any thread.
class MemoryDatabase {
 public:
  MemoryDatabase() { put_back_slots(tables_, 0); }

  /// Runs f(MemoryTables&) under the lock: what an operator does with SQL.
  template <class F>
  decltype(auto) edit(F&& f) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::forward<F>(f)(tables_);
  }
  MemoryTables snapshot() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return tables_;
  }
  /// The store forgets everything since the snapshot (DESIGN S7).
  void restore(MemoryTables tables) {
    const std::lock_guard<std::mutex> lock(mutex_);
    tables_ = std::move(tables);
  }

  /// The next `times` calls of that port fail so, after those that were asked for before.
  void fail_next(Port port, Fault fault, int times = 1) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < times; ++i) faults_[index(port)].push_back(fault);
  }
  /// Every call of that port fails so until heal(); used when no fail_next() is left.
  void fail_always(Port port, Fault fault) {
    const std::lock_guard<std::mutex> lock(mutex_);
    standing_[index(port)] = fault;
  }
  /// Forgets all faults of all ports. Zombies stay.
  void heal() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& faults : faults_) faults.clear();
    standing_ = {};
  }
  /// Runs the units that were cut off from their clients, oldest first; answers how many of them were applied.
  int run_zombies() {
    const std::lock_guard<std::mutex> lock(mutex_);
    int applied = 0;
    for (auto& zombie : std::exchange(zombies_, {})) applied += zombie() ? 1 : 0;
    return applied;
  }
  std::size_t zombies() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return zombies_.size();
  }

  /// A foreign session holds this counter row: reserve() and release() skip it; lift() is refused.
  void lock_row(const std::string& conv_id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    locked_.insert(conv_id);
  }
  void unlock_row(const std::string& conv_id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    locked_.erase(conv_id);
  }

  /// Runs before every call with its name ("reserve", "renew", …), outside the lock: to count, to step time, to interleave.
  void on_call(std::function<void(std::string_view)> hook) {
    const std::lock_guard<std::mutex> lock(mutex_);
    hook_ = std::move(hook);
  }
  int calls(const std::string& name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = calls_.find(name);
    return found == calls_.end() ? 0 : found->second;
  }

  // What follows is for the ports below.

  /// Runs one call under the lock with the fault that is due. `body` answers Result<R>, and changes the tables only when
  /// it answers well.
  template <class R>
  Result<R> call(Port port, const char* name, std::function<Result<R>(MemoryTables&)> body) {
    std::function<void(std::string_view)> hook;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++calls_[name];
      hook = hook_;
    }
    if (hook) hook(name);
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::optional<Fault> fault = due(port);
    if (!fault) return body(tables_);
    const Error unknown{Code::kUnknown,
                        std::string(name) + ": the reply was lost (fault of a test)"};
    switch (*fault) {
      case Fault::kRefuse:
        break;
      case Fault::kBusy:
        return Error{Code::kBusy, std::string(name) + ": busy (fault of a test)"};
      case Fault::kLoseReply: {
        Result<R> done = body(tables_);
        if (!done) return done;
        return unknown;
      }
      case Fault::kNotAppliedUnknown:
        return unknown;
      case Fault::kZombie:
        zombies_.push_back([this, body = std::move(body)] { return body(tables_).ok(); });
        return unknown;
    }
    return Error{Code::kUnavailable, std::string(name) + ": refused (fault of a test)"};
  }
  /// A call that changes nothing: any fault is kUnavailable.
  template <class R>
  Result<R> read(Port port, const char* name, std::function<Result<R>(MemoryTables&)> body) {
    Result<R> done = call<R>(port, name, std::move(body));
    if (!done && done.error().code == Code::kUnknown) {
      return Error{Code::kUnavailable, done.error().message};
    }
    return done;
  }
  /// REQUIRES: inside call().
  bool locked(const std::string& conv_id) const { return locked_.contains(conv_id); }
  bool try_sole_lock(const void* who) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sole_holder_ == nullptr) sole_holder_ = who;
    lock_file_exists_ = true;
    return sole_holder_ == who;
  }
  /// The lock file's identity: it has none before somebody held it.
  std::string sole_lock_id() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lock_file_exists_ ? "memory" : "";
  }
  void drop_sole_lock(const void* who) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sole_holder_ == who) sole_holder_ = nullptr;
  }
  static void put_back_slots(MemoryTables& tables, std::int64_t epoch) {
    for (int slot = 0; slot < kSlotCount; ++slot) {
      const auto key = static_cast<Slot>(slot);
      tables.slots.try_emplace(key, SlotRow{key, "", epoch, 0});
    }
  }

 private:
  static std::size_t index(Port port) { return static_cast<std::size_t>(port); }
  std::optional<Fault> due(Port port) {
    auto& faults = faults_[index(port)];
    if (faults.empty()) return standing_[index(port)];
    const Fault fault = faults.front();
    faults.pop_front();
    return fault;
  }

  mutable std::mutex mutex_;
  MemoryTables tables_;
  std::array<std::deque<Fault>, 3> faults_;
  std::array<std::optional<Fault>, 3> standing_;
  std::vector<std::function<bool()>> zombies_;
  std::set<std::string> locked_;
  std::map<std::string, int> calls_;
  std::function<void(std::string_view)> hook_;
  const void* sole_holder_ = nullptr;
  bool lock_file_exists_ = false;
};

}  // namespace seqd::fakes
