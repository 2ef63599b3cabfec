// A server on a free port with fake numbers, and a client that blocks, for tests that speak bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/resp/server.h"
#include "resp/fake_numbers.h"

namespace seqd::resp {

inline std::string command(std::initializer_list<std::string_view> words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    text += "$" + std::to_string(word.size()) + "\r\n";
    text += word;
    text += "\r\n";
  }
  return text;
}

inline std::string incr(std::string_view id) {
  return command({"INCR", "seq:conv:" + std::string(id)});
}

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};  // a lost reply fails the test instead of hanging it
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("cannot connect");
    }
  }
  ~Client() { close(); }
  Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void half_close() const { ::shutdown(fd_, SHUT_WR); }
  int fd() const { return fd_; }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0) return;  // the server closed: what it said is still to be read
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  /// The next n bytes; fewer if the server closed, "<timeout>" behind them if nothing came.
  std::string read(std::size_t n) const {
    std::string text(n, '\0');
    std::size_t got = 0;
    while (got < n) {
      const ssize_t r = ::recv(fd_, text.data() + got, n - got, 0);
      if (r < 0 && errno == EINTR) continue;
      if (r <= 0) {
        text.resize(got);
        return r < 0 && errno == EAGAIN ? text + "<timeout>" : text;
      }
      got += static_cast<std::size_t>(r);
    }
    return text;
  }
  std::string read_to_end() const { return read(std::size_t{1} << 22U); }
  std::string line() const {
    std::string text;
    while (!text.ends_with("\r\n")) {
      const std::string next = read(1);
      text += next;
      if (next.size() != 1) return text;
    }
    return text;
  }
  /// Sends, and reads as many bytes as are expected.
  std::string ask(std::string_view bytes, std::size_t n) const {
    send(bytes);
    return read(n);
  }

 private:
  int fd_;
};

/// What tests change about a server before it starts.
struct Wanted {
  std::string password = "";
  std::int64_t threads = 2;
  std::int64_t max_clients = 100;
  Limits limits = {};
};

struct TestServer {
  FakeNumbers numbers;  // outlives the server
  Server server;
  std::atomic<int> logged{0};

  explicit TestServer(const Wanted& wanted = {})
      : server(
            settings(wanted), wanted.password, numbers, 1000,
            ServerFacts{"0.1.0", "0123456789", "/usr/bin/seqd", ""},
            [this](std::string_view) { ++logged; }, wanted.limits) {
    if (const auto listening = server.listen(); !listening) {
      throw std::runtime_error(listening.error().message);
    }
    server.start();
  }
  // The server's destructor waits for the answers that it is owed.
  ~TestServer() {
    numbers.park(nullptr);
    numbers.answer_all();
  }
  Client connect() const { return Client(server.port()); }

  static RespSettings settings(const Wanted& wanted) {
    RespSettings settings;
    settings.listen = "127.0.0.1:0";
    settings.threads = wanted.threads;
    settings.max_clients = wanted.max_clients;
    return settings;
  }
};

}  // namespace seqd::resp
