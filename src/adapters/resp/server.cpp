#include "adapters/resp/server.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "adapters/resp/acceptor.h"
#include "adapters/resp/event_loop.h"
#include "adapters/resp/listener.h"

namespace seqd::resp {

Server::Server(RespSettings settings, std::string password, Numbers& numbers,
               std::int64_t max_batch, ServerFacts facts, Log log, Limits limits)
    : shared_(std::move(settings), std::move(password), numbers, max_batch, std::move(facts),
              std::move(log), limits) {}

// The loops end before the acceptor, which deals to them, and before what they share.
Server::~Server() {
  for (const auto& loop : loops_) loop->order(EventLoop::kStopAccepting | EventLoop::kCloseAll);
  for (const auto& loop : loops_) loop->finish();
}

Result<Done> Server::listen() {
  Result<Listener> listener = open_listener(shared_.settings.listen);
  if (!listener) return listener.error();
  shared_.address = listener->address;
  shared_.port = listener->port;
  const std::size_t threads = shared_.settings.threads > 0
                                  ? static_cast<std::size_t>(shared_.settings.threads)
                                  : std::max(1U, std::thread::hardware_concurrency());
  std::vector<EventLoop*> loops;
  for (std::size_t i = 0; i < threads; ++i) {
    loops_.push_back(std::make_unique<EventLoop>(shared_, shared_.loops.emplace_back()));
    loops.push_back(loops_.back().get());
  }
  acceptor_ = std::make_unique<Acceptor>(shared_, std::move(*listener), std::move(loops));
  for (const auto& loop : loops_) {
    if (Result<Done> opened = loop->open(); !opened) return opened.error();
  }
  return Done{};
}

std::uint16_t Server::port() const { return shared_.port; }

void Server::start() {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    loops_[i]->start(i == 0 ? acceptor_.get() : nullptr);
  }
  started_ = true;
}

void Server::stop_accepting() {
  if (started_) loops_.front()->order(EventLoop::kStopAccepting);
}

bool Server::drain(Duration patience) {
  if (!started_) return true;
  const BootTime end = boot_now() + patience;
  // The listening loop first: what it has accepted is then in the mail of the loops before their order to drain.
  loops_.front()->order(EventLoop::kStopAccepting | EventLoop::kDrain);
  for (const auto& loop : loops_) loop->order(EventLoop::kDrain);
  const auto left = [this] { return shared_.connected.load(std::memory_order_acquire); };
  while (left() > 0 && boot_now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const bool clean = left() <= 0;
  for (const auto& loop : loops_) loop->order(EventLoop::kCloseAll);
  return clean;
}

ServerStats Server::stats() const { return shared_.stats(); }

}  // namespace seqd::resp
