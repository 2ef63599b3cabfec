#include "app/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace seqd::app {
namespace {

/// The variable's value, which is gone from the environment after that.
std::string taken(const char* name) {
  // Before the first thread, as the header asks.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  return text;
}

}  // namespace

Notify::Notify() : socket_(taken("NOTIFY_SOCKET")) {
  const std::string usec = taken("WATCHDOG_USEC");
  const std::string pid = taken("WATCHDOG_PID");
  if (usec.empty() || (!pid.empty() && pid != std::to_string(getpid()))) return;
  alive_every_ = std::chrono::microseconds(std::strtoll(usec.c_str(), nullptr, 10)) / 2;
}

void Notify::send(const std::string& message) const {
  sockaddr_un to{};
  if (socket_.empty() || socket_.size() >= sizeof to.sun_path) return;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') to.sun_path[0] = '\0';  // an abstract name
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&to), size);
  ::close(fd);
}

void Notify::ready(std::string_view status) const {
  send("READY=1\nSTATUS=" + std::string(status));
}

void Notify::reloading() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // this clock by systemd's rule
  send("RELOADING=1\nMONOTONIC_USEC=" +
       std::to_string(static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000));
}

void Notify::stopping() const { send("STOPPING=1\nSTATUS=draining and releasing"); }

void Notify::alive() const { send("WATCHDOG=1"); }

}  // namespace seqd::app
