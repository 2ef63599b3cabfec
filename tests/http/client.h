// A server on a free port with a fake daemon behind it, and a client that blocks, for tests that speak bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/http/server.h"
#include "http/fake_api.h"

namespace seqd::http {

struct Reply {
  int status = 0;  ///< 0: the server closed without an answer
  std::map<std::string, std::string> headers;
  std::string body;

  bool has(std::string_view text) const { return body.find(text) != std::string::npos; }
  std::string header(const std::string& name) const {
    const auto it = headers.find(name);
    return it == headers.end() ? "" : it->second;
  }
};

inline std::string request(std::string_view line, std::string_view fields = "",
                           std::string_view body = "") {
  std::string text = std::string(line) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields);
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + std::string(body);
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
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("cannot connect");
    }
  }
  ~Client() {
    if (fd_ >= 0) ::close(fd_);
  }
  Client(Client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), rest_(std::move(other.rest_)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int fd() const { return fd_; }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0) return;  // the server closed: what it said is still to be read
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  /// The next answer. `head_only`: it has no body, whatever its Content-Length says.
  Reply read(bool head_only = false) {
    Reply reply;
    std::size_t end = 0;
    while ((end = rest_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return reply;
    }
    std::string head = rest_.substr(0, end + 2);
    rest_.erase(0, end + 4);
    reply.status = std::stoi(head.substr(9, 3));
    head.erase(0, head.find("\r\n") + 2);
    while (!head.empty()) {
      const std::size_t colon = head.find(": ");
      const std::size_t line = head.find("\r\n");
      reply.headers[head.substr(0, colon)] = head.substr(colon + 2, line - colon - 2);
      head.erase(0, line + 2);
    }
    const std::string length = reply.header("Content-Length");
    const std::size_t size = head_only || length.empty() ? 0 : std::stoul(length);
    while (rest_.size() < size && fill()) {
    }
    reply.body = rest_.substr(0, size);
    rest_.erase(0, size);
    return reply;
  }
  Reply ask(std::string_view bytes) {
    send(bytes);
    return read(bytes.starts_with("HEAD "));
  }
  /// True if the server has nothing more to say and closes.
  bool ends() { return rest_.empty() && !fill() && closed_; }

 private:
  bool fill() {
    char buffer[4096];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
    closed_ = n == 0 || (n < 0 && errno == ECONNRESET);
    if (n <= 0) return false;
    rest_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  int fd_;
  std::string rest_;
  bool closed_ = false;
};

struct TestServer {
  FakeApi api;  // outlives the server
  Server server;
  std::atomic<int> logged{0};

  explicit TestServer(const std::string& token = "", const Limits& limits = {},
                      std::int64_t threads = 2)
      : server(
            settings(threads), token, api, 1000, [this](std::string_view) { ++logged; }, limits) {
    if (const auto listening = server.listen(); !listening) {
      throw std::runtime_error(listening.error().message);
    }
    server.start();
  }
  // The server's destructor waits for the answers that it is owed.
  ~TestServer() { api.answer_all(); }
  Client connect() const { return Client(server.port()); }
  Reply ask(std::string_view bytes) const { return connect().ask(bytes); }

  static HttpSettings settings(std::int64_t threads) {
    HttpSettings settings;
    settings.listen = "127.0.0.1:0";
    settings.threads = threads;
    return settings;
  }
};

}  // namespace seqd::http
