// Numbers that count in memory, and can be told to refuse, to wait, or to answer from another thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/resp/numbers.h"

namespace seqd::resp {

class FakeNumbers final : public Numbers {
 public:
  /// Answers that are still owed are given before the fake goes, as the port promises.
  ~FakeNumbers() override { answer_all(); }

  TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                  std::uint64_t token) override {
    const std::string id(conv.bytes());
    std::unique_lock lock(mutex_);
    ++takes_;
    if (const auto it = refused_.find(id); it != refused_.end()) {
      return {TakeResult::Kind::kRefused, it->second, 0, 0};
    }
    if (parks_ && parks_(id)) {
      parked_.push_back({[this, id, n, sink, token] { sink->taken(token, count(id, n)); }, id});
      parked_more_.notify_all();
      return {TakeResult::Kind::kWaiting, {}, 0, 0};
    }
    if (early_ && early_(id)) {
      const TakeResult result = count_locked(id, n);
      lock.unlock();
      sink->taken(token, result);
      return {TakeResult::Kind::kWaiting, {}, 0, 0};
    }
    return count_locked(id, n);
  }

  PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) override {
    const std::string id(conv.bytes());
    const std::lock_guard lock(mutex_);
    if (parks_ && parks_(id)) {
      parked_.push_back({[this, id, sink, token] { sink->peeked(token, look(id)); }, id});
      parked_more_.notify_all();
      return {PeekResult::Kind::kWaiting, {}, 0, 0};
    }
    return look_locked(id);
  }

  std::string refusal_text(Refusal why) const override {
    return "refused for reason " + std::to_string(static_cast<int>(why));
  }
  Place place(const ConvId&) const override { return {7, "me", 3}; }
  InfoText route() const override { return {{"current", "segment"}, {"mode", "auto"}}; }
  InfoText info() const override { return {{"seqd_route", "segment"}}; }

  // For tests; any thread.
  using Choice = std::function<bool(const std::string&)>;
  void park(Choice which) {
    with([&] { parks_ = std::move(which); });
  }
  void answer_early(Choice which) {
    with([&] { early_ = std::move(which); });
  }
  void refuse(const std::string& id, Refusal why) {
    with([&] { refused_[id] = why; });
  }
  void set(const std::string& id, std::int64_t v) {
    with([&] { counters_[id] = v; });
  }

  void wait_for_parked(std::size_t n) {
    std::unique_lock lock(mutex_);
    parked_more_.wait(lock, [&] { return parked_.size() >= n; });
  }
  std::int64_t takes() const {
    const std::lock_guard lock(mutex_);
    return takes_;
  }
  /// Answers the parked request at this place of the queue.
  void answer(std::size_t at) {
    std::function<void()> run;
    with([&] {
      run = std::move(parked_[at].run);
      parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(at));
    });
    run();
  }
  void answer_all() {
    for (;;) {
      std::function<void()> run;
      with([&] {
        if (parked_.empty()) return;
        run = std::move(parked_.front().run);
        parked_.pop_front();
      });
      if (!run) return;
      run();
    }
  }

 private:
  struct Parked {
    std::function<void()> run;
    std::string id;
  };

  template <class F>
  void with(F&& f) {
    const std::lock_guard lock(mutex_);
    f();
  }
  TakeResult count_locked(const std::string& id, std::int64_t n) {
    std::int64_t& at = counters_[id];
    at += n;
    return {TakeResult::Kind::kTaken, {}, at - n + 1, at};
  }
  TakeResult count(const std::string& id, std::int64_t n) {
    const std::lock_guard lock(mutex_);
    return count_locked(id, n);
  }
  PeekResult look_locked(const std::string& id) {
    if (const auto it = refused_.find(id); it != refused_.end()) {
      return {PeekResult::Kind::kRefused, it->second, 0, 0};
    }
    const auto it = counters_.find(id);
    if (it == counters_.end()) return {PeekResult::Kind::kNever, {}, 0, 0};
    return {PeekResult::Kind::kKnown, {}, it->second, it->second + 1000};
  }
  PeekResult look(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return look_locked(id);
  }

  mutable std::mutex mutex_;
  std::condition_variable parked_more_;
  std::map<std::string, std::int64_t> counters_;
  std::map<std::string, Refusal> refused_;
  std::deque<Parked> parked_;
  Choice parks_;
  Choice early_;
  std::int64_t takes_ = 0;
};

}  // namespace seqd::resp
