#include "app/log.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/clock.h"

namespace seqd::app {
namespace {

constexpr std::size_t kMostLines = 4096;

Level level_of(std::string_view name) {
  const auto it = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  return it == kLevelNames.end() ? Level::kInfo : static_cast<Level>(it - kLevelNames.begin());
}

std::string timestamp() {
  const WallTime now = wall_now();
  const std::time_t seconds = now.unix_ms / 1000;
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  char text[40];
  const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
  std::snprintf(text + n, sizeof text - n, ".%03dZ", static_cast<int>(now.unix_ms % 1000));
  return text;
}

void escape(std::string& out, std::string_view text, bool json) {
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7F) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", u);
      out += code;
    } else {
      if (json && (c == '"' || c == '\\')) out += '\\';
      out += c;
    }
  }
}

}  // namespace

Log::Log(std::string_view level, std::string_view format)
    : least_(level_of(level)), json_(format == "json"), thread_([this] { run(); }) {}

void Log::set_level(std::string_view level) { least_.store(level_of(level)); }

Log::~Log() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::string Log::line(Level level, std::string_view event, std::string_view text) const {
  const std::string_view name = kLevelNames[static_cast<std::size_t>(level)];
  std::string out;
  if (json_) {
    out = "{\"time\":\"" + timestamp() + "\",\"level\":\"" + std::string(name) + "\",\"event\":\"";
    escape(out, event, true);
    out += "\",\"text\":\"";
    escape(out, text, true);
    out += "\"}\n";
  } else {
    out = timestamp() + " " + std::string(name) + " " + std::string(event) + ": ";
    escape(out, text, false);
    out += '\n';
  }
  return out;
}

void Log::write(Level level, std::string_view event, std::string_view text) {
  if (level < least_.load(std::memory_order_relaxed)) return;
  std::string made = line(level, event, text);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (queue_.size() >= kMostLines) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    queue_.push_back(std::move(made));
  }
  wake_.notify_one();
}

void Log::run() {
  using std::chrono::steady_clock;
  steady_clock::time_point end_by = steady_clock::time_point::max();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_ && end_by == steady_clock::time_point::max()) {
      end_by = steady_clock::now() + std::chrono::seconds(1);
    }
    if (queue_.empty()) return;
    const std::string text = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    std::string_view rest = text;
    while (!rest.empty() && steady_clock::now() < end_by) {
      pollfd ready{STDERR_FILENO, POLLOUT, 0};
      if (poll(&ready, 1, 200) == 1) {
        // A pipe that polls writable takes PIPE_BUF bytes without blocking; lines are shorter or are cut into such parts.
        const ssize_t n =
            ::write(STDERR_FILENO, rest.data(), std::min<std::size_t>(rest.size(), 4096));
        if (n < 0 && errno != EAGAIN && errno != EINTR) break;
        if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
      }
      const std::lock_guard<std::mutex> again(mutex_);
      if (stopping_ && end_by == steady_clock::time_point::max()) {
        end_by = steady_clock::now() + std::chrono::seconds(1);
      }
    }
    lock.lock();
  }
}

}  // namespace seqd::app
