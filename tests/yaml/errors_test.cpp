#include "yaml/support.h"

namespace seqd::yaml {
namespace {

TEST_CASE("everything that is wrong is said at once, in the file's order") {
  CHECK(errors("resp:\n"
               "  threads: many\n"
               "  listn: x\n"
               "  threads: 4\n"
               "stor: {}\n"
               "lease:\n"
               "  ttl_ms: 499\n"
               "  sole: yes\n") ==
        "f:2:12: resp.threads: 'many'; expected a whole number from 0 to 256\n"
        "f:3:3: resp.listn: unknown key; did you mean resp.listen?\n"
        "f:4:3: resp.threads: stands in line 2 already; expected once\n"
        "f:5:1: stor: unknown section; did you mean store?\n"
        "f:7:11: lease.ttl_ms: '499' is out of range; expected a whole number from 500 to 600000\n"
        "f:8:9: lease.sole: 'yes'; expected true or false");
}

TEST_CASE("a section or key that stands twice is an error") {
  CHECK(errors("log: {level: info}\nresp: {}\nlog: {format: json}\n") ==
        "f:3:1: log: stands in line 1 already; expected once");
  CHECK(errors("log: {level: info, level: info}") ==
        "f:1:20: log.level: stands in line 1 already; expected once");
  CHECK(errors("x: 1\nx: 2").find("f:2:1: x: stands in line 1 already") != std::string::npos);
}

TEST_CASE("whole numbers are plain digits") {
  for (const std::string bad : {"007", "0x10", "1e3", "1.0", "1_000", "+5", "5s", "0o7", "--5",
                                ".inf", "'5'", "\"5\"", "[5]", "{a: 5}", "5 5", "９"}) {
    CAPTURE(bad);
    const auto text = errors(std::string("resp:\n  threads: ") + bad + "\n");
    CHECK(contains(text, "f:2:12: resp.threads: "));
    CHECK(contains(text, "; expected a whole number from 0 to 256"));
  }
  CHECK(errors("resp: {threads: '5'}") ==
        "f:1:17: resp.threads: the quoted text '5' (leave the quotes out); expected a whole number "
        "from 0 to 256");
  for (const std::string far : {"-1", "257", "9223372036854775808", "99999999999999999999999999"}) {
    CAPTURE(far);
    CHECK(contains(errors(std::string("resp: {threads: ") + far + "}"), " is out of range; "));
  }
  CHECK(errors("resp: {threads: 0}").empty());
  CHECK(errors("resp: {threads: 256}").empty());
}

TEST_CASE("numbers with a fraction have no exponent and stay within their range") {
  for (const std::string bad : {"1e-1", ".5", "5.", "nan", ".nan", "0x1p3", "00.5", "'0.5'"}) {
    CAPTURE(bad);
    CHECK(contains(errors(std::string("segment: {prefetch_at: ") + bad + "}"),
                   "expected a number from 0 to 1"));
  }
  CHECK(errors("segment: {prefetch_at: 1.01}") ==
        "f:1:24: segment.prefetch_at: '1.01' is out of range; expected a number from 0 to 1");
}

TEST_CASE("a flag is true or false and nothing else") {
  for (const std::string bad : {"yes", "True", "TRUE", "on", "1", "'true'", "[]"}) {
    CAPTURE(bad);
    CHECK(contains(errors(std::string("lease: {sole: ") + bad + "}"), "expected true or false"));
  }
}

TEST_CASE("a key without a value is an error with a hint") {
  CHECK(errors("store:\n  path:\n") ==
        "f:2:3: store.path: no value (an empty text is \"\"); expected a text");
  CHECK(
      errors("resp: {threads: ~}") ==
      "f:1:8: resp.threads: no value (leave the key out for its default); expected a whole number "
      "from 0 to 256");
  CHECK(contains(errors("log: {level: null}"), "no value (leave the key out for its default)"));
}

TEST_CASE("a list is a list of texts, each good by itself") {
  CHECK(
      errors("redis: {sentinels: 'a:1'}") ==
      "f:1:20: redis.sentinels: the quoted text 'a:1'; expected a list of texts, such as [a, b] or "
      "[]");
  CHECK(
      contains(errors("redis: {sentinels: [[x]]}"), "f:1:21: redis.sentinels: a list in the list"));
  CHECK(contains(errors("redis:\n  sentinels:\n    - a:1\n    - b\n"),
                 "f:4:7: redis.sentinels: 'b'; expected host:port"));
}

TEST_CASE("texts that name something are checked for their form") {
  const auto bad = [](const char* section, const char* value) {
    CAPTURE(section);
    CAPTURE(value);
    CHECK(contains(errors(std::string(section) + ": {" + value + "}"), "; expected "));
  };
  for (const std::string listen :
       {"6390", ":6390", "localhost", "localhost:", "localhost:x", "localhost:65536", "::1:5",
        "[::1]", "[::1:5", "[localhost]:5", "a b:5", "a/b:5", "localhost:080", "localhost:-1"}) {
    bad("resp", (std::string("listen: '") + listen + "'").c_str());
  }
  bad("resp", "key_prefix: ''");
  bad("resp", "key_prefix: 'a b'");
  bad("resp", "key_prefix: 'é'");
  bad("resp", "key_prefix: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  bad("redis", "address: 'a:0'");
  bad("node", "announce: 'a'");
  bad("node", "id: 'a b'");
  bad("store", "path: ''");
  bad("store", "path: \"a\\nb\"");
  bad("store", "host: 'h:3306'");
  bad("store", "schema: 'a`b'");
  bad("recovery", "history_query: 'SELECT 1'");
  bad("msgid", "worker_id: 1024");
  CHECK(errors("store: {host: '::1'}").empty());
  CHECK(errors("resp: {listen: 'localhost:0'}").empty());
}

TEST_CASE("keys in the wrong place are shown the right one") {
  CHECK(errors("listen: x") == "f:1:1: listen: unknown section; write 'listen' below 'resp:'");
  CHECK(errors("lease.ttl_ms: 1") ==
        "f:1:1: lease.ttl_ms: unknown section; write 'ttl_ms' below 'lease:'");
  CHECK(errors("segment: {ttl_ms: 1}") ==
        "f:1:11: segment.ttl_ms: unknown key; did you mean lease.ttl_ms?");
  CHECK(errors("lease: {zebra: 1}") ==
        "f:1:9: lease.zebra: unknown key; expected one of ttl_ms, sole");
  CHECK(errors("lease: {tlt_ms: 1}") ==
        "f:1:9: lease.tlt_ms: unknown key; did you mean lease.ttl_ms?");
  CHECK(contains(errors("lease: {<<: 1}"), "f:1:9: lease.<<: unknown key"));
  CHECK(contains(errors("\"a\\x07b\": 1"), "f:1:1: 'a?b': unknown section"));
}

TEST_CASE("a file of another shape is an error") {
  CHECK(contains(errors("- a\n"), "f:1:1: expected sections"));
  CHECK(contains(errors("hello"), "f:1:1: expected sections"));
  CHECK(errors("resp: 5") == "f:1:7: resp: expected a map of keys");
  CHECK(contains(errors("resp: {[a]: 5}"), "f:1:8: this key is not a text"));
}

TEST_CASE("rules between keys") {
  CHECK(errors("resp:\n  listen: 0.0.0.0:6390\n") ==
        "f:2:11: resp.listen: 0.0.0.0:6390 can be reached from other hosts; expected "
        "resp.password_file as well, or a loopback address such as 127.0.0.1");
  CHECK(contains(errors("http: {listen: 'example.org:80'}"), "expected http.token_file as well"));
  for (const std::string open : {"[::]:1", "128.0.0.1:1", "127.0.0.1.example.org:1", "myhost:1"}) {
    CAPTURE(open);
    CHECK(!errors(std::string("resp: {listen: '") + open + "'}").empty());
    CHECK(errors(std::string("resp: {password_file: p, listen: '") + open + "'}").empty());
  }
  for (const std::string closed : {"[::1]:1", "127.9.9.9:1", "localhost:1"}) {
    CAPTURE(closed);
    CHECK(errors(std::string("resp: {listen: '") + closed + "'}").empty());
  }
  CHECK(errors("store: {driver: mysql}") ==
        "f:1:17: store.driver: mysql needs a server; expected store.host as well\n"
        "f:1:17: store.driver: mysql needs an account; expected store.user as well");
  CHECK(errors("segment:\n  max_step: 10\n") ==
        "f:2:13: segment.step: 1000 is more than segment.max_step, which is 10; expected at most "
        "that");
  CHECK(contains(errors("redis: {sentinels: ['a:1']}"), "expected redis.master_name as well"));
}

TEST_CASE("a rule is not held against a key that is wrong by itself") {
  CHECK(errors("store: {driver: mysql, host: 'a b', user: u}") ==
        "f:1:30: store.host: 'a b'; expected a host name or an IP address without port");
}

TEST_CASE("a message shows no more of a value than helps") {
  const std::string text = errors("log: {level: \"" + std::string(500, 'x') + "\\x01\"}");
  CHECK(text.size() < 150);
  CHECK(contains(text, "…"));
}

}  // namespace
}  // namespace seqd::yaml
