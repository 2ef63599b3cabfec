// The daemon's log: lines on standard error, written by a thread of their own.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace seqd::app {

enum class Level : unsigned char { kDebug, kInfo, kWarning, kError };
inline constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning",
                                                                "error"};

/// Any thread. A line is queued and the caller goes on; when the reader of the pipe is stuck, lines are dropped and counted,
/// and nobody waits (DESIGN O3, H60). Text is made harmless: control characters are escaped.
class Log {
 public:
  /// level: one of kLevelNames; format: text | json. Unknown ones mean info and text.
  Log(std::string_view level, std::string_view format);
  /// Writes what is queued, for a second at most.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// `event` is a stable word for machines, `text` a sentence for people.
  void write(Level level, std::string_view event, std::string_view text);
  /// Any thread. An unknown name means info.
  void set_level(std::string_view level);
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void run();
  std::string line(Level level, std::string_view event, std::string_view text) const;

  std::atomic<Level> least_;
  const bool json_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> queue_;
  bool stopping_ = false;
  std::atomic<std::uint64_t> dropped_{0};
  std::thread thread_;
};

}  // namespace seqd::app
