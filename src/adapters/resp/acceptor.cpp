#include "adapters/resp/acceptor.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "adapters/resp/event_loop.h"

namespace seqd::resp {
namespace {

constexpr int kAcceptsInARow = 64;
constexpr std::string_view kFull = "-ERR max number of clients reached\r\n";

}  // namespace

Acceptor::Acceptor(Shared& shared, Listener listener, std::vector<EventLoop*> loops)
    : shared_(shared), listener_(std::move(listener)), loops_(std::move(loops)) {}

Acceptor::~Acceptor() { close(); }

void Acceptor::close() {
  if (open_) ::close(listener_.fd);
  open_ = false;
  resume_at_ = BootTime();
}

void Acceptor::watch(int epoll, std::uint64_t mark) {
  epoll_ = epoll;
  mark_ = mark;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = mark_;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_.fd, &event);
}

void Acceptor::set_events(std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = mark_;
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_.fd, &event);
}

void Acceptor::on_readable() {
  for (int i = 0; open_ && i < kAcceptsInARow; ++i) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    auto* const address = reinterpret_cast<sockaddr*>(&peer);
    const int fd = ::accept4(listener_.fd, address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      admit(fd, address);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return pause(errno);
    }
  }
}

void Acceptor::admit(int fd, const sockaddr* peer) {
  if (shared_.connected.load(std::memory_order_relaxed) >= shared_.settings.max_clients) {
    shared_.rejected.fetch_add(1, std::memory_order_relaxed);
    [[maybe_unused]] const ssize_t n = ::send(fd, kFull.data(), kFull.size(), MSG_NOSIGNAL);
    ::close(fd);
    return;
  }
  const std::uint64_t id = shared_.next_client_id.fetch_add(1, std::memory_order_relaxed);
  shared_.connected.fetch_add(1, std::memory_order_relaxed);
  shared_.accepted.fetch_add(1, std::memory_order_relaxed);
  shared_.clients.add(id, {fd, text_of(peer), "", 2, boot_now()});
  loops_[next_]->adopt(fd, id);
  next_ = (next_ + 1) % loops_.size();
}

// Without descriptors the socket stays readable: watching it on would spin. Those who wait stay in the backlog.
void Acceptor::pause(int error) {
  shared_.log("resp: accepting clients is paused: " + std::generic_category().message(error));
  set_events(0);
  resume_at_ = boot_now() + shared_.limits.accept_pause;
}

bool Acceptor::on_clock(BootTime now) {
  if (!paused() || now < resume_at_) return paused();
  resume_at_ = BootTime();
  if (open_) set_events(EPOLLIN);
  return false;
}

}  // namespace seqd::resp
