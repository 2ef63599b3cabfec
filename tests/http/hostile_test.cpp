// Input that no honest client sends, and what becomes of it.
#include <doctest/doctest.h>

#include <initializer_list>
#include <utility>

#include "http/client.h"

namespace seqd::http {
namespace {

const std::string kHost = "Host: test\r\n";

/// Each is answered with this status, as a problem, and the connection ends: what follows has no meaning.
void refused(int status, std::initializer_list<std::string> inputs) {
  const TestServer server;
  for (const std::string& input : inputs) {
    CAPTURE(input.substr(0, 80));
    Client client = server.connect();
    client.send(input);
    const Reply reply = client.read();
    CHECK(reply.status == status);
    CHECK(reply.header("Content-Type") == "application/problem+json");
    CHECK(reply.header("Connection") == "Close");
    CHECK(client.ends());
  }
  CHECK(server.api.takes() == 0);
}

const std::string kSeq = "POST /v1/conversations/c/seq HTTP/1.1\r\n";

}  // namespace

TEST_CASE("a request line that two readers could take differently is refused") {
  refused(400, {
                   "GET /livez HTTP/1.1\r\n\r\n",
                   "GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
                   "GET /livez\r\n\r\n",
                   "GET /livez HTTP/0.9x\r\n\r\n",
                   "GET /livez HTTP/9.9x\r\n\r\n",
                   "GET  /livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET\t/livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET /livez HTTP/1.1 \r\n" + kHost + "\r\n",
                   "G(T /livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET http://test/livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET * HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET /a\xff HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET /a#b HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET /a/../livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET /./livez HTTP/1.1\r\n" + kHost + "\r\n",
                   "GET /a?x=%g1 HTTP/1.1\r\n" + kHost + "\r\n",
               });
}

TEST_CASE("versions and methods that are not served say so") {
  refused(505, {"GET /livez HTTP/2.0\r\n" + kHost + "\r\n", "GET /livez HTTP/1.2\r\n\r\n"});
  refused(501, {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "BREW /livez HTTP/1.1\r\n" + kHost + "\r\n",
                "get /livez HTTP/1.1\r\n" + kHost + "\r\n"});
}

TEST_CASE("header fields that could hide something are refused") {
  refused(400, {
                   "GET /livez HTTP/1.1\nHost: test\n\n",
                   "GET /livez HTTP/1.1\r\nHost : test\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n" + kHost + "A: b\r\n c\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n Host: test\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n" + kHost + "A\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n" + kHost + ": b\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n" + kHost + std::string("A: b\0c\r\n\r\n", 10),
                   "GET /livez HTTP/1.1\r\n" + kHost + "A: b\rc\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n" + kHost + "A: b\x01\r\n\r\n",
                   "GET /livez HTTP/1.1\r\n" + kHost + "A: b\x7f\r\n\r\n",
               });
}

TEST_CASE("two ways to say how long a body is end the connection") {
  refused(400,
          {
              kSeq + kHost + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
              kSeq + kHost + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}{",
              kSeq + kHost + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
              kSeq + kHost + "Content-Length: 2, 2\r\n\r\n{}",
              kSeq + kHost + "Content-Length: -1\r\n\r\n",
              kSeq + kHost + "Content-Length: +5\r\n\r\n",
              kSeq + kHost + "Content-Length: abc\r\n\r\n",
              kSeq + kHost + "Content-Length:\r\n\r\n",
              kSeq + kHost + "Content-Length: 12345678901234567890\r\n\r\n",
              kSeq + kHost +
                  "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
              "POST /-/reload HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          });
  refused(501, {kSeq + kHost + "Transfer-Encoding: xchunked\r\n\r\n",
                kSeq + kHost + "Transfer-Encoding: gzip, chunked\r\n\r\n"});
}

TEST_CASE("malformed chunks are refused, well-formed ones are taken") {
  const std::string chunked = kSeq + kHost + "Transfer-Encoding: chunked\r\n\r\n";
  refused(400, {
                   chunked + "-1\r\n",
                   chunked + "ZZ\r\n",
                   chunked + "FFFFFFFFFFFFFFFFF\r\n",
                   chunked + "\r\n",
                   chunked + "2\n{}\r\n0\r\n\r\n",
                   chunked + "2\r\n{}x\r\n0\r\n\r\n",
                   chunked + "2\r\n{}\n0\r\n\r\n",
                   chunked + "2;" + std::string(300, 'x') + "\r\n",
               });
  refused(413, {chunked + "FFFFFF\r\n", kSeq + kHost + "Content-Length: 65537\r\n\r\n"});
  const TestServer server;
  Client client = server.connect();
  const std::string json = kSeq + kHost + "Content-Type: application/json\r\n";
  client.send(json + "Transfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n");
  CHECK(client.read().has("\"first\":\"1\""));
  CHECK(client.ask(json + "Content-Length: 2\r\n\r\n{}").has("\"first\":\"2\""));
}

TEST_CASE("sizes have their limits") {
  refused(414, {"GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n",
                "GET /" + std::string(2048, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n"});
  std::string many = "GET /livez HTTP/1.1\r\n" + kHost;
  for (int i = 0; i < 64; ++i) many += "A: b\r\n";
  refused(431, {"GET /livez HTTP/1.1\r\n" + kHost + "A: " + std::string(100'000, 'a') + "\r\n\r\n",
                many + "\r\n",
                "GET /livez HTTP/1.1\r\n" + kHost + std::string(257, 'a') + ": b\r\n\r\n"});
  const TestServer server;
  CHECK(server.ask("GET /" + std::string(2047, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n").status ==
        404);
}

TEST_CASE("an expectation is met once the body is wanted, or is 417") {
  refused(417, {kSeq + kHost + "Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}"});
  refused(413, {kSeq + kHost + "Expect: 100-continue\r\nContent-Length: 65537\r\n\r\n"});
  const TestServer server;
  Client client = server.connect();
  client.send(
      kSeq + kHost +
      "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK(client.read().status == 100);
  client.send("{}");
  CHECK(client.read().status == 200);
}

TEST_CASE("a body is an empty JSON object or none at all") {
  const TestServer server;
  const auto with = [&](const std::string& type, const std::string& body) {
    return server.ask(request("POST /v1/conversations/c/seq", type, body)).status;
  };
  const std::string json = "Content-Type: application/json; charset=utf-8\r\n";
  CHECK(with("", "{}") == 415);
  CHECK(with("Content-Type: application/x-www-form-urlencoded\r\n", "count=5") == 415);
  CHECK(with("Content-Type: application/json\r\nContent-Encoding: gzip\r\n", "\x1f\x8b") == 415);
  for (const std::string& body :
       {std::string(R"({"count":5,"count":6})"), std::string(R"({"n":1e3})"), std::string("[]"),
        std::string(10'000, '['), std::string("{}x"), std::string("\xEF\xBB\xBF{}"),
        std::string(R"({"a":"\ud800"})"), std::string("{}\0", 3), std::string(" ")}) {
    CAPTURE(body.substr(0, 20));
    CHECK(with(json, body) == 400);
  }
  CHECK(server.api.takes() == 0);
  CHECK(with(json, " { }\n") == 200);
}

TEST_CASE("a body on GET is read and ignored, and the next request is served") {
  const TestServer server;
  Client client = server.connect();
  client.send(request("GET /livez", "", "GET /nowhere HTTP/1.1\r\n\r\n") +
              request("GET /v1/status"));
  CHECK(client.read().body == "ok\n");
  CHECK(client.read().has("route"));
}

TEST_CASE("nothing of what a client sent comes back in an error") {
  const TestServer server;
  for (const char* line :
       {"GET /<script>", "POST /v1/conversations/<script>%00/seq",
        "POST /v1/conversations/c/seq?<script>=1", "POST /v1/conversations/c/seq?count=<script>"}) {
    const Reply reply = server.ask(request(line));
    CHECK(reply.status >= 400);
    CHECK_FALSE(reply.has("script"));
  }
}

}  // namespace seqd::http
