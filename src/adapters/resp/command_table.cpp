#include <array>

#include "adapters/resp/handlers.h"

namespace seqd::resp {
namespace {

constexpr unsigned kTake = kWrite | kDenyOom | kFast;
constexpr unsigned kLook = kReadonly | kFast;
constexpr unsigned kChat = kNoScript | kLoading | kStale | kFast;
constexpr unsigned kTalk = kNoScript | kLoading | kStale;

constexpr std::array kServed = {
    Command{"incr", 2, Does::kIncr, kTake, 1, nullptr, "string", "Takes the next number."},
    Command{"incrby", 3, Does::kIncrBy, kTake, 1, nullptr, "string",
            "Takes n numbers in a row and answers the last."},
    Command{"get", 2, Does::kGet, kLook, 1, nullptr, "string", "The last number taken."},
    Command{"mget", -2, Does::kMget, kLook, 1, nullptr, "string",
            "The last number taken of each conversation."},
    Command{"seqd.info", 2, Does::kInfo, kLook, 1, nullptr, "seqd",
            "What is known of a conversation: issued, reserved, route, slot, owner, epoch."},
    Command{"seqd.route", 1, Does::kCall, kLoading | kStale | kFast, 0, do_route, "seqd",
            "The route that numbers take, and why."},
    Command{"exists", -2, Does::kExists, kLook, 1, nullptr, "generic",
            "1 if a number of the conversation was ever taken. One key."},
    Command{"type", 2, Does::kType, kLook, 1, nullptr, "generic", "string, or none."},
    Command{"ttl", 2, Does::kTtl, kLook, 1, nullptr, "generic",
            "-1, or -2 for a conversation that never was: nothing here expires."},
    Command{"pttl", 2, Does::kTtl, kLook, 1, nullptr, "generic", "As TTL."},
    Command{"ping", -1, Does::kCall, kFast, 0, do_ping, "connection", "Answers PONG."},
    Command{"echo", 2, Does::kCall, kLoading | kStale | kFast, 0, do_echo, "connection",
            "Answers its argument."},
    Command{"hello", -1, Does::kCall, kChat | kNoAuth | kNoMulti, 0, do_hello, "connection",
            "Chooses RESP2 or RESP3, and authenticates."},
    Command{"auth", -2, Does::kCall, kChat | kNoAuth | kNoMulti, 0, do_auth, "connection",
            "Authenticates the connection."},
    Command{"select", 2, Does::kCall, kLoading | kStale | kFast, 0, do_select, "connection",
            "There is one database, 0."},
    Command{"quit", -1, Does::kCall, kChat | kNoAuth | kNoQueue, 0, do_quit, "connection",
            "Closes the connection."},
    Command{"reset", 1, Does::kCall, kChat | kNoAuth | kNoQueue, 0, do_reset, "connection",
            "Makes the connection as new."},
    Command{"client", -2, Does::kCall, kTalk, 0, do_client, "connection",
            "Names, lists and closes connections."},
    Command{"multi", 1, Does::kCall, kChat | kNoQueue, 0, do_multi, "transactions",
            "Begins to queue commands."},
    Command{"exec", 1, Does::kExec, kTalk | kNoQueue, 0, nullptr, "transactions",
            "Runs what was queued."},
    Command{"discard", 1, Does::kCall, kChat | kNoQueue, 0, do_discard, "transactions",
            "Drops what was queued."},
    Command{"unwatch", 1, Does::kCall, kChat, 0, do_ok, "transactions", "Does nothing."},
    Command{"command", -1, Does::kCall, kLoading | kStale, 0, do_command, "server",
            "Tells about commands."},
    Command{"info", -1, Does::kCall, kLoading | kStale, 0, do_info, "server",
            "Tells about the server."},
    Command{"config", -2, Does::kCall, kAdmin | kTalk, 0, do_config, "server",
            "Tells a few settings; changes none."},
    Command{"role", 1, Does::kCall, kChat, 0, do_role, "server", "Answers as a master."},
    Command{"time", 1, Does::kCall, kLoading | kStale | kFast, 0, do_time, "server",
            "The wall clock."},
    Command{"wait", 3, Does::kCall, kNoScript, 0, do_zero, "generic", "0: there are no replicas."},
    Command{"dbsize", 1, Does::kCall, kLook, 0, do_zero, "server",
            "0: conversations are not counted here."},
    Command{"latency", -2, Does::kCall, kAdmin | kTalk, 0, do_latency, "server", "Always empty."},
    Command{"slowlog", -2, Does::kCall, kAdmin | kLoading | kStale, 0, do_slowlog, "server",
            "Always empty."},
    Command{"cluster", -2, Does::kCall, kLoading | kStale, 0, do_no_cluster, "cluster",
            "Answers as a Redis without cluster support."},
    Command{"readonly", 1, Does::kCall, kLoading | kStale | kFast, 0, do_no_cluster, "cluster",
            "As CLUSTER."},
    Command{"readwrite", 1, Does::kCall, kLoading | kStale | kFast, 0, do_no_cluster, "cluster",
            "As CLUSTER."},
    Command{"asking", 1, Does::kCall, kFast, 0, do_no_cluster, "cluster", "As CLUSTER."},
};

}  // namespace

std::span<const Command> served_commands() { return kServed; }

}  // namespace seqd::resp
