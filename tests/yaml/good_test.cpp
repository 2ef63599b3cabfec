#include "adapters/yaml/fields.h"
#include "yaml/support.h"

namespace seqd::yaml {
namespace {

TEST_CASE("an empty file gives the defaults") {
  for (const std::string text : {"", "\n\n", "# nothing\n", "---\n", "resp:\n", "{}"}) {
    CAPTURE(text);
    CHECK(changed(Settings{}, good(text)).empty());
  }
}

TEST_CASE("each kind of value arrives in its field") {
  const auto s = good(
      "resp:\n  listen: '[::1]:7000'\n  threads: 3\n"
      "segment: {prefetch_at: 0.25}\n"
      "lease:\n  sole: true\n"
      "log:\n  level: debug\n"
      "redis:\n  sentinels: [\"a:1\", b:2]\n  master_name: m\n");
  CHECK(s.resp.listen == "[::1]:7000");
  CHECK(s.resp.threads == 3);
  CHECK(s.segment.prefetch_at == 0.25);
  CHECK(s.lease.sole);
  CHECK(s.log.level == "debug");
  CHECK(s.redis.sentinels == std::vector<std::string>{"a:1", "b:2"});
  CHECK(s.store.port == 3306);
}

TEST_CASE("a text may be plain, quoted or a block, and is taken as it is written") {
  CHECK(good("node: {id: 007}").node.id == "007");
  CHECK(good("node: {id: true}").node.id == "true");
  CHECK(good("store: {path: ./a/../b.db}").store.path == "./a/../b.db");
  CHECK(good("recovery:\n  history_query: |\n    SELECT MAX(seq)\n    FROM m WHERE c = ?\n")
            .recovery.history_query == "SELECT MAX(seq)\nFROM m WHERE c = ?\n");
}

TEST_CASE("a whole number is a number too") {
  CHECK(good("segment: {prefetch_at: 1}").segment.prefetch_at == 1.0);
}

TEST_CASE("a byte order mark and Windows line ends change nothing") {
  const auto s = good("\xEF\xBB\xBFresp:\r\n  threads: 2\r\n  password_file: \"p w\"\r\n");
  CHECK(s.resp.threads == 2);
  CHECK(s.resp.password_file == "p w");
  CHECK(errors("\xEF\xBB\xBFrespp:\r\n  threads: 2\r\nlog:\r\n  level: x\r\n") ==
        "f:1:1: respp: unknown section; did you mean resp?\n"
        "f:4:10: log.level: 'x'; expected one of error, warning, info, debug");
}

TEST_CASE("what is printed reads back to the same settings") {
  Settings s;
  s.node.id = "a\"b\\c";
  s.resp.listen = "0.0.0.0:1";
  s.resp.password_file = "/etc/π #x: y";
  s.segment.prefetch_at = 0.1;
  s.redis.sentinels = {"a:1", "[::1]:2"};
  s.redis.master_name = "~";
  s.recovery.history_query = "SELECT '\t'\nFROM x WHERE y = ?";
  s.recovery.assume_new = true;
  s.msgid.worker_id = "7";
  s.log.format = "json";
  const std::string text = print(s);
  CAPTURE(text);
  CHECK(changed(s, good(text)).empty());
  CHECK(print(good(text)) == text);
  CHECK(changed(Settings{}, good(print(Settings{}))).empty());
}

TEST_CASE("changed fields are found by value, and say whether a reload may take them over") {
  Settings after;
  after.segment.step = 5;
  after.lease.sole = true;
  const auto fields = changed(Settings{}, after);
  REQUIRE(fields.size() == 2);
  CHECK(fields[0]->key == "segment.step");
  CHECK(fields[0]->reload == Reload::kYes);
  CHECK(fields[1]->key == "lease.sole");
  CHECK(fields[1]->reload == Reload::kNo);
}

TEST_CASE("a key that this version does not act on is warned of when it is set to something") {
  const auto quiet = parse("route: {mode: auto}\nredis: {timeout_ms: 50}", "f");
  REQUIRE(quiet);
  CHECK(quiet->warnings.empty());
  const auto loud =
      parse("route:\n  mode: segment\nredis: {address: 'a:1'}\nlog: {level: debug}", "f");
  REQUIRE(loud);
  CHECK(loud->settings.redis.address == "a:1");
  CHECK(loud->warnings == std::vector<std::string>{
                              "f:2:9: route.mode: is read but has no effect in this version",
                              "f:3:18: redis.address: is read but has no effect in this version"});
}

TEST_CASE("a store timeout that may outlast the lease is warned of") {
  const auto loaded =
      parse("store: {driver: mysql, host: h, user: u}\nlease:\n  ttl_ms: 2000", "f");
  REQUIRE(loaded);
  REQUIRE(loaded->warnings.size() == 1);
  CHECK(loaded->warnings[0] ==
        "f:3:11: store.timeout_ms: one slow answer may outlast the lease; better below "
        "lease.ttl_ms, which is 2000");
}

}  // namespace
}  // namespace seqd::yaml
