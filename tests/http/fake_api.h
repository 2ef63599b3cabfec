// A daemon that counts in memory, and can be told to refuse, to wait and to be unfit.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/api.h"

namespace seqd::http {

class FakeApi final : public Api {
 public:
  ~FakeApi() override { answer_all(); }

  TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                  std::uint64_t token) override {
    const std::lock_guard lock(mutex_);
    const std::string id(conv.bytes());
    ++takes_;
    if (id == "throws") throw std::runtime_error("no luck with secret-name");
    if (refused_) return {TakeResult::Kind::kRefused, *refused_, 0, 0};
    std::int64_t& at = counters_[id];
    at += n;
    const TakeResult result{TakeResult::Kind::kTaken, {}, at - n + 1, at};
    if (id.starts_with("parked")) return park([=] { sink->taken(token, result); }), kTakeLater;
    return result;
  }
  PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) override {
    const std::lock_guard lock(mutex_);
    const std::string id(conv.bytes());
    if (refused_) return {PeekResult::Kind::kRefused, *refused_, 0, 0};
    const auto it = counters_.find(id);
    if (it == counters_.end()) return {PeekResult::Kind::kNever, {}, 0, 0};
    const PeekResult result{PeekResult::Kind::kKnown, {}, it->second, it->second + 1000};
    if (id.starts_with("parked")) {
      park([=] { sink->peeked(token, result); });
      return {PeekResult::Kind::kWaiting, {}, 0, 0};
    }
    return result;
  }
  std::string refusal_text(Refusal why) const override {
    return "reason " + std::to_string(static_cast<int>(why));
  }
  std::string route() const override { return "segment"; }
  Placement placement(const ConvId& /*conv*/) const override {
    return {"segment", std::nullopt, 17, "node-a", 3};
  }
  FloorResult raise_floor(const ConvId& conv, std::int64_t at_least) override {
    const std::lock_guard lock(mutex_);
    if (!floors_) return {};
    if (conv.bytes() == "fails") return {FloorResult::Kind::kFailed, {}, 0, 0, "the store is away"};
    if (refused_) return {FloorResult::Kind::kRefused, *refused_, 0, 0, ""};
    return {FloorResult::Kind::kRaised, {}, at_least, at_least + 5, ""};
  }
  Json status() const override {
    return Json::Object{{"route", Json::Object{{"current", "segment"}}}, {"owner", Json()}};
  }
  Json config() const override { return Json::Object{{"http", Json::Object{{"threads", "8"}}}}; }
  std::optional<Json> top(std::int64_t n) const override {
    return Json(Json::Array{Json::digits(n)});
  }
  std::optional<std::vector<std::string>> msg_ids(std::int64_t n) override {
    if (!floors_) return std::nullopt;
    return std::vector<std::string>(static_cast<std::size_t>(n), "7");
  }
  std::optional<Json> msg_id_parts(std::int64_t id) const override {
    if (!floors_) return std::nullopt;
    return Json(Json::Object{{"sequence", Json::digits(id)}});
  }
  std::vector<Check> ready_checks() const override {
    const std::lock_guard lock(mutex_);
    return {{"store", ready_, "connection\nrefused"}, {"lease", true, ""}};
  }
  std::string metrics_text() const override {
    const std::lock_guard lock(mutex_);
    return metrics_;
  }
  ReloadOutcome reload() override {
    const std::lock_guard lock(mutex_);
    return {ready_, ready_ ? "nothing changed" : "seqd.yaml:3:1: no such key"};
  }

  // For tests; any thread.
  void refuse(std::optional<Refusal> why) {
    const std::lock_guard lock(mutex_);
    refused_ = why;
  }
  void metrics(std::string text) {
    const std::lock_guard lock(mutex_);
    metrics_ = std::move(text);
  }
  void ready(bool yes) {
    const std::lock_guard lock(mutex_);
    ready_ = yes;
  }
  void serve_everything() {
    const std::lock_guard lock(mutex_);
    floors_ = true;
  }
  std::int64_t takes() const {
    const std::lock_guard lock(mutex_);
    return takes_;
  }
  void wait_for_parked(std::size_t n) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [&] { return parked_.size() >= n; });
  }
  void answer_all() {
    std::deque<std::function<void()>> parked;
    {
      const std::lock_guard lock(mutex_);
      parked.swap(parked_);
    }
    for (const auto& answer : parked) answer();
  }

 private:
  static constexpr TakeResult kTakeLater{TakeResult::Kind::kWaiting, {}, 0, 0};
  void park(std::function<void()> answer) {
    parked_.push_back(std::move(answer));
    more_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable more_;
  std::map<std::string, std::int64_t> counters_;
  std::deque<std::function<void()>> parked_;
  std::optional<Refusal> refused_;
  std::int64_t takes_ = 0;
  std::string metrics_ = "up 1\n";
  bool ready_ = true;
  bool floors_ = false;
};

}  // namespace seqd::http
