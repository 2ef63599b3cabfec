// One thread, one epoll set and the connections that were given to it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/resp/connection.h"
#include "adapters/resp/shared.h"
#include "base/guarded.h"
#include "base/result.h"
#include "core/answer.h"

struct epoll_event;

namespace seqd::resp {

class Acceptor;

/// Order of calls: open(), start(), …, finish(), destructor; from one thread. adopt(), order(), taken() and peeked() from any.
/// Outlives every take() and peek() that names it: finish() waits until all answers owed have come.
class EventLoop final : public AnswerSink {
 public:
  enum Order : unsigned {
    kStopAccepting = 1U << 0U,
    kDrain = 1U << 1U,     ///< serve what has arrived, then close each connection
    kCloseAll = 1U << 2U,  ///< close at once
    kFinish = 1U << 3U,    ///< end the thread when no answer is owed any more
  };

  EventLoop(Shared& shared, LoopStats& stats);
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  Result<Done> open();
  /// `acceptor` may be null; it is watched by this loop and outlives it.
  void start(Acceptor* acceptor);
  void order(unsigned orders);
  /// Takes over a connected, non-blocking socket that is counted in Shared::connected.
  void adopt(int fd, std::uint64_t client_id);
  /// Closes all and joins the thread. Waits for owed answers.
  void finish();

  void taken(std::uint64_t token, const TakeResult& result) noexcept override;
  void peeked(std::uint64_t token, const PeekResult& result) noexcept override;

 private:
  struct Answer {
    std::uint64_t token;
    std::variant<TakeResult, PeekResult> result;
  };
  struct Newcomer {
    int fd;
    std::uint64_t id;
  };
  struct Mail {
    std::vector<Answer> answers;
    std::vector<Newcomer> newcomers;
    unsigned orders = 0;
    bool empty() const { return answers.empty() && newcomers.empty() && orders == 0; }
  };
  // Replies of one connection that lie in turn_->reply.
  struct Unsent {
    std::uint32_t slot;
    std::uint32_t generation;
    std::size_t begin;
    std::size_t end;
  };
  struct Slot {
    std::unique_ptr<Connection> connection;
    std::uint32_t generation = 0;
  };

  template <class F>
  void post(F&& put);
  void run();
  void handle(const epoll_event& event);
  void read_mail();
  void obey(unsigned orders);
  void file(const std::vector<Answer>& answers);
  void admit(const Newcomer& newcomer);
  void served(std::uint32_t slot);
  void settle();
  void after(std::uint32_t slot);
  void close(std::uint32_t slot);
  void watch(std::uint32_t slot, std::uint32_t events);
  void look_at_clock();
  void give_turns();
  template <class F>
  void for_each(F&& f);
  Connection* find(std::uint32_t slot, std::uint32_t generation);

  Shared& shared_;
  std::unique_ptr<Turn> turn_;
  Acceptor* acceptor_ = nullptr;
  int epoll_ = -1;
  int wake_ = -1;
  bool draining_ = false;
  bool finishing_ = false;
  BootTime next_look_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> ready_;  // connections that had their share and have more to do
  std::vector<Unsent> unsent_;
  Guarded<Mail> mail_;
  std::thread thread_;
};

}  // namespace seqd::resp
