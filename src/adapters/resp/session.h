// What a connection's commands remember from one to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace seqd::resp {

/// The commands between MULTI and EXEC, kept as RESP arrays, to be run when EXEC comes.
struct Transaction {
  static constexpr std::size_t kMaxBytes = 256 * 1024;
  static constexpr std::size_t kMaxCommands = 1024;
  std::string queued;
  std::size_t commands = 0;
  bool broken = false;  ///< a command was refused while queueing: EXEC discards all
};

/// Belongs to one connection and so to one event loop.
struct Session {
  std::uint64_t id = 0;
  int protocol = 2;
  bool authenticated = true;
  bool leaving = false;         ///< close when the replies so far have been sent
  bool wrong_password = false;  ///< set by AUTH and HELLO: the reply is held back a while
  std::string name;
  std::unique_ptr<Transaction> transaction;  ///< null outside MULTI

  /// May INCR skip the questions that other states ask?
  bool plain() const { return authenticated && !transaction; }
};

}  // namespace seqd::resp
