#include <cstring>

#include "adapters/resp/connection.h"
#include "adapters/resp/handlers.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

// Four letters in one comparison: setting bit 5 makes letters lower case and turns no other byte into one.
bool is_incr(const char* word) {
  std::uint32_t bits;
  std::memcpy(&bits, word, sizeof bits);
  bits |= 0x20202020U;
  return std::memcmp(&bits, "incr", sizeof bits) == 0;
}

bool is_by(const char* word) { return to_lower(word[0]) == 'b' && to_lower(word[1]) == 'y'; }

bool speaks_http(const Args& args) {
  const std::string_view last = args[args.size() - 1];
  return is_word(args[0], "post") || is_word(args[0], "host:") ||
         (args.size() == 3 && last.starts_with("HTTP/1."));
}

std::optional<ConvId> conversation(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix)) return std::nullopt;
  return ConvId::parse(key.substr(prefix.size()));
}

void append_as_array(std::string& to, const Args& args) {
  to += '*';
  to += std::to_string(args.size());
  to += "\r\n";
  for (std::size_t i = 0; i < args.size(); ++i) {
    to += '$';
    to += std::to_string(args[i].size());
    to += "\r\n";
    to += args[i];
    to += "\r\n";
  }
}

}  // namespace

Connection::Step Connection::execute(Turn& turn) {
  const Args& args = turn.args;
  const std::string_view name = args[0];
  if (session_.plain()) {
    if (args.size() == 2 && name.size() == 4 && is_incr(name.data())) {
      return take(turn, Does::kIncr, args[1], 1);
    }
    if (args.size() == 3 && name.size() == 6 && is_incr(name.data()) && is_by(name.data() + 4)) {
      return take_counted(turn);
    }
  }
  // What is not a taking of numbers waits until all before it are answered: a GET sees the INCR before it.
  if (!pending_.empty()) return Step::kLater;
  return execute_other(turn);
}

Connection::Step Connection::take(Turn& turn, Does asked, std::string_view key, std::int64_t n) {
  const auto conv = conversation(key, turn.shared.settings.key_prefix);
  if (!conv) return reject(turn, turn.shared.bad_key);
  if (pending_.full() || peeking_) return Step::kLater;
  const TakeResult result = turn.shared.numbers.take(*conv, n, turn.sink, token());
  turn.stats.count(result);
  if (pending_.empty() && result.kind == TakeResult::Kind::kTaken) {
    turn.reply.integer(result.last);
    return Step::kDone;
  }
  if (result.kind == TakeResult::Kind::kWaiting) ++turn.waiting;
  pending_.push(outcome_of(asked, result));
  pending_.write_ready(turn.reply, turn.shared.numbers);
  return Step::kDone;
}

Connection::Step Connection::take_counted(Turn& turn) {
  const auto n = parse_integer(turn.args[2]);
  if (!n) return reject(turn, "ERR value is not an integer or out of range");
  if (*n < 1 || *n > turn.shared.max_batch.load(std::memory_order_relaxed)) {
    return reject(turn, turn.shared.bad_count());
  }
  return take(turn, Does::kIncrBy, turn.args[1], *n);
}

Connection::Step Connection::reject(Turn& turn, std::string_view text) {
  if (!pending_.empty()) return Step::kLater;
  turn.stats.count(Asked::kOther, Answered::kError);
  turn.reply.error(text);
  if (session_.transaction) session_.transaction->broken = true;
  return Step::kDone;
}

Connection::Step Connection::peek(Turn& turn, Does asked) {
  if (turn.args.size() > 2) return reject(turn, "ERR refused: EXISTS takes one key here");
  const auto conv = conversation(turn.args[1], turn.shared.settings.key_prefix);
  if (!conv) return reject(turn, turn.shared.bad_key);
  if (asked == Does::kInfo) pending_.place = turn.shared.numbers.place(*conv);
  look(turn, asked, *conv);
  return Step::kDone;
}

// All keys are good before the first byte of the array is written.
Connection::Step Connection::peek_many(Turn& turn) {
  const Args& args = turn.args;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (!conversation(args[i], turn.shared.settings.key_prefix)) {
      return reject(turn, turn.shared.bad_key);
    }
  }
  turn.reply.array(args.size() - 1);
  for (std::size_t i = 1; i < args.size(); ++i) {
    look(turn, Does::kMget, *conversation(args[i], turn.shared.settings.key_prefix));
  }
  return Step::kDone;
}

void Connection::look(Turn& turn, Does asked, const ConvId& conv) {
  const PeekResult result = turn.shared.numbers.peek(conv, turn.sink, token());
  turn.stats.count(result);
  if (result.kind == PeekResult::Kind::kWaiting) {
    ++turn.waiting;
    peeking_ = true;
  }
  pending_.push(outcome_of(asked, result));
  pending_.write_ready(turn.reply, turn.shared.numbers);
}

// REQUIRES: nothing is pending.
Connection::Step Connection::execute_other(Turn& turn) {
  const Args& args = turn.args;
  const Command* command = find_command(args[0]);
  const bool fits = command != nullptr && command->takes(args.size());
  if (!fits && speaks_http(args)) {
    turn.stats.http_requests.add(1);
    turn.reply.cut(turn.begin);
    dead_ = true;
    return Step::kStop;
  }
  if (command == nullptr) return reject(turn, unknown_command(args));
  if (!fits) {
    std::string text = "ERR wrong number of arguments for '";
    text += command->name;
    return reject(turn, text += "' command");
  }
  if (!session_.authenticated && (command->flags & kNoAuth) == 0) {
    return reject(turn, "NOAUTH Authentication required.");
  }
  if (command->does == Does::kRefuse) return reject(turn, command->text);
  if (session_.transaction && (command->flags & kNoQueue) == 0) return queue(turn, *command);
  switch (command->does) {
    case Does::kIncr:
      return take(turn, Does::kIncr, args[1], 1);
    case Does::kIncrBy:
      return take_counted(turn);
    case Does::kGet:
    case Does::kExists:
    case Does::kType:
    case Does::kTtl:
    case Does::kInfo:
      return peek(turn, command->does);
    case Does::kMget:
      return peek_many(turn);
    case Does::kExec:
      return start_script(turn);
    case Does::kCall:
    case Does::kRefuse:
      break;
  }
  return call(turn, *command);
}

Connection::Step Connection::call(Turn& turn, const Command& command) {
  turn.stats.count(Asked::kOther, Answered::kOk);
  const std::size_t before = turn.reply.size();
  Call call{turn.args, session_, turn.reply, turn.shared};
  command.handler(call);
  if (session_.leaving) {
    ending_ = true;
    return Step::kStop;
  }
  if (!session_.wrong_password) return Step::kDone;
  // The answer is held back and the client is not served meanwhile, so guessing costs a second a guess.
  session_.wrong_password = false;
  turn.stats.wrong_passwords.add(1);
  held_ = turn.reply.bytes().substr(before);
  turn.reply.cut(before);
  penalty_end_ = turn.now() + turn.shared.limits.wrong_password;
  turn.watch_clock = true;
  return Step::kStop;
}

Connection::Step Connection::queue(Turn& turn, const Command& command) {
  Transaction& transaction = *session_.transaction;
  if ((command.flags & kNoMulti) != 0) {
    return reject(turn, "ERR Command not allowed inside a transaction");
  }
  std::size_t bytes = 0;
  bool too_long = false;  // an inline word may be longer than the arrays that are queued allow
  for (std::size_t i = 0; i < turn.args.size(); ++i) {
    bytes += turn.args[i].size();
    too_long = too_long || turn.args[i].size() > kMaxBulkBytes;
  }
  if (too_long || transaction.commands == Transaction::kMaxCommands ||
      transaction.queued.size() + bytes > Transaction::kMaxBytes) {
    return reject(turn, "ERR refused: the transaction is too large");
  }
  append_as_array(transaction.queued, turn.args);
  ++transaction.commands;
  turn.reply.simple("QUEUED");
  return Step::kDone;
}

Connection::Step Connection::start_script(Turn& turn) {
  if (!session_.transaction) return reject(turn, "ERR EXEC without MULTI");
  const std::unique_ptr<Transaction> transaction = std::move(session_.transaction);
  if (transaction->broken) {
    return reject(turn, "EXECABORT Transaction discarded because of previous errors.");
  }
  turn.reply.array(transaction->commands);
  script_ = std::move(transaction->queued);
  script_at_ = 0;
  return Step::kDone;
}

}  // namespace seqd::resp
