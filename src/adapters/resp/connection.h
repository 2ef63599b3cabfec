// One client: its unfinished input, the replies it is owed, and which command it may go on to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/resp/parser.h"
#include "adapters/resp/pending.h"
#include "adapters/resp/reply.h"
#include "adapters/resp/session.h"
#include "adapters/resp/shared.h"

namespace seqd::resp {

/// What an event loop lends to the connection that it serves: memory too large to have one for each connection.
struct Turn {
  static constexpr std::size_t kReadBytes = 64 * 1024;
  static constexpr std::size_t kTailBytes = 4 * 1024;

  Turn(Shared& all, LoopStats& counts, AnswerSink* answers)
      : shared(all), stats(counts), sink(answers) {}

  Shared& shared;
  LoopStats& stats;
  AnswerSink* const sink;
  Reply reply;  ///< of all connections served since the loop last sent, one after the other
  std::size_t begin = 0;  ///< where the replies of the connection being served begin
  Args args;
  std::array<char, kReadBytes + kTailBytes> input;
  std::uint64_t waiting = 0;  ///< answers that the numbers owe this loop
  bool watch_clock = false;   ///< a connection has a deadline
  BootTime now() {
    if (now_ == BootTime()) now_ = boot_now();
    return now_;
  }
  void forget_time() { now_ = BootTime(); }

 private:
  BootTime now_;
};

/// Belongs to one event loop, whose thread makes every call; the socket is closed by the loop. Calls leave their replies in
/// turn.reply, from turn.begin on; the loop gives them to send() later, those of many connections together, and then looks at
/// finished(), wants_read(), wants_write() and wants_turn().
///
/// Bounds: unanswered commands (Pending::kMost), unsent replies (kMaxUnsent and one command's or one batch of late answers'
/// replies on top), unserved input (one read). A client that does not read its replies is not read from, and costs no more.
class Connection {
 public:
  static constexpr std::size_t kMaxUnsent = 64 * 1024;
  static constexpr std::size_t kTurnBytes =
      256 * 1024;  ///< replies of one turn; then others have theirs

  Connection(int fd, std::uint64_t id, std::uint64_t token_base, const Shared& shared);

  void on_readable(Turn& turn);
  void on_writable(Turn& turn);
  void on_hang_up() { dead_ = true; }
  /// Goes on where wants_turn() said so.
  void on_turn(Turn& turn);
  /// Files a late answer; on_answers() follows once all of a batch are filed.
  template <class R>
  void file(std::uint16_t number, const R& result, LoopStats& stats) {
    stats.count(result);
    pending_.answer(number, result);
  }
  void on_answers(Turn& turn);
  /// Looks at the deadlines. True: there is still one to watch.
  bool on_clock(Turn& turn);
  /// Sends replies now; keeps what the socket does not take.
  void send(Turn& turn, std::string_view replies);
  /// Serves what has arrived, answers it, and is then finished.
  void begin_drain(Turn& turn);

  bool finished() const {
    return dead_ || (ending_ && !has_work() && out_.empty() && held_.empty() && pending_.empty());
  }
  bool wants_read() const { return !ending_ && !dead_ && !has_work() && may_serve(); }
  bool wants_write() const { return !out_.empty(); }
  bool wants_turn() const { return yielded_ && !dead_ && may_serve(); }

  int fd() const { return fd_; }
  std::uint64_t id() const { return session_.id; }

  std::uint32_t watched = 0;  ///< the loop's note: the events that epoll watches

 private:
  enum class Step : unsigned char {
    kDone,
    kLater,  // must wait for earlier answers: not executed, to be tried again
    kStop,   // done, and nothing more is to be served now
  };

  bool has_work() const { return unserved_ || !script_.empty(); }
  bool may_serve() const { return penalty_end_ == BootTime() && out_.size() <= kMaxUnsent; }

  std::size_t serve(Turn& turn, std::string_view in);
  std::size_t drop_rest(std::string_view in);
  bool run_script(Turn& turn);
  bool go_on(Turn& turn);
  void resume(Turn& turn);
  void note_progress(Turn& turn, bool incomplete, bool completed_one);
  Step refuse_input(Turn& turn);

  // commands.cpp half: connection_execute.cpp
  Step execute(Turn& turn);
  Step execute_other(Turn& turn);
  Step take(Turn& turn, Does asked, std::string_view key, std::int64_t n);
  Step take_counted(Turn& turn);
  Step peek(Turn& turn, Does asked);
  Step peek_many(Turn& turn);
  void look(Turn& turn, Does asked, const ConvId& conv);
  Step queue(Turn& turn, const Command& command);
  Step start_script(Turn& turn);
  Step reject(Turn& turn, std::string_view text);
  Step call(Turn& turn, const Command& command);
  std::uint64_t token() const { return token_base_ | pending_.next(); }

  const int fd_;
  const std::uint64_t token_base_;
  bool dead_ = false;
  bool ending_ = false;    // close once everything owed is sent
  bool unserved_ = false;  // in_ begins with a command that had to wait
  bool yielded_ = false;
  bool peeking_ = false;  // a waiting answer is a read: nothing may be taken before it is known
  Session session_;
  Parser parser_;
  Pending pending_;
  std::string in_;  // input that is not served: an incomplete command, or all behind one that waits
  std::string out_;     // replies that the socket did not take
  std::string held_;    // the reply to a wrong password, until penalty_end_
  std::string script_;  // what EXEC runs, as RESP arrays
  std::size_t script_at_ = 0;
  std::size_t turn_bytes_ = 0;
  BootTime partial_since_;
  BootTime penalty_end_;
};

}  // namespace seqd::resp
