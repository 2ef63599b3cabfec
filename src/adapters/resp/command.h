// The commands: one table that says what each is called, takes, does and is told to clients.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "adapters/resp/parser.h"
#include "adapters/resp/reply.h"
#include "adapters/resp/session.h"
#include "adapters/resp/shared.h"

namespace seqd::resp {

/// All that a command answered on the spot may read and change.
struct Call {
  const Args& args;
  Session& session;
  Reply& reply;
  Shared& shared;
};
using Handler = void (*)(Call&);

enum class Does : unsigned char {
  kIncr,
  kIncrBy,
  kGet,
  kExists,
  kType,
  kTtl,
  kMget,
  kInfo,
  kExec,    ///< these nine are the connection's own: they may have to wait
  kCall,    ///< answered on the spot by `handler`
  kRefuse,  ///< known and refused: `text` says why, with its error code
};

enum Flag : unsigned {
  kWrite = 1U << 0U,
  kReadonly = 1U << 1U,
  kDenyOom = 1U << 2U,
  kAdmin = 1U << 3U,
  kNoScript = 1U << 4U,
  kLoading = 1U << 5U,
  kStale = 1U << 6U,
  kFast = 1U << 7U,
  kNoAuth = 1U << 8U,    ///< allowed before AUTH
  kNoMulti = 1U << 9U,   ///< not allowed between MULTI and EXEC
  kNoQueue = 1U << 10U,  ///< runs at once between MULTI and EXEC
};

struct Command {
  std::string_view name;  ///< lower case, at most kMaxNameBytes
  int arity = 0;          ///< the number of words; -n: at least n
  Does does = Does::kRefuse;
  unsigned flags = 0;
  int key = 0;  ///< the place of the only key; 0 = none
  Handler handler = nullptr;
  std::string_view group = {};
  std::string_view text = {};  ///< a summary, or the whole error of a refused one

  bool takes(std::size_t words) const {
    return arity >= 0 ? words == static_cast<std::size_t>(arity)
                      : words >= static_cast<std::size_t>(-arity);
  }
};
inline constexpr std::size_t kMaxNameBytes = 16;

/// Served and refused commands alike, in any case of letters; null: unknown.
const Command* find_command(std::string_view name);

/// The served ones, for COMMAND.
std::span<const Command> served_commands();
/// The refused ones. find_command() knows both.
std::span<const Command> refused_commands();

/// "ERR unknown command …", as Redis words it.
std::string unknown_command(const Args& args);

/// A word that chooses among the parts of CLIENT, CONFIG, COMMAND…
struct Subcommand {
  std::string_view name;
  int arity = 0;  ///< counts the command's own name too
  Handler handler = nullptr;
};
/// Runs the part that args[1] names, or answers what Redis answers. REQUIRES: args has at least two words.
void run_subcommand(Call& call, std::string_view command, std::span<const Subcommand> parts);

}  // namespace seqd::resp
