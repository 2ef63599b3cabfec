#include "adapters/http/workers.h"

#include <utility>

namespace seqd::http {

Workers::Workers(std::size_t threads, std::size_t queue) : most_(threads + queue) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::offer(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (running_ + queue_.size() >= most_) return false;
    queue_.push_back(std::move(job));
  }
  more_.notify_one();
  return true;
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    --running_;
  }
}

}  // namespace seqd::http
