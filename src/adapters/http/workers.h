// A fixed number of threads with a bounded queue that says no.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace seqd::http {

class Workers {
 public:
  using Job = std::function<void()>;
  /// REQUIRES: threads > 0
  Workers(std::size_t threads, std::size_t queue);
  /// Runs what is queued, then joins.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// False: every thread is busy and the queue is full. Any thread. Jobs do not throw.
  bool offer(Job job);

 private:
  void run();

  const std::size_t most_;  // running and queued together
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Job> queue_;
  std::size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace seqd::http
