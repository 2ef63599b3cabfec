// The bytes of the answers, as clients of Redis 7.0.15 expect them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "resp/client.h"

namespace seqd::resp {
namespace {

struct Exchange {
  std::string sent;
  std::string got;
};

void converse(const Client& client, const std::vector<Exchange>& exchanges) {
  for (const Exchange& x : exchanges) {
    CAPTURE(x.sent);
    CHECK(client.ask(x.sent, x.got.size()) == x.got);
  }
}

std::string hello(const std::string& head, int protocol, int id) {
  return head +
         "\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:" +
         std::to_string(protocol) + "\r\n$2\r\nid\r\n:" + std::to_string(id) +
         "\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*"
         "0\r\n";
}

constexpr const char* kBadKey =
    "-ERR invalid conversation id: expected 'seq:conv:{id}' with an id of 1 to 64 bytes of UTF-8 "
    "without control characters\r\n";
constexpr const char* kBadInteger = "-ERR value is not an integer or out of range\r\n";
constexpr const char* kBadCount =
    "-ERR count out of range: INCRBY takes 1 to 1000 numbers (segment.max_batch); a sequence never "
    "goes back\r\n";

}  // namespace

TEST_CASE("numbers are taken, read and refused in Redis's words") {
  TestServer server;
  const Client client = server.connect();
  const std::string key = "seq:conv:k";
  converse(
      client,
      {
          {command({"GET", key}), "$-1\r\n"},
          {command({"EXISTS", key}), ":0\r\n"},
          {command({"TYPE", key}), "+none\r\n"},
          {command({"TTL", key}), ":-2\r\n"},
          {command({"INCR", key}), ":1\r\n"},
          {command({"iNcR", key}), ":2\r\n"},
          {command({"INCRBY", key, "5"}), ":7\r\n"},
          {command({"incrby", key, "1000"}), ":1007\r\n"},
          {command({"GET", key}), "$4\r\n1007\r\n"},
          {command({"EXISTS", key}), ":1\r\n"},
          {command({"TYPE", key}), "+string\r\n"},
          {command({"TTL", key}), ":-1\r\n"},
          {command({"PTTL", key}), ":-1\r\n"},
          {"INCR seq:conv:k\r\n", ":1008\r\n"},
          {"incr \"seq:conv:\\x6b\"\r\n", ":1009\r\n"},
          {command({"INCR"}), "-ERR wrong number of arguments for 'incr' command\r\n"},
          {command({"INCR", key, key}), "-ERR wrong number of arguments for 'incr' command\r\n"},
          {command({"INCRBY", key}), "-ERR wrong number of arguments for 'incrby' command\r\n"},
      });
  for (const char* count : {"x", "", " 1", "+1", "01", "1e3", "-0", "9223372036854775808"}) {
    converse(client, {{command({"INCRBY", key, count}), kBadInteger}});
  }
  for (const char* count : {"0", "-1", "1001", "9223372036854775807"}) {
    converse(client, {{command({"INCRBY", key, count}), kBadCount}});
  }
  const std::string long_id(65, 'x');
  for (const std::string& bad :
       {std::string(), std::string("k"), std::string("seq:conv:"), "seq:conv:" + long_id,
        std::string("SEQ:CONV:a"), std::string("seq:conv:\xff\xfe"),
        std::string("seq:conv:a\0", 11), std::string("seq:conv:\r\n")}) {
    converse(client, {{command({"INCR", bad}), kBadKey}, {command({"GET", bad}), kBadKey}});
  }
  converse(client, {{command({"INCR", "seq:conv:" + std::string(64, 'x')}), ":1\r\n"},
                    {command({"INCR", "seq:conv:\xE4\xBC\x9A"}), ":1\r\n"}});
}

TEST_CASE("MGET answers each conversation, or one error before the array") {
  TestServer server;
  server.numbers.set("a", 5);
  const Client client = server.connect();
  converse(client, {
                       {command({"MGET", "seq:conv:a", "seq:conv:never", "seq:conv:a"}),
                        "*3\r\n$1\r\n5\r\n$-1\r\n$1\r\n5\r\n"},
                       {command({"MGET", "seq:conv:a", "other"}), kBadKey},
                       {command({"MGET"}), "-ERR wrong number of arguments for 'mget' command\r\n"},
                   });
}

TEST_CASE("SEQD.INFO and SEQD.ROUTE are maps") {
  TestServer server;
  server.numbers.set("a", 5);
  const Client client = server.connect();
  const std::string place =
      "$5\r\nroute\r\n$7\r\nsegment\r\n$4\r\nslot\r\n:7\r\n$5\r\nowner\r\n$2\r\nme\r\n"
      "$5\r\nepoch\r\n:3\r\n";
  converse(client, {
                       {command({"SEQD.INFO", "seq:conv:never"}),
                        "*12\r\n$6\r\nissued\r\n$-1\r\n$8\r\nreserved\r\n$-1\r\n" + place},
                       {command({"seqd.route"}),
                        "*4\r\n$7\r\ncurrent\r\n$7\r\nsegment\r\n$4\r\nmode\r\n$4\r\nauto\r\n"},
                   });
  const std::string known = "*12\r\n$6\r\nissued\r\n$1\r\n5\r\n$8\r\nreserved\r\n";
  CHECK(client.ask(command({"SEQD.INFO", "seq:conv:a"}), known.size()) == known);
}

TEST_CASE("refusals that may be retried say so in their first word") {
  TestServer server;
  server.numbers.refuse("owned", Refusal::kNotOwner);
  server.numbers.refuse("full", Refusal::kExhausted);
  server.numbers.refuse("big", Refusal::kBatchTooBig);
  server.numbers.refuse("crashed", Refusal::kIssuedUnknown);
  converse(server.connect(),
           {{incr("owned"), "-TRYAGAIN refused for reason 1\r\n"},
            {incr("full"), "-ERR refused for reason 7\r\n"},
            {command({"INCRBY", "seq:conv:big", "9"}), "-ERR refused for reason 8\r\n"},
            {command({"GET", "seq:conv:crashed"}), "-TRYAGAIN refused for reason 6\r\n"},
            {command({"EXISTS", "seq:conv:crashed"}), ":1\r\n"},
            {command({"TYPE", "seq:conv:crashed"}), "+string\r\n"}});
}

TEST_CASE("HELLO, PING, ECHO, SELECT and the rest of a connection's start") {
  TestServer server({.threads = 1});
  const Client client = server.connect();
  converse(
      client,
      {{command({"HELLO", "2"}), hello("*14", 2, 1)},
       {command({"HELLO"}), hello("*14", 2, 1)},
       {command({"HELLO", "4"}), "-NOPROTO unsupported protocol version\r\n"},
       {command({"HELLO", "x"}), "-ERR Protocol version is not an integer or out of range\r\n"},
       {command({"HELLO", "3", "FOO"}), "-ERR Syntax error in HELLO option 'FOO'\r\n"},
       {command({"HELLO", "3", "AUTH", "default", "x", "SETNAME", "me"}), hello("%7", 3, 1)},
       {command({"GET", "seq:conv:no"}), "_\r\n"},
       {command({"CONFIG", "GET", "nope"}), "%0\r\n"},
       {command({"CONFIG", "GET", "save"}), "%1\r\n$4\r\nsave\r\n$0\r\n\r\n"},
       {command({"CLIENT", "GETNAME"}), "$2\r\nme\r\n"},
       {command({"RESET"}), "+RESET\r\n"},
       {command({"CLIENT", "GETNAME"}), "$-1\r\n"},
       {command({"CONFIG", "GET", "save", "apPend*"}),
        "*4\r\n$10\r\nappendonly\r\n$2\r\nno\r\n$4\r\nsave\r\n$0\r\n\r\n"},
       {command({"PING"}), "+PONG\r\n"},
       {command({"PING", "hi"}), "$2\r\nhi\r\n"},
       {command({"ping", "a", "b"}), "-ERR wrong number of arguments for 'ping' command\r\n"},
       {command({"ECHO", "x\r\n"}), "$3\r\nx\r\n\r\n"},
       {command({"SELECT", "0"}), "+OK\r\n"},
       {command({"SELECT", "99"}), "-ERR DB index is out of range\r\n"},
       {command({"SELECT", "x"}), kBadInteger},
       {command({"AUTH", "x"}),
        "-ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?\r\n"},
       {command({"AUTH", "default", "x"}), "+OK\r\n"}});
}

TEST_CASE("CLIENT, COMMAND, CLUSTER and the small answers") {
  TestServer server({.threads = 1});
  const Client client = server.connect();
  const std::string no_cluster = "-ERR This instance has cluster support disabled\r\n";
  converse(
      client,
      {{command({"CLIENT", "SETNAME", "a b"}),
        "-ERR Client names cannot contain spaces, newlines or special characters.\r\n"},
       {command({"CLIENT", "SETNAME", "ab"}), "+OK\r\n"},
       {command({"CLIENT", "GETNAME"}), "$2\r\nab\r\n"},
       {command({"CLIENT", "ID"}), ":1\r\n"},
       {command({"CLIENT", "SETINFO", "LIB-NAME", "x"}), "+OK\r\n"},
       {command({"CLIENT", "NO-EVICT", "on"}), "+OK\r\n"},
       {command({"CLIENT", "NOPE"}), "-ERR unknown subcommand 'NOPE'. Try CLIENT HELP.\r\n"},
       {command({"CLIENT"}), "-ERR wrong number of arguments for 'client' command\r\n"},
       {command({"CLIENT", "SETNAME"}),
        "-ERR wrong number of arguments for 'client|setname' command\r\n"},
       {command({"CLIENT", "KILL", "1.1.1.1:1"}), "-ERR No such client\r\n"},
       {command({"CLIENT", "KILL", "ID", "99"}), ":0\r\n"},
       {command({"COMMAND", "INFO", "incr"}),
        "*1\r\n*10\r\n$4\r\nincr\r\n:2\r\n*3\r\n+write\r\n+denyoom\r\n+fast\r\n:1\r\n:1\r\n:1\r\n*3"
        "\r\n+@write\r\n+@string\r\n+@fast\r\n*0\r\n*1\r\n*6\r\n$5\r\nflags\r\n*3\r\n+RW\r\n+access"
        "\r\n+update\r\n$12\r\nbegin_search\r\n*4\r\n$4\r\ntype\r\n$5\r\nindex\r\n$4\r\nspec\r\n*2"
        "\r\n$5\r\nindex\r\n:1\r\n$9\r\nfind_keys\r\n*4\r\n$4\r\ntype\r\n$5\r\nrange\r\n$4\r\nspec"
        "\r\n*6\r\n$7\r\nlastkey\r\n:0\r\n$7\r\nkeystep\r\n:1\r\n$5\r\nlimit\r\n:0\r\n*0\r\n"},
       {command({"COMMAND", "INFO", "nope"}), "*1\r\n$-1\r\n"},
       {command({"COMMAND", "DOCS", "nope"}), "*0\r\n"},
       {command({"COMMAND", "GETKEYS", "INCR", "a"}), "*1\r\n$1\r\na\r\n"},
       {command({"COMMAND", "GETKEYS", "PING", "a"}), "-ERR The command has no key arguments\r\n"},
       {command({"COMMAND", "LIST", "FILTERBY", "PATTERN", "INCR*"}),
        "*2\r\n$4\r\nincr\r\n$6\r\nincrby\r\n"},
       {command({"CLUSTER", "SLOTS"}), no_cluster},
       {command({"READONLY"}), no_cluster},
       {command({"ASKING"}), no_cluster},
       {command({"ROLE"}), "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"},
       {command({"WAIT", "0", "0"}), ":0\r\n"},
       {command({"LATENCY", "LATEST"}), "*0\r\n"},
       {command({"SLOWLOG", "LEN"}), ":0\r\n"},
       {command({"SLOWLOG", "GET"}), "*0\r\n"},
       {command({"SLOWLOG", "RESET"}), "+OK\r\n"},
       {command({"DBSIZE"}), ":0\r\n"},
       {command({"EVALSHA", "f", "0"}), "-NOSCRIPT No matching script. Please use EVAL.\r\n"},
       {command({"NOPE", "a", "b c"}),
        "-ERR unknown command 'NOPE', with args beginning with: 'a' 'b c' \r\n"},
       {command({"A\r\nB"}), "-ERR unknown command 'A  B', with args beginning with: \r\n"},
       {command({std::string(200, 'N'), std::string(200, 'a'), "b"}),
        "-ERR unknown command '" + std::string(128, 'N') + "', with args beginning with: '" +
            std::string(128, 'a') + "' \r\n"},
       {"*1\r\n$0\r\n\r\n", "-ERR unknown command '', with args beginning with: \r\n"}});
}

TEST_CASE("what would break the promise is refused with the reason, and counts nothing") {
  TestServer server;
  const Client client = server.connect();
  for (const char* name : {"EXPIRE", "PERSIST", "DEL", "UNLINK", "SET", "SETNX", "GETSET", "DECR",
                           "DECRBY", "INCRBYFLOAT", "RENAME", "FLUSHALL", "FLUSHDB", "SUBSCRIBE",
                           "EVAL", "WATCH", "KEYS", "SHUTDOWN"}) {
    CAPTURE(name);
    client.send(command({name, "seq:conv:a", "1"}));
    const std::string reply = client.line();
    CHECK(reply.starts_with("-ERR refused: "));
    CHECK(reply.size() > 50);
  }
  CHECK(server.numbers.takes() == 0);
}

TEST_CASE("INFO has the lines that clients look for") {
  TestServer server;
  const Client client = server.connect();
  client.send(command({"INFO"}));
  const std::string head = client.line();
  const std::string text = client.read(std::stoul(head.substr(1)) + 2);
  for (const char* line : {"redis_version:7.0.15\r\n", "seqd_version:0.1.0\r\n", "loading:0\r\n",
                           "role:master\r\n", "cluster_enabled:0\r\n", "# Seqd\r\n",
                           "seqd_route:segment\r\n", "connected_clients:1\r\n", "# Keyspace\r\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  converse(client,
           {{command({"INFO", "cluster"}), "$30\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n"}});
}

TEST_CASE("a transaction queues, then runs in order") {
  TestServer server;
  const Client client = server.connect();
  const std::string key = "seq:conv:t";
  converse(client,
           {{command({"EXEC"}), "-ERR EXEC without MULTI\r\n"},
            {command({"DISCARD"}), "-ERR DISCARD without MULTI\r\n"},
            {command({"MULTI"}), "+OK\r\n"},
            {command({"MULTI"}), "-ERR MULTI calls can not be nested\r\n"},
            {command({"INCR", key}), "+QUEUED\r\n"},
            {command({"INCRBY", key, "4"}), "+QUEUED\r\n"},
            {command({"GET", key}), "+QUEUED\r\n"},
            {command({"INCRBY", key, "x"}), "+QUEUED\r\n"},
            {command({"PING", "x\r\n"}), "+QUEUED\r\n"},
            {command({"EXEC"}) + command({"PING"}), std::string("*5\r\n:1\r\n:5\r\n$1\r\n5\r\n") +
                                                        kBadInteger + "$3\r\nx\r\n\r\n+PONG\r\n"},
            {command({"MULTI"}), "+OK\r\n"},
            {command({"EXEC"}), "*0\r\n"},
            {command({"MULTI"}), "+OK\r\n"},
            {command({"INCR", key}), "+QUEUED\r\n"},
            {command({"DISCARD"}), "+OK\r\n"},
            {command({"MULTI"}), "+OK\r\n"},
            {command({"INCR", key}), "+QUEUED\r\n"},
            {command({"NOPE"}), "-ERR unknown command 'NOPE', with args beginning with: \r\n"},
            {command({"EXEC"}), "-EXECABORT Transaction discarded because of previous errors.\r\n"},
            {command({"MULTI"}), "+OK\r\n"},
            {command({"INCR"}), "-ERR wrong number of arguments for 'incr' command\r\n"},
            {command({"EXEC"}), "-EXECABORT Transaction discarded because of previous errors.\r\n"},
            {command({"INCR", key}), ":6\r\n"}});
}

TEST_CASE("a command too long to queue breaks the transaction, not the stream") {
  TestServer server;
  const std::string too_large = "-ERR refused: the transaction is too large\r\n";
  const std::string aborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";
  converse(server.connect(), {{"MULTI\r\n", "+OK\r\n"},
                              {"ECHO " + std::string(5000, 'x') + "\r\n", too_large},
                              {"EXEC\r\n", aborted},
                              {"PING\r\n", "+PONG\r\n"}});
}

TEST_CASE("a password is asked for, and a wrong one is answered late") {
  TestServer server(
      {.password = "pw", .limits = {.wrong_password = std::chrono::milliseconds(50)}});
  const Client client = server.connect();
  const std::string wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
  const std::string no_auth = "-NOAUTH Authentication required.\r\n";
  converse(client,
           {{incr("a"), no_auth},
            {command({"PING"}), no_auth},
            {command({"HELLO", "3"}),
             "-NOAUTH HELLO must be called with the client already authenticated, otherwise "
             "the HELLO AUTH <user> <pass> option can be used to authenticate the client "
             "and select the RESP protocol version at the same time\r\n"}});
  const BootTime begin = boot_now();
  converse(client, {{command({"AUTH", "bad"}) + command({"PING"}), wrong + no_auth},
                    {command({"AUTH", "bob", "pw"}), wrong},
                    {command({"AUTH", "p"}), wrong},
                    {command({"HELLO", "3", "AUTH", "default", "bad"}), wrong}});
  CHECK(boot_now() - begin >= std::chrono::milliseconds(200));
  converse(client, {{command({"AUTH", "a", "b", "c"}), "-ERR syntax error\r\n"},
                    {command({"AUTH", "pw"}), "+OK\r\n"},
                    {incr("a"), ":1\r\n"},
                    {command({"RESET"}), "+RESET\r\n"},
                    {incr("a"), no_auth},
                    {command({"AUTH", "default", "pw"}), "+OK\r\n"},
                    {incr("a"), ":2\r\n"}});
  CHECK(server.server.stats().wrong_passwords == 4);
}

}  // namespace seqd::resp
