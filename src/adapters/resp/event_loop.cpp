#include "adapters/resp/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "adapters/resp/acceptor.h"

namespace seqd::resp {
namespace {

constexpr int kEventsInARow = 256;
constexpr std::size_t kSettleBytes = 256 * 1024;  // of replies that wait for the end of a round
constexpr std::chrono::milliseconds kLook{
    20};  // how often deadlines are looked at, where there are any
constexpr std::uint64_t kWakeMark = ~std::uint64_t{0};
constexpr std::uint64_t kListenMark = kWakeMark - 1;

// A token is slot, generation and place in the line: 24, 24 and 16 bits. An answer for a closed connection finds another
// generation in its slot, or none.
constexpr unsigned kSlotShift = 40;
constexpr unsigned kGenerationShift = 16;
constexpr std::uint32_t kGenerationMask = 0xFFFFFFU;

std::uint32_t slot_of(std::uint64_t token) {
  return static_cast<std::uint32_t>(token >> kSlotShift);
}
std::uint32_t generation_of(std::uint64_t token) {
  return static_cast<std::uint32_t>(token >> kGenerationShift) & kGenerationMask;
}

}  // namespace

EventLoop::EventLoop(Shared& shared, LoopStats& stats)
    : shared_(shared), turn_(std::make_unique<Turn>(shared, stats, this)) {}

EventLoop::~EventLoop() {
  finish();
  if (epoll_ >= 0) ::close(epoll_);
  if (wake_ >= 0) ::close(wake_);
}

Result<Done> EventLoop::open() {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeMark;
  if (epoll_ < 0 || wake_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) {
    return Error{Code::kUnavailable,
                 "resp: cannot create an event loop: " + std::generic_category().message(errno)};
  }
  return Done{};
}

void EventLoop::start(Acceptor* acceptor) {
  acceptor_ = acceptor;
  if (acceptor_ != nullptr) acceptor_->watch(epoll_, kListenMark);
  thread_ = std::thread([this] { run(); });
}

template <class F>
void EventLoop::post(F&& put) {
  const bool first = mail_.with([&](Mail& mail) {
    const bool was_empty = mail.empty();
    put(mail);
    return was_empty;
  });
  const std::uint64_t one = 1;
  if (first) [[maybe_unused]]
    const ssize_t n = ::write(wake_, &one, sizeof one);
}

void EventLoop::order(unsigned orders) {
  post([&](Mail& mail) { mail.orders |= orders; });
}

void EventLoop::adopt(int fd, std::uint64_t client_id) {
  post([&](Mail& mail) { mail.newcomers.push_back({fd, client_id}); });
}

void EventLoop::taken(std::uint64_t token, const TakeResult& result) noexcept {
  post([&](Mail& mail) { mail.answers.push_back({token, result}); });
}

void EventLoop::peeked(std::uint64_t token, const PeekResult& result) noexcept {
  post([&](Mail& mail) { mail.answers.push_back({token, result}); });
}

void EventLoop::finish() {
  if (!thread_.joinable()) return;
  order(kStopAccepting | kCloseAll | kFinish);
  thread_.join();
}

void EventLoop::run() {
  std::array<epoll_event, kEventsInARow> events;
  while (!finishing_ || turn_->waiting != 0) {
    const int timeout =
        !ready_.empty() ? 0 : (turn_->watch_clock ? static_cast<int>(kLook.count()) : -1);
    const int n = ::epoll_wait(epoll_, events.data(), kEventsInARow, timeout);
    turn_->forget_time();
    bool mail = false;
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == kWakeMark) {
        mail = true;
      } else if (event.data.u64 == kListenMark) {
        acceptor_->on_readable();
        turn_->watch_clock = turn_->watch_clock || acceptor_->paused();
      } else {
        handle(event);
      }
    }
    if (mail) read_mail();
    if (!ready_.empty()) give_turns();
    if (turn_->watch_clock) look_at_clock();
    settle();
  }
}

void EventLoop::handle(const epoll_event& event) {
  const std::uint64_t token = event.data.u64;
  Connection* connection = find(slot_of(token), generation_of(token));
  if (connection == nullptr) return;
  if ((event.events & EPOLLIN) != 0) {
    if (connection->wants_read()) {
      connection->on_readable(*turn_);
    } else {
      // Only now, so that a wait that is over before the client sends more costs no call.
      watch(slot_of(token), connection->watched & ~std::uint32_t{EPOLLIN});
    }
  }
  if ((event.events & EPOLLOUT) != 0 && connection->wants_write()) connection->on_writable(*turn_);
  if ((event.events & (EPOLLHUP | EPOLLERR)) != 0 && (event.events & EPOLLIN) == 0) {
    connection->on_hang_up();
  }
  served(slot_of(token));
}

// What every touch of a connection ends with. Its replies are sent once the others of this round are served too: a client
// that is woken by each reply on its own costs this thread more than the reply.
void EventLoop::served(std::uint32_t slot) {
  const std::size_t end = turn_->reply.size();
  unsent_.push_back({slot, slots_[slot].generation, turn_->begin, end});
  turn_->begin = end;
  if (end >= kSettleBytes) settle();
}

// All are sent before any is looked at: a connection that was served twice is not finished before its second replies.
void EventLoop::settle() {
  const std::string_view replies = turn_->reply.bytes();
  for (const Unsent& unsent : unsent_) {
    Connection* connection = find(unsent.slot, unsent.generation);
    if (connection == nullptr) continue;
    connection->send(*turn_, replies.substr(unsent.begin, unsent.end - unsent.begin));
  }
  for (const Unsent& unsent : unsent_) {
    if (find(unsent.slot, unsent.generation) != nullptr) after(unsent.slot);
  }
  unsent_.clear();
  turn_->reply.clear();
  turn_->begin = 0;
}

void EventLoop::after(std::uint32_t slot) {
  Connection& connection = *slots_[slot].connection;
  if (connection.finished()) return close(slot);
  if (connection.wants_turn()) ready_.push_back(slot);
  const bool unsent = connection.wants_write();
  std::uint32_t events = connection.watched;
  if (connection.wants_read()) events |= EPOLLIN;
  events = unsent ? events | EPOLLOUT : events & ~std::uint32_t{EPOLLOUT};
  if (events != connection.watched) watch(slot, events);
}

void EventLoop::watch(std::uint32_t slot, std::uint32_t events) {
  Connection& connection = *slots_[slot].connection;
  connection.watched = events;
  epoll_event event{};
  event.events = events;
  event.data.u64 = (std::uint64_t{slot} << kSlotShift) |
                   (std::uint64_t{slots_[slot].generation} << kGenerationShift);
  ::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd(), &event);
}

Connection* EventLoop::find(std::uint32_t slot, std::uint32_t generation) {
  if (slot >= slots_.size() || slots_[slot].generation != generation) return nullptr;
  return slots_[slot].connection.get();
}

void EventLoop::admit(const Newcomer& newcomer) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  Slot& place = slots_[slot];
  const std::uint64_t base =
      (std::uint64_t{slot} << kSlotShift) | (std::uint64_t{place.generation} << kGenerationShift);
  place.connection = std::make_unique<Connection>(newcomer.fd, newcomer.id, base, shared_);
  place.connection->watched = EPOLLIN;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = base;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, newcomer.fd, &event) != 0) {
    place.connection->on_hang_up();
  } else if (draining_) {
    place.connection->begin_drain(*turn_);
  }
  served(slot);
}

void EventLoop::close(std::uint32_t slot) {
  Slot& place = slots_[slot];
  const int fd = place.connection->fd();
  // A close with unread input would reset the connection, and the client could lose the replies on their way to it.
  for (int i = 0; i < 4; ++i) {
    if (::recv(fd, turn_->input.data(), Turn::kReadBytes, 0) <= 0) break;
  }
  const std::uint64_t id = place.connection->id();
  place.connection.reset();
  place.generation = (place.generation + 1) & kGenerationMask;
  free_.push_back(slot);
  shared_.clients.remove_and_close(id, fd);
  shared_.connected.fetch_sub(1, std::memory_order_release);
}

template <class F>
void EventLoop::for_each(F&& f) {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].connection == nullptr) continue;
    f(*slots_[slot].connection);
    served(slot);
  }
}

void EventLoop::read_mail() {
  std::uint64_t n = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_, &n, sizeof n);
  const Mail mail = mail_.with([](Mail& box) { return std::exchange(box, Mail{}); });
  for (const Newcomer& newcomer : mail.newcomers) admit(newcomer);
  if (!mail.answers.empty()) file(mail.answers);
  if (mail.orders != 0) obey(mail.orders);
}

// All answers first, then one look at each connection that got one: a batch of answers leaves in one write.
void EventLoop::file(const std::vector<Answer>& answers) {
  std::vector<std::uint32_t> touched;
  for (const Answer& answer : answers) {
    --turn_->waiting;
    const std::uint32_t slot = slot_of(answer.token);
    Connection* connection = find(slot, generation_of(answer.token));
    if (connection == nullptr) continue;
    const auto number = static_cast<std::uint16_t>(answer.token);
    std::visit([&](const auto& result) { connection->file(number, result, turn_->stats); },
               answer.result);
    if (touched.empty() || touched.back() != slot) touched.push_back(slot);
  }
  for (const std::uint32_t slot : touched) {
    if (slots_[slot].connection == nullptr) continue;
    slots_[slot].connection->on_answers(*turn_);
    served(slot);
  }
}

void EventLoop::obey(unsigned orders) {
  if ((orders & kStopAccepting) != 0 && acceptor_ != nullptr) acceptor_->close();
  if ((orders & kDrain) != 0) {
    draining_ = true;
    for_each([this](Connection& connection) { connection.begin_drain(*turn_); });
  }
  if ((orders & kCloseAll) != 0) {
    draining_ = true;
    for_each([](Connection& connection) { connection.on_hang_up(); });
  }
  if ((orders & kFinish) != 0) finishing_ = true;
}

void EventLoop::give_turns() {
  for (const std::uint32_t slot : std::exchange(ready_, {})) {
    if (slots_[slot].connection == nullptr || !slots_[slot].connection->wants_turn()) continue;
    slots_[slot].connection->on_turn(*turn_);
    served(slot);
  }
}

void EventLoop::look_at_clock() {
  if (turn_->now() < next_look_) return;
  next_look_ = turn_->now() + kLook;
  bool watch = acceptor_ != nullptr && acceptor_->on_clock(turn_->now());
  turn_->watch_clock = false;
  for_each([&](Connection& connection) { watch = connection.on_clock(*turn_) || watch; });
  turn_->watch_clock = turn_->watch_clock || watch;
}

}  // namespace seqd::resp
