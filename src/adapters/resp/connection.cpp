#include "adapters/resp/connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace seqd::resp {
namespace {

void drop_front(std::string& text, std::size_t n) {
  text.erase(0, n);
  if (text.empty() && text.capacity() > 1024) text = std::string();
}

bool is_retry(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Connection::Connection(int fd, std::uint64_t id, std::uint64_t token_base, const Shared& shared)
    : fd_(fd), token_base_(token_base) {
  session_.id = id;
  session_.authenticated = shared.password.empty();
}

void Connection::on_readable(Turn& turn) {
  if (!wants_read()) return;
  // A short tail is moved in front of the loop's buffer, so that the common case needs no memory of its own; a long one is
  // read behind, so that a large command that comes in small pieces is not moved again and again.
  const std::size_t tail = in_.size();
  const bool borrow = tail <= Turn::kTailBytes;
  if (borrow) {
    std::memcpy(turn.input.data(), in_.data(), tail);
  } else {
    in_.resize(tail + Turn::kReadBytes);
  }
  char* const to = (borrow ? turn.input.data() : in_.data()) + tail;
  const ssize_t got = ::recv(fd_, to, Turn::kReadBytes, 0);
  const std::size_t size = tail + (got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!borrow) in_.resize(size);
  if (got > 0) {
    turn.stats.bytes_in.add(static_cast<std::uint64_t>(got));
    const std::string_view input = borrow ? std::string_view(turn.input.data(), size) : in_;
    const std::size_t used = serve(turn, input);
    if (!borrow) {
      drop_front(in_, used);
    } else if (used < size) {
      in_.assign(turn.input.data() + used, size - used);
    } else {
      drop_front(in_, tail);
    }
  } else if (got == 0) {
    ending_ = true;
    partial_since_ = BootTime();
  } else if (!is_retry(errno)) {
    dead_ = true;
  }
}

void Connection::on_writable(Turn& turn) {
  const ssize_t sent = ::send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    dead_ = !is_retry(errno);
    return;
  }
  turn.stats.bytes_out.add(static_cast<std::uint64_t>(sent));
  drop_front(out_, static_cast<std::size_t>(sent));
  if (out_.empty()) resume(turn);
}

void Connection::on_turn(Turn& turn) { resume(turn); }

void Connection::on_answers(Turn& turn) {
  turn.reply.protocol = session_.protocol;
  pending_.write_ready(turn.reply, turn.shared.numbers);
  if (pending_.empty()) peeking_ = false;
  resume(turn);
}

bool Connection::on_clock(Turn& turn) {
  if (partial_since_ != BootTime() &&
      turn.now() - partial_since_ > turn.shared.limits.partial_command) {
    turn.stats.slow_closed.add(1);
    dead_ = true;
  }
  if (penalty_end_ != BootTime() && turn.now() >= penalty_end_) {
    penalty_end_ = BootTime();
    turn.reply.raw(held_);
    held_ = std::string();
    resume(turn);
  }
  return partial_since_ != BootTime() || penalty_end_ != BootTime();
}

void Connection::begin_drain(Turn& turn) {
  on_readable(turn);
  ending_ = true;
  partial_since_ = BootTime();
}

// Serves input that was kept, and what EXEC has still to run.
void Connection::resume(Turn& turn) {
  if (!has_work() || !may_serve()) return;
  const std::size_t used = serve(turn, in_);
  drop_front(in_, used);
}

// Serves commands until there is no whole one left, or one has to wait. Returns how much of `in` is done with.
std::size_t Connection::serve(Turn& turn, std::string_view in) {
  std::size_t at = 0;
  std::uint64_t commands = 0;
  bool incomplete = false;
  unserved_ = false;
  yielded_ = false;
  turn_bytes_ = 0;
  turn.reply.protocol = session_.protocol;
  while (script_.empty() || run_script(turn)) {
    if (session_.leaving) at = drop_rest(in);
    if (at == in.size()) break;
    const auto found = parser_.next(in.substr(at), session_.authenticated, turn.args);
    if (found == Parser::Status::kMore) {
      at += parser_.used();
      incomplete = at < in.size();
      break;
    }
    const Step step = found == Parser::Status::kCommand ? execute(turn) : refuse_input(turn);
    if (step == Step::kLater) break;
    at += parser_.used();
    ++commands;
    if (step == Step::kStop) {
      if (ending_) at = drop_rest(in);
      break;
    }
    if (turn.reply.size() - turn.begin >= kMaxUnsent && !go_on(turn)) break;
  }
  unserved_ = at < in.size() && !incomplete;
  if (commands != 0) turn.stats.commands.add(commands);
  note_progress(turn, incomplete && !has_work(), commands != 0);
  return at;
}

std::size_t Connection::drop_rest(std::string_view in) {
  script_.clear();
  return in.size();
}

// The clock of an incomplete command starts with the command, not with its last byte.
void Connection::note_progress(Turn& turn, bool incomplete, bool completed_one) {
  if (!incomplete) {
    partial_since_ = BootTime();
  } else if (completed_one || partial_since_ == BootTime()) {
    partial_since_ = turn.now();
    turn.watch_clock = true;
  }
}

// Sends what a long pipeline has produced so far. False: the client does not take it, or had its share of this turn.
bool Connection::go_on(Turn& turn) {
  const std::string_view replies = turn.reply.bytes().substr(turn.begin);
  turn_bytes_ += replies.size();
  send(turn, replies);
  turn.reply.cut(turn.begin);
  if (dead_ || !may_serve()) return false;
  if (turn_bytes_ < kTurnBytes) return true;
  yielded_ = true;
  return false;
}

bool Connection::run_script(Turn& turn) {
  while (script_at_ < script_.size()) {
    Parser parser;
    const std::string_view rest = std::string_view(script_).substr(script_at_);
    if (parser.next(rest, true, turn.args) != Parser::Status::kCommand) break;
    if (execute(turn) == Step::kLater) return false;
    script_at_ += parser.used();
    if (turn.reply.size() - turn.begin >= kMaxUnsent && !go_on(turn)) return false;
  }
  script_ = std::string();
  script_at_ = 0;
  return true;
}

Connection::Step Connection::refuse_input(Turn& turn) {
  if (!pending_.empty()) return Step::kLater;
  turn.stats.protocol_errors.add(1);
  turn.reply.error("ERR ", parser_.error());
  ending_ = true;
  return Step::kStop;
}

void Connection::send(Turn& turn, std::string_view replies) {
  if (replies.empty() || dead_) return;
  std::size_t sent = 0;
  if (out_.empty()) {
    const ssize_t n = ::send(fd_, replies.data(), replies.size(), MSG_NOSIGNAL);
    if (n < 0 && !is_retry(errno)) {
      dead_ = true;
      return;
    }
    if (n > 0) sent = static_cast<std::size_t>(n);
    turn.stats.bytes_out.add(sent);
  }
  if (sent < replies.size()) out_.append(replies.substr(sent));
}

}  // namespace seqd::resp
