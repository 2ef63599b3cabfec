// What systemd is told: ready, reloading, stopping, alive (sd_notify's protocol, one datagram a message).
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace seqd::app {

/// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and takes them out of the environment. Without them every call does nothing.
/// Construct before the first thread; after that any thread.
class Notify {
 public:
  Notify();

  void ready(std::string_view status) const;
  /// Followed by ready().
  void reloading() const;
  void stopping() const;
  void alive() const;
  /// How often alive() is due: half of what systemd waits; zero where it does not.
  Duration alive_every() const { return alive_every_; }

 private:
  void send(const std::string& message) const;

  std::string socket_;
  Duration alive_every_{};
};

}  // namespace seqd::app
