#include "adapters/http/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "adapters/http/answer.h"
#include "adapters/http/exchange.h"

namespace seqd::http {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(int fd, std::uint64_t id, const Limits& limits, ServerStats& stats)
    : fd_(fd), id_(id), limits_(limits), stats_(stats), deadline_(boot_now() + limits.request) {
  stats_.connected.fetch_add(1, std::memory_order_relaxed);
}

Connection::~Connection() {
  ::close(fd_);
  stats_.connected.fetch_sub(1, std::memory_order_relaxed);
}

void Connection::receive() {
  std::array<char, 16384> buffer;
  const ssize_t n = ::recv(fd_, buffer.data(), buffer.size(), 0);
  if (n < 0 && would_block()) return;
  if (n <= 0) {
    // Gone, or done with sending; who waits for an answer is not read here.
    phase_ = Phase::kDead;
    return;
  }
  stats_.bytes_in.fetch_add(n, std::memory_order_relaxed);
  if (phase_ == Phase::kLingering) return;
  if (idle()) deadline_ = boot_now() + limits_.request;
  in_.append(buffer.data(), static_cast<std::size_t>(n));
}

bool Connection::advance() {
  if (!head_) {
    // An empty line before a request is an old habit of clients.
    if (scanned_ == 0 && in_.starts_with("\r\n")) in_.erase(0, 2);
    if (in_.empty() || in_ == "\r") return false;
    const auto end = find_head_end(in_, scanned_);
    if (const auto* fault = std::get_if<Fault>(&end)) return refuse(*fault), false;
    const auto& bytes = std::get<std::optional<std::size_t>>(end);
    if (!bytes) return false;
    auto head = parse_head(std::string_view(in_).substr(0, *bytes));
    if (const auto* fault = std::get_if<Fault>(&head)) return refuse(*fault), false;
    head_ = std::move(std::get<Head>(head));
    body_.emplace(*head_);
    in_.erase(0, *bytes);
    if (head_->expects_continue && in_.empty()) {
      // So short that a fresh socket always takes it whole.
      if (::send(fd_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL) < 0) phase_ = Phase::kDead;
    }
  }
  std::size_t used = 0;
  if (const auto fault = body_->feed(in_, used)) return refuse(*fault), false;
  in_.erase(0, used);
  if (!body_->done() || phase_ == Phase::kDead) return false;
  phase_ = Phase::kWorking;
  stats_.requests.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::string Connection::request() const { return Exchange::request_bytes(*head_, body_->body()); }

void Connection::answer(std::string bytes, bool close) {
  out_ = std::move(bytes);
  sent_ = 0;
  last_ = close;
  phase_ = Phase::kWriting;
  deadline_ = boot_now() + limits_.response;
  send();
}

void Connection::send() {
  while (sent_ < out_.size()) {
    const ssize_t n = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && would_block()) return;
    if (n < 0) {
      phase_ = Phase::kDead;
      return;
    }
    stats_.bytes_out.fetch_add(n, std::memory_order_relaxed);
    sent_ += static_cast<std::size_t>(n);
  }
  finished();
}

void Connection::finished() {
  out_.clear();
  head_.reset();
  body_.reset();
  scanned_ = 0;
  if (last_) {
    ::shutdown(fd_, SHUT_WR);
    phase_ = Phase::kLingering;
    deadline_ = boot_now() + limits_.linger;
    return;
  }
  phase_ = Phase::kReading;
  deadline_ = boot_now() + (in_.empty() ? limits_.idle : limits_.request);
}

void Connection::refuse(const Fault& fault) {
  stats_.faults.fetch_add(1, std::memory_order_relaxed);
  // A method that is not known cannot be told from HEAD any more where the head did not parse; HEAD alone forbids a body.
  const bool head_only = head_ ? head_->method == "HEAD" : in_.starts_with("HEAD ");
  Answer text = problem(fault.status, fault.detail);
  answer(bytes_of(text, false, !head_only), true);
}

void Connection::expire() {
  if (phase_ != Phase::kReading || idle()) {
    phase_ = Phase::kDead;
  } else {
    refuse({408, "the request did not arrive within its time"});
  }
}

void Connection::evict() {
  const bool silent = idle();
  phase_ = Phase::kReading;
  answer(
      silent ? std::string() : bytes_of(problem(503, "too many connections; retry"), false, true),
      true);
}

}  // namespace seqd::http
