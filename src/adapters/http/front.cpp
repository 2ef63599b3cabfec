#include "adapters/http/front.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "adapters/http/answer.h"
#include "adapters/http/routes.h"

namespace seqd::http {
namespace {

using Phase = Connection::Phase;

constexpr std::uint64_t kListener = 0;
constexpr std::uint64_t kWake = 1;
constexpr int kAcceptsPerTurn = 64;
// Connections over the limit that may still be told so.
constexpr std::size_t kTurnedAway = 64;
constexpr Duration kSweep = std::chrono::milliseconds(50);

void watch(int epoll, int operation, int fd, std::uint64_t id, unsigned events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  ::epoll_ctl(epoll, operation, fd, &event);
}

unsigned interest(Phase phase) {
  if (phase == Phase::kWriting) return EPOLLOUT;
  return phase == Phase::kWorking ? 0U : unsigned{EPOLLIN};
}

}  // namespace

Front::Front(int listener, std::size_t api_threads, const Exchange& exchange, const Limits& limits,
             ServerStats& stats)
    : listener_(listener),
      exchange_(exchange),
      limits_(limits),
      stats_(stats),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      api_(std::make_unique<Workers>(api_threads, limits.api_queue)),
      health_(std::make_unique<Workers>(limits.health_threads, limits.health_queue)) {}

Front::~Front() {
  stop(Duration::zero());
  ::close(wake_);
  ::close(epoll_);
}

void Front::start() {
  watch(epoll_, EPOLL_CTL_ADD, listener_, kListener, EPOLLIN);
  watch(epoll_, EPOLL_CTL_ADD, wake_, kWake, EPOLLIN);
  next_sweep_ = boot_now() + kSweep;
  thread_ = std::thread([this] { run(); });
}

bool Front::stop(Duration patience) {
  if (thread_.joinable()) {
    stop_by_ns_ = (boot_now() + patience).time_since_epoch().count();
    wake();
    thread_.join();
  }
  api_.reset();
  health_.reset();
  return in_time_;
}

void Front::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
}

void Front::run() {
  std::array<epoll_event, 128> events;
  for (;;) {
    const bool timed = !connections_.empty() || stopping_ || paused_;
    const int n =
        ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timed ? 50 : -1);
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == kListener) {
        accept_clients();
      } else if (event.data.u64 == kWake) {
        collect();
      } else if (const auto it = connections_.find(event.data.u64); it != connections_.end()) {
        on_event(*it->second, event.events);
      }
    }
    const BootTime now = boot_now();
    if (now >= next_sweep_) sweep(now);
    if (stop_by_ns_ != 0 && drained(now)) return;
  }
}

void Front::accept_clients() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // Level-triggered: the listener would wake this thread without end. The next sweep looks again.
        watch(epoll_, EPOLL_CTL_MOD, listener_, kListener, 0);
        paused_ = true;
        make_room();
      }
      return;
    }
    stats_.accepted.fetch_add(1, std::memory_order_relaxed);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connections_.size() >= limits_.connections) make_room();
    const std::uint64_t id = next_id_++;
    auto connection = std::make_unique<Connection>(fd, id, limits_, stats_);
    watch(epoll_, EPOLL_CTL_ADD, fd, id, EPOLLIN);
    const std::size_t others = connections_.size();
    if (others >= limits_.connections + kTurnedAway) continue;
    Connection& added = *connections_.emplace(id, std::move(connection)).first->second;
    if (others < limits_.connections) continue;
    // Everybody there waits for a worker or takes an answer: this one takes its own and goes.
    stats_.rejected.fetch_add(1, std::memory_order_relaxed);
    added.answer(bytes_of(problem(503, "too many connections; retry"), false, true), true);
    settle(added);
  }
}

void Front::make_room() {
  Connection* victim = nullptr;
  for (const auto& [id, connection] : connections_) {
    const Phase phase = connection->phase();
    if (phase != Phase::kReading && phase != Phase::kLingering) continue;
    if (victim == nullptr || connection->deadline() < victim->deadline()) victim = connection.get();
  }
  if (victim == nullptr) return;
  if (victim->phase() == Phase::kReading) {
    stats_.rejected.fetch_add(1, std::memory_order_relaxed);
    victim->evict();
  }
  connections_.erase(victim->id());
}

void Front::on_event(Connection& connection, unsigned events) {
  switch (connection.phase()) {
    case Phase::kReading:
    case Phase::kLingering:
      connection.receive();
      break;
    case Phase::kWriting:
      connection.send();
      break;
    case Phase::kWorking:
      // Nothing is asked for while a worker has the request: this is a reset or a hang-up.
      if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, connection.fd(), nullptr);
      }
      return;
    case Phase::kDead:
      break;
  }
  settle(connection);
}

/// Goes on with a connection until it has to wait, and says to epoll for what.
void Front::settle(Connection& connection) {
  while (connection.phase() == Phase::kReading) {
    if (connection.advance()) {
      dispatch(connection);
    } else if (connection.phase() == Phase::kReading) {
      break;
    }
  }
  if (connection.phase() == Phase::kDead) {
    connections_.erase(connection.id());
    return;
  }
  watch(epoll_, EPOLL_CTL_MOD, connection.fd(), connection.id(), interest(connection.phase()));
}

void Front::dispatch(Connection& connection) {
  Workers& workers = is_reserved_path(connection.head().path()) ? *health_ : *api_;
  auto job = [this, id = connection.id(), request = connection.request()] {
    std::string bytes = exchange_.run(request);
    const bool first = finished_.with([&](std::vector<Finished>& finished) {
      finished.push_back({id, std::move(bytes)});
      return finished.size() == 1;
    });
    if (first) wake();
  };
  if (workers.offer(std::move(job))) {
    ++working_;
    return;
  }
  stats_.overfull.fetch_add(1, std::memory_order_relaxed);
  const bool close = !connection.head().keep_alive || stopping_;
  const bool with_body = connection.head().method != "HEAD";
  connection.answer(bytes_of(problem(503, "all threads are busy; retry"), !close, with_body),
                    close);
}

void Front::collect() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(wake_, &count, sizeof count);
  std::vector<Finished> finished;
  finished_.with([&](std::vector<Finished>& guarded) { finished.swap(guarded); });
  for (Finished& one : finished) {
    --working_;
    const auto it = connections_.find(one.id);
    if (it == connections_.end()) continue;
    Connection& connection = *it->second;
    connection.answer(std::move(one.bytes), !connection.head().keep_alive || stopping_);
    // It may have been taken out of epoll; where it was not, this says EEXIST and changes nothing.
    watch(epoll_, EPOLL_CTL_ADD, connection.fd(), connection.id(), interest(connection.phase()));
    settle(connection);
  }
}

void Front::sweep(BootTime now) {
  next_sweep_ = now + kSweep;
  if (paused_ && !stopping_) {
    paused_ = false;
    watch(epoll_, EPOLL_CTL_MOD, listener_, kListener, EPOLLIN);
  }
  std::vector<Connection*> late;
  for (const auto& [id, connection] : connections_) {
    if (connection->phase() != Phase::kWorking && connection->deadline() <= now) {
      late.push_back(connection.get());
    }
  }
  for (Connection* connection : late) {
    connection->expire();
    settle(*connection);
  }
}

void Front::begin_stop() {
  accept_clients();
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
  stopping_ = true;
  // What clients have sent before now may not have been looked at yet.
  std::vector<Connection*> reading;
  for (const auto& [id, connection] : connections_) {
    if (connection->phase() == Phase::kReading) reading.push_back(connection.get());
  }
  for (Connection* connection : reading) on_event(*connection, EPOLLIN);
}

bool Front::drained(BootTime now) {
  if (!stopping_) begin_stop();
  std::erase_if(connections_, [](const auto& entry) { return entry.second->idle(); });
  if (connections_.empty()) return true;
  if (now.time_since_epoch().count() < stop_by_ns_) return false;
  in_time_ = std::all_of(connections_.begin(), connections_.end(), [](const auto& entry) {
    return entry.second->phase() == Phase::kLingering;
  });
  connections_.clear();
  return true;
}

}  // namespace seqd::http
