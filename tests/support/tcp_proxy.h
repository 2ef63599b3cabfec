// A TCP proxy in this process that cuts, silences or delays a connection at a chosen moment.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/mariadb_server.h"

namespace seqd::support {

/// When cut_on() cuts, counted from the chunk that holds the text.
enum class Cut : unsigned char {
  kBefore,      ///< the server never sees the chunk
  kAfterSend,   ///< the server has the chunk; both sides are closed at once
  kAfterReply,  ///< the server has answered; the answer is thrown away and both sides are closed
  kSilence,  ///< the server has the chunk; nothing more comes back, and neither side sees the other go
};

/// Listens on 127.0.0.1:port() and forwards to 127.0.0.1:target. Any thread.
class TcpProxy {
 public:
  explicit TcpProxy(int target) : target_(target) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("the proxy cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~TcpProxy() {
    stopping_ = true;
    acceptor_.join();
    for (Link& link : links_) link.thread.join();
    ::close(listener_);
  }
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }
  void retarget(int port) { target_ = port; }

  /// Closes every connection; new ones are served.
  void cut_all() { ++generation_; }
  /// Once: cuts a connection whose client sends `text`, after `skip` chunks with it went through unharmed.
  void cut_on(std::string text, Cut when, int skip = 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    trap_ = Trap{std::move(text), when, skip, {}};
  }
  /// Once: runs `action` on the proxy's thread before a chunk with `text` goes to the server; nothing is cut.
  void run_on(std::string text, std::function<void()> action) {
    const std::lock_guard<std::mutex> lock(mutex_);
    trap_ = Trap{std::move(text), Cut::kBefore, 0, std::move(action)};
  }
  /// True until the trap of cut_on() or run_on() has sprung.
  bool armed() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return trap_.has_value();
  }
  /// Throws away what servers send.
  void black_hole_replies(bool on) { black_hole_ = on; }
  /// Accepts, and closes at once.
  void refuse(bool on) { refuse_ = on; }
  /// Every chunk from a server waits this long.
  void delay_replies(std::chrono::milliseconds delay) { delay_ms_ = delay.count(); }
  int accepted() const { return accepted_; }

 private:
  struct Trap {
    std::string text;
    Cut when;
    int skip;
    std::function<void()> action;  ///< instead of a cut
  };
  struct Link {
    std::thread thread;
  };

  void accept_all() {
    while (!stopping_) {
      pollfd wait{listener_, POLLIN, 0};
      if (::poll(&wait, 1, 20) != 1) continue;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      ++accepted_;
      const int server = refuse_ ? -1 : connect_to(target_);
      if (server < 0) {
        ::close(client);
        continue;
      }
      const int on = 1;
      ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ::setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      links_.push_back(Link{std::thread([this, client, server, born = generation_.load()] {
        pump(client, server, born);
        ::close(client);
        ::close(server);
      })});
    }
  }

  std::optional<Cut> sprung(std::string& seen, const char* data, std::size_t size) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!trap_) {
      seen.clear();
      return std::nullopt;
    }
    seen.append(data, size);
    const bool hit = seen.find(trap_->text) != std::string::npos;
    const std::size_t keep = hit ? 0 : std::min(seen.size(), trap_->text.size() - 1);
    seen.erase(0, seen.size() - keep);
    if (!hit || trap_->skip-- > 0) return std::nullopt;
    const Trap trap = *std::exchange(trap_, std::nullopt);
    if (!trap.action) return trap.when;
    lock.unlock();
    trap.action();
    return std::nullopt;
  }

  static bool send_all(int fd, const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t n = ::send(fd, data, size, MSG_NOSIGNAL);
      if (n <= 0) return false;
      data += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

  void pump(int client, int server, int born) {
    std::string seen;
    bool silent = false;
    bool wait_for_client = true;
    std::vector<char> buffer(64 * 1024);
    while (!stopping_ && generation_ == born) {
      pollfd wait[2] = {{wait_for_client ? client : -1, POLLIN, 0}, {server, POLLIN, 0}};
      if (::poll(wait, 2, 5) <= 0) continue;
      if (wait[0].revents != 0) {
        const ssize_t n = ::recv(client, buffer.data(), buffer.size(), 0);
        if (n <= 0 && !silent) return;
        if (n <= 0) {
          wait_for_client = false;  // to the server its client is still there: a zombie
          continue;
        }
        const auto size = static_cast<std::size_t>(n);
        const std::optional<Cut> cut = sprung(seen, buffer.data(), size);
        if (cut == Cut::kBefore) return;
        if (!send_all(server, buffer.data(), size)) return;
        if (cut == Cut::kAfterSend) return;
        if (cut == Cut::kSilence) silent = true;
        if (cut == Cut::kAfterReply) {
          pollfd reply{server, POLLIN, 0};
          ::poll(&reply, 1, 10'000);
          return;
        }
      }
      if (wait[1].revents != 0) {
        const ssize_t n = ::recv(server, buffer.data(), buffer.size(), 0);
        if (n <= 0) return;
        if (silent || black_hole_) continue;
        if (delay_ms_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms_));
        if (!send_all(client, buffer.data(), static_cast<std::size_t>(n))) return;
      }
    }
  }

  std::atomic<int> target_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> black_hole_{false};
  std::atomic<bool> refuse_{false};
  std::atomic<std::int64_t> delay_ms_{0};
  std::atomic<int> generation_{0};
  std::atomic<int> accepted_{0};
  mutable std::mutex mutex_;
  std::optional<Trap> trap_;
  std::list<Link> links_;  // touched by the acceptor only, and after its end
  std::thread acceptor_;
};

}  // namespace seqd::support
