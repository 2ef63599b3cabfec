// Takes over a changed configuration file, whole or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "app/daemon.h"
#include "app/log.h"
#include "base/result.h"
#include "core/settings.h"

namespace seqd::app {

/// Any thread; reloads go one after the other. Daemon and Log outlive it.
class Reloader {
 public:
  /// file "": there is none, and every reload is refused.
  Reloader(std::string file, const Settings& current, Daemon& daemon, Log& log);

  /// Reads the file. Answers the difference that was taken over, one "key: old -> new" a line (no secrets: the settings hold
  /// names of files only). Refused, with everything that is wrong at once, if the file is wrong or changes keys that need a
  /// restart; those are named, and nothing is changed.
  Result<std::string> reload();

  /// The last reload, or the start, was good.
  bool last_successful() const { return good_.load(); }
  /// Wall clock of the last good one.
  std::int64_t last_success_unix_ms() const { return success_ms_.load(); }
  Settings active() const;

 private:
  Result<std::string> try_reload();

  const std::string file_;
  Daemon& daemon_;
  Log& log_;
  mutable std::mutex mutex_;
  Settings current_;
  std::atomic<bool> good_{true};
  std::atomic<std::int64_t> success_ms_;
};

}  // namespace seqd::app
