// Every route, what it answers, and what it refuses.
#include <doctest/doctest.h>

#include "http/client.h"

namespace seqd::http {
namespace {

Reply post(const TestServer& server, const std::string& path, const std::string& fields = "") {
  return server.ask(request("POST " + path, fields));
}
Reply get(const TestServer& server, const std::string& path, const std::string& fields = "") {
  return server.ask(request("GET " + path, fields));
}

const std::string kAuth = "Authorization: Bearer s3cret\r\n";

}  // namespace

TEST_CASE("a number is taken, and several are one run; all of them are strings") {
  const TestServer server;
  const Reply one = post(server, "/v1/conversations/c1/seq");
  CHECK(one.status == 200);
  CHECK(one.header("Content-Type") == "application/json");
  CHECK(one.header("Cache-Control") == "no-store");
  CHECK(one.body == R"({"conv_id":"c1","first":"1","last":"1","count":"1","route":"segment"})"
                    "\n");
  const Reply ten = post(server, "/v1/conversations/c1/seq?count=10");
  CHECK(ten.body == R"({"conv_id":"c1","first":"2","last":"11","count":"10","route":"segment"})"
                    "\n");
}

TEST_CASE("an id is percent-decoded once, and comes back as JSON writes it") {
  const TestServer server;
  CHECK(post(server, "/v1/conversations/a%2Fb%22%25/seq").has(R"("conv_id":"a/b\"%")"));
  CHECK(post(server, "/v1/conversations/%252F/seq").has(R"("conv_id":"%2F")"));
  CHECK(post(server, "/v1/conversations/%E4%BC%9A/seq").has("\"conv_id\":\"\xE4\xBC\x9A\""));
  CHECK(post(server, "/v1/conversations/" + std::string(64, 'x') + "/seq").status == 200);
  CHECK(post(server, "/v1/conversations/" + std::string(65, 'x') + "/seq").status == 400);
  CHECK(post(server, "/v1/conversations//seq").status == 400);
  for (const char* bad : {"%00", "%0A", "%7F", "%C2%85", "%ff", "%zz", "%4", "%", "..", "%2e%2E"}) {
    CAPTURE(bad);
    const Reply reply = post(server, std::string("/v1/conversations/") + bad + "/seq");
    CHECK(reply.status == 400);
    CHECK(reply.header("Content-Type") == "application/problem+json");
  }
}

TEST_CASE("count is a plain number within one and the largest batch, and stands once") {
  const TestServer server;
  for (const char* bad : {"0", "-1", "+5", "1e3", "5x", "", "1001", "%31", "0x10", " 1",
                          "99999999999999999999", "1&count=1", "1&n=1"}) {
    CAPTURE(bad);
    CHECK(post(server, std::string("/v1/conversations/c/seq?count=") + bad).status == 400);
  }
  CHECK(post(server, "/v1/conversations/c/seq?n=1").status == 400);
  CHECK(post(server, "/v1/conversations/c/seq?count=1000").status == 200);
  CHECK(server.api.takes() == 1);
}

TEST_CASE("a refusal is a problem; those that can be retried are 503 with Retry-After") {
  TestServer server;
  server.api.refuse(Refusal::kNotOwner);
  const Reply later = post(server, "/v1/conversations/c/seq");
  CHECK(later.status == 503);
  CHECK(later.header("Retry-After") == "1");
  CHECK(later.header("Content-Type") == "application/problem+json");
  CHECK(later.body == R"({"type":"urn:seqd:problem:not_owner","title":"Service Unavailable",)"
                      R"("status":503,"detail":"reason 1"})"
                      "\n");
  for (int i = 0; i < kRefusals; ++i) {
    const auto why = static_cast<Refusal>(i);
    server.api.refuse(why);
    const bool final = why == Refusal::kExhausted || why == Refusal::kBatchTooBig;
    const Reply reply = post(server, "/v1/conversations/c/seq");
    CHECK(reply.status == (final ? 409 : 503));
    CHECK(reply.header("Retry-After") == (final ? "" : "1"));
  }
}

TEST_CASE("a conversation is read; what is not known is null, what never was is 404") {
  TestServer server;
  CHECK(get(server, "/v1/conversations/c").status == 404);
  post(server, "/v1/conversations/c/seq?count=4");
  CHECK(get(server, "/v1/conversations/c").body ==
        R"({"conv_id":"c","issued":"4","reserved":"1004","redis":null,"route":"segment",)"
        R"("slot":"17","owner":"node-a","epoch":"3"})"
        "\n");
  server.api.refuse(Refusal::kIssuedUnknown);
  const Reply unknown = get(server, "/v1/conversations/c");
  CHECK(unknown.status == 200);
  CHECK(unknown.has(R"("issued":null,"reserved":null)"));
  server.api.refuse(Refusal::kStoreDown);
  CHECK(get(server, "/v1/conversations/c").status == 503);
  CHECK(get(server, "/v1/conversations/c?x=1").status == 400);
}

TEST_CASE("an answer that comes later is waited for") {
  TestServer server;
  Client taking = server.connect();
  taking.send(request("POST /v1/conversations/parked/seq?count=3"));
  server.api.wait_for_parked(1);
  server.api.answer_all();
  CHECK(taking.read().has(R"("first":"1","last":"3")"));
  taking.send(request("GET /v1/conversations/parked"));
  server.api.wait_for_parked(1);
  server.api.answer_all();
  CHECK(taking.read().has(R"("issued":"3")"));
}

TEST_CASE("health tells a process from a daemon that can serve") {
  TestServer server;
  CHECK(get(server, "/livez").body == "ok\n");
  CHECK(get(server, "/healthz").status == 200);
  CHECK(get(server, "/readyz").body == "ok\n");
  CHECK(get(server, "/readyz?verbose").body == "[+]store ok\n[+]lease ok\nreadyz check passed\n");
  server.api.ready(false);
  CHECK(get(server, "/livez").status == 200);
  const Reply unready = get(server, "/readyz");
  CHECK(unready.status == 503);
  CHECK(unready.body == "[-]store failed: connection refused\n[+]lease ok\nreadyz check failed\n");
}

TEST_CASE("metrics come with the content type that Prometheus asks for") {
  const TestServer server;
  const Reply reply = get(server, "/metrics?name[]=up");
  CHECK(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(reply.body == "up 1\n");
}

TEST_CASE("status, configuration, the busiest and the page") {
  const TestServer server;
  CHECK(get(server, "/v1/status").body == "{\"route\":{\"current\":\"segment\"},\"owner\":null}\n");
  CHECK(get(server, "/v1/config").has("threads"));
  CHECK(get(server, "/v1/top").body == "[\"20\"]\n");
  CHECK(get(server, "/v1/top?n=5").body == "[\"5\"]\n");
  CHECK(get(server, "/v1/top?n=1001").status == 400);
  CHECK(get(server, "/").header("Content-Type") == "text/html; charset=utf-8");
}

TEST_CASE("without a configured token, admin routes are closed and say how to open them") {
  TestServer server;
  server.api.serve_everything();
  for (const char* path : {"/-/reload", "/v1/conversations/c/floor?at_least=5"}) {
    const Reply reply = post(server, path, kAuth);
    CHECK(reply.status == 403);
    CHECK(reply.has("http.token_file"));
  }
}

TEST_CASE(
    "with a token, the API and admin routes ask for it; health, metrics and the page do not") {
  TestServer server("s3cret");
  server.api.serve_everything();
  for (const char* fields :
       {"", "Authorization: Bearer s3cre\r\n", "Authorization: Bearer s3cret2\r\n",
        "Authorization: Bearer \r\n", "Authorization: Basic s3cret\r\n",
        "Authorization: s3cret\r\n", "Authorization: Bearer S3cret\r\n"}) {
    CAPTURE(fields);
    const Reply reply = post(server, "/v1/conversations/c/seq", fields);
    CHECK(reply.status == 401);
    CHECK(reply.header("WWW-Authenticate") == "Bearer realm=\"seqd\"");
    CHECK(get(server, "/v1/config", fields).status == 401);
    CHECK(post(server, "/-/reload", fields).status == 401);
  }
  CHECK(server.api.takes() == 0);
  CHECK(post(server, "/v1/conversations/c/seq", kAuth).status == 200);
  CHECK(post(server, "/v1/conversations/c/seq", "authorization: bearer s3cret\r\n").status == 200);
  CHECK(post(server, "/v1/conversations/c/floor?at_least=9", kAuth).body ==
        "{\"conv_id\":\"c\",\"issued\":\"9\",\"reserved\":\"14\"}\n");
  CHECK(post(server, "/v1/conversations/c/floor", kAuth).status == 400);
  CHECK(post(server, "/v1/conversations/c/floor?at_least=9007199254740992", kAuth).status == 400);
  CHECK(post(server, "/v1/conversations/fails/floor?at_least=9", kAuth).status == 503);
  CHECK(post(server, "/-/reload", kAuth).has("nothing changed"));
  for (const char* open : {"/", "/livez", "/readyz", "/healthz", "/metrics"}) {
    CHECK(get(server, open).status == 200);
  }
  server.api.ready(false);
  const Reply refused = post(server, "/-/reload", kAuth);
  CHECK(refused.status == 422);
  CHECK(refused.has("seqd.yaml:3:1"));
}

TEST_CASE("what this daemon cannot do yet is 501") {
  TestServer server("s3cret");
  CHECK(post(server, "/v1/conversations/c/floor?at_least=5", kAuth).status == 501);
  CHECK(post(server, "/v1/msg-ids", kAuth).status == 501);
  CHECK(get(server, "/v1/msg-ids/5", kAuth).status == 501);
  server.api.serve_everything();
  CHECK(post(server, "/v1/msg-ids?count=2", kAuth).body == "{\"msg_ids\":[\"7\",\"7\"]}\n");
  CHECK(get(server, "/v1/msg-ids/5", kAuth).body == "{\"sequence\":\"5\"}\n");
  CHECK(get(server, "/v1/msg-ids/5x", kAuth).status == 400);
}

TEST_CASE("unknown paths are 404, wrong methods 405 with Allow, OPTIONS says what there is") {
  const TestServer server;
  for (const char* path : {"/v1", "/v1/", "/livez/", "/v1/conversations/a/b/seq", "/V1/status",
                           "//livez", "/favicon.ico"}) {
    CAPTURE(path);
    CHECK(get(server, path).status == 404);
  }
  const Reply wrong = get(server, "/v1/conversations/c/seq");
  CHECK(wrong.status == 405);
  CHECK(wrong.header("Allow") == "POST");
  CHECK(post(server, "/v1/status").header("Allow") == "GET, HEAD");
  CHECK(server.ask(request("DELETE /v1/conversations/c")).status == 405);
  CHECK(server.ask(request("TRACE /livez")).status == 405);
  CHECK(server.ask(request("CONNECT example.com:80")).status == 405);
  const Reply options = server.ask(request("OPTIONS /v1/status"));
  CHECK(options.status == 200);
  CHECK(options.header("Allow") == "GET, HEAD, OPTIONS");
  CHECK(server.ask(request("OPTIONS *")).status == 200);
  CHECK(server.ask(request("OPTIONS /nowhere")).status == 404);
}

TEST_CASE("HEAD is GET without a body") {
  const TestServer server;
  Client client = server.connect();
  const Reply reply = client.ask(request("HEAD /livez"));
  CHECK(reply.status == 200);
  CHECK(reply.header("Content-Length") == "3");
  CHECK(client.ask(request("HEAD /nowhere")).status == 404);
  CHECK(client.ask(request("GET /livez")).body == "ok\n");
}

TEST_CASE("a request that fails inside is a 500 that tells the log, not the client, why") {
  const TestServer server;
  Client client = server.connect();
  const Reply reply = client.ask(request("POST /v1/conversations/throws/seq"));
  CHECK(reply.status == 500);
  CHECK_FALSE(reply.has("secret-name"));
  CHECK(server.logged == 1);
  CHECK(client.ask(request("GET /livez")).status == 200);
}

}  // namespace seqd::http
