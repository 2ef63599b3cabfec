#include <array>

#include "adapters/resp/command.h"

namespace seqd::resp {
namespace {

constexpr std::string_view kExpires =
    "ERR refused: a counter that expires would give its numbers out again, so none here ever does";
constexpr std::string_view kPersists =
    "ERR refused: counters here never expire, so there is nothing to persist";
constexpr std::string_view kDeletes =
    "ERR refused: a deleted counter would give its numbers out again";
constexpr std::string_view kSets =
    "ERR refused: a counter that is set by hand could give a number out twice; to raise one, use "
    "POST /v1/conversations/{id}/floor of the HTTP interface";
constexpr std::string_view kLowers =
    "ERR refused: a sequence never goes back, it would give its numbers out again";
constexpr std::string_view kFloats = "ERR refused: sequence numbers are integers; use INCRBY";
constexpr std::string_view kMoves =
    "ERR refused: a counter that changes its name would give its numbers out again under the old "
    "one";
constexpr std::string_view kScans =
    "ERR refused: conversations are not listed here; they are rows of the store's table "
    "seq_counter";
constexpr std::string_view kScripts =
    "ERR refused: scripts do not run here; use INCR and INCRBY, which are atomic";
constexpr std::string_view kNoScriptText = "NOSCRIPT No matching script. Please use EVAL.";
constexpr std::string_view kPublishes =
    "ERR refused: nothing is ever published here, so there is nothing to subscribe to";
constexpr std::string_view kWatches =
    "ERR refused: WATCH is not needed here, a number taken by INCR is never given to another; "
    "MULTI and EXEC work without it";
constexpr std::string_view kRuns =
    "ERR refused: this server is administered by its configuration file and by seqctl";

constexpr Command refused(std::string_view name, std::string_view why) {
  return Command{name, -1, Does::kRefuse, 0, 0, nullptr, {}, why};
}

constexpr std::array kRefused = {
    refused("expire", kExpires),
    refused("pexpire", kExpires),
    refused("expireat", kExpires),
    refused("pexpireat", kExpires),
    refused("getex", kExpires),
    refused("setex", kExpires),
    refused("psetex", kExpires),
    refused("persist", kPersists),
    refused("del", kDeletes),
    refused("unlink", kDeletes),
    refused("getdel", kDeletes),
    refused("flushall", kDeletes),
    refused("flushdb", kDeletes),
    refused("set", kSets),
    refused("setnx", kSets),
    refused("getset", kSets),
    refused("mset", kSets),
    refused("msetnx", kSets),
    refused("append", kSets),
    refused("setrange", kSets),
    refused("setbit", kSets),
    refused("bitfield", kSets),
    refused("restore", kSets),
    refused("decr", kLowers),
    refused("decrby", kLowers),
    refused("incrbyfloat", kFloats),
    refused("rename", kMoves),
    refused("renamenx", kMoves),
    refused("copy", kMoves),
    refused("move", kMoves),
    refused("swapdb", kMoves),
    refused("migrate", kMoves),
    refused("keys", kScans),
    refused("scan", kScans),
    refused("randomkey", kScans),
    refused("eval", kScripts),
    refused("eval_ro", kScripts),
    refused("fcall", kScripts),
    refused("fcall_ro", kScripts),
    refused("script", kScripts),
    refused("function", kScripts),
    refused("evalsha", kNoScriptText),
    refused("evalsha_ro", kNoScriptText),
    refused("subscribe", kPublishes),
    refused("psubscribe", kPublishes),
    refused("ssubscribe", kPublishes),
    refused("unsubscribe", kPublishes),
    refused("punsubscribe", kPublishes),
    refused("sunsubscribe", kPublishes),
    refused("publish", kPublishes),
    refused("spublish", kPublishes),
    refused("monitor", kPublishes),
    refused("watch", kWatches),
    refused("shutdown", kRuns),
    refused("replicaof", kRuns),
    refused("slaveof", kRuns),
    refused("save", kRuns),
    refused("bgsave", kRuns),
    refused("bgrewriteaof", kRuns),
    refused("debug", kRuns),
    refused("acl", kRuns),
    refused("module", kRuns),
};

}  // namespace

std::span<const Command> refused_commands() { return kRefused; }

}  // namespace seqd::resp
