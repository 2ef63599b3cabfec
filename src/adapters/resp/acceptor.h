// Accepts clients from the one listening socket and deals them out to the event loops in turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "adapters/resp/listener.h"
#include "adapters/resp/shared.h"

namespace seqd::resp {

class EventLoop;

/// Called by the thread of the loop that watches it, except for the constructor and destructor. The loops outlive it or
/// have finished.
class Acceptor {
 public:
  Acceptor(Shared& shared, Listener listener, std::vector<EventLoop*> loops);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  /// Begins to watch the socket in this epoll set, with `mark` as the event's data.
  void watch(int epoll, std::uint64_t mark);
  void on_readable();
  /// Takes up again what a want of descriptors had interrupted. True: it is still interrupted.
  bool on_clock(BootTime now);
  bool paused() const { return resume_at_ != BootTime(); }
  void close();

 private:
  void admit(int fd, const sockaddr* peer);
  void pause(int error);
  void set_events(std::uint32_t events);

  Shared& shared_;
  const Listener listener_;
  const std::vector<EventLoop*> loops_;
  int epoll_ = -1;
  std::uint64_t mark_ = 0;
  bool open_ = true;
  std::size_t next_ = 0;
  BootTime resume_at_;
};

}  // namespace seqd::resp
