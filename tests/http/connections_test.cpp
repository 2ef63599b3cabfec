// Connections: kept, pipelined, split, slow, too many, and what happens at the end.
#include <doctest/doctest.h>

#include <deque>
#include <thread>
#include <vector>

#include "http/client.h"
#include "support/eventually.h"

namespace seqd::http {
namespace {

constexpr Duration kSoon = std::chrono::milliseconds(150);
const std::string kLive = request("GET /livez");

std::string parked(int i) {
  return request("POST /v1/conversations/parked" + std::to_string(i) + "/seq");
}

}  // namespace

TEST_CASE("a connection serves one request after the other, and closes when the client says so") {
  const TestServer server;
  Client client = server.connect();
  for (int i = 0; i < 50; ++i) CHECK(client.ask(kLive).status == 200);
  const Reply last = client.ask(request("GET /livez", "Connection: close\r\n"));
  CHECK(last.header("Connection") == "Close");
  CHECK(client.ends());
  CHECK(server.server.stats().accepted == 1);
  CHECK(server.server.stats().requests == 51);
}

TEST_CASE("HTTP/1.0 closes, unless it asks to be kept") {
  const TestServer server;
  Client closes = server.connect();
  CHECK(closes.ask("GET /livez HTTP/1.0\r\n\r\n").body == "ok\n");
  CHECK(closes.ends());
  Client stays = server.connect();
  CHECK(stays.ask("GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").status == 200);
  CHECK(stays.ask(kLive).status == 200);
}

TEST_CASE("pipelined requests are answered in their order") {
  const TestServer server;
  Client client = server.connect();
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += request("POST /v1/conversations/c/seq");
  std::thread sender([&] { client.send(bytes); });
  for (int i = 1; i <= 200; ++i) {
    CHECK(client.read().has("\"first\":\"" + std::to_string(i) + "\""));
  }
  sender.join();
}

TEST_CASE("many clients at once each get their own numbers") {
  constexpr int kClients = 16;
  constexpr int kEach = 100;
  const TestServer server("", {}, 4);
  std::vector<std::thread> threads;
  std::atomic<std::int64_t> sum{0};
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&] {
      Client client = server.connect();
      for (int n = 0; n < kEach; ++n) {
        const std::string body = client.ask(request("POST /v1/conversations/c/seq")).body;
        const std::size_t at = body.find("\"first\":\"");
        if (at != std::string::npos) sum += std::stoll(body.substr(at + 9));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sum == std::int64_t{kClients * kEach} * (kClients * kEach + 1) / 2);
}

TEST_CASE("a request may arrive in any pieces") {
  const TestServer server;
  const std::string bytes =
      "\r\nPOST /v1/conversations/c/seq?count=2 HTTP/1.1\r\nHost: test\r\n"
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
  Client client = server.connect();
  for (std::size_t split = 0; split < bytes.size(); ++split) {
    client.send(bytes.substr(0, split));
    client.send(bytes.substr(split));
    CHECK(client.read().status == 200);
  }
  for (const char& c : bytes) client.send(std::string_view(&c, 1));
  CHECK(client.read().status == 200);
}

TEST_CASE("a client that drips has the time of one request, not of one byte") {
  Limits limits;
  limits.request = kSoon;
  const TestServer server("", limits);
  Client client = server.connect();
  std::atomic<bool> stop{false};
  std::thread dripping([&] {
    client.send("GET /livez HTTP/1.1\r\nA: ");
    while (!stop) {
      client.send("a");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  CHECK(client.read().status == 408);
  stop = true;
  dripping.join();
}

TEST_CASE("a body that does not come is 408; a client that says nothing is closed without a word") {
  Limits limits;
  limits.request = kSoon;
  limits.idle = kSoon;
  const TestServer server("", limits);
  Client half = server.connect();
  half.send("POST /v1/conversations/c/seq HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n{");
  Client quiet = server.connect();
  Client served = server.connect();
  CHECK(served.ask(kLive).status == 200);
  CHECK(half.read().status == 408);
  CHECK(half.ends());
  CHECK(quiet.ends());
  CHECK(served.ends());
}

TEST_CASE(
    "while all threads and the queue are taken, the API answers 503 and health still answers") {
  Limits limits;
  limits.api_queue = 1;
  TestServer server("", limits, 2);
  std::deque<Client> busy;
  for (int i = 0; i < 2; ++i) {
    busy.push_back(server.connect());
    busy.back().send(parked(i));
  }
  server.api.wait_for_parked(2);
  Client queued = server.connect();
  queued.send(request("POST /v1/conversations/c/seq"));
  REQUIRE(support::eventually([&] { return server.server.stats().requests == 3; }));
  Client refused = server.connect();
  for (int i = 0; i < 3; ++i) {
    const Reply reply = refused.ask(request("POST /v1/conversations/c/seq"));
    CHECK(reply.status == 503);
    CHECK(reply.header("Retry-After") == "1");
    CHECK(reply.header("Content-Type") == "application/problem+json");
  }
  CHECK(refused.ask(request("HEAD /v1/status")).status == 503);
  for (const char* path : {"/livez", "/readyz", "/readyz?verbose", "/healthz", "/metrics"}) {
    CHECK(refused.ask(request(std::string("GET ") + path)).status == 200);
  }
  CHECK(server.server.stats().overfull == 4);
  server.api.answer_all();
  for (Client& client : busy) CHECK(client.read().status == 200);
  CHECK(queued.read().has("\"first\":\"1\""));
}

TEST_CASE("clients with half a request never keep others out") {
  Limits limits;
  limits.connections = 8;
  const TestServer server("", limits, 2);
  std::deque<Client> half_open;
  for (int i = 0; i < 40; ++i) {
    half_open.push_back(server.connect());
    half_open.back().send("GET /livez HTTP/1.1\r\n");
    CHECK(server.ask(kLive).status == 200);
  }
  CHECK(server.server.stats().connected <= 8);
  CHECK(half_open.front().read().status == 503);
}

TEST_CASE("a connection over the limit is told so when nobody can make room") {
  Limits limits;
  limits.connections = 2;
  TestServer server("", limits, 2);
  Client first = server.connect();
  Client second = server.connect();
  first.send(parked(1));
  second.send(parked(2));
  server.api.wait_for_parked(2);
  Client third = server.connect();
  CHECK(third.read().status == 503);
  CHECK(third.ends());
  server.api.answer_all();
  CHECK(first.read().status == 200);
  CHECK(second.read().status == 200);
}

TEST_CASE("a client that goes away while its answer is made disturbs nobody") {
  TestServer server;
  {
    Client gone = server.connect();
    gone.send(parked(1));
    server.api.wait_for_parked(1);
    const linger hard{1, 0};  // a reset instead of a farewell
    ::setsockopt(gone.fd(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  CHECK(server.ask(kLive).status == 200);
  server.api.answer_all();
  CHECK(support::eventually([&] { return server.server.stats().connected == 0; }));
}

TEST_CASE("a client that closes its half after the request gets its answer") {
  const TestServer server;
  Client client = server.connect();
  client.send(kLive);
  ::shutdown(client.fd(), SHUT_WR);
  CHECK(client.read().body == "ok\n");
  CHECK(client.ends());
}

TEST_CASE("a client that does not read its answers holds nobody up, and not for long") {
  Limits limits;
  limits.response = kSoon;
  limits.health_threads = 1;
  TestServer server("", limits, 1);
  server.api.metrics(std::string(std::size_t{16} << 20U, 'x'));
  std::deque<Client> deaf;
  for (int i = 0; i < 4; ++i) {
    deaf.push_back(server.connect());
    deaf.back().send(request("GET /metrics"));
  }
  REQUIRE(support::eventually([&] { return server.server.stats().requests == 4; }));
  CHECK(server.ask(kLive).status == 200);
  CHECK(server.ask(request("POST /v1/conversations/c/seq")).status == 200);
  CHECK(support::eventually([&] { return server.server.stats().connected == 0; }));
}

TEST_CASE("a large answer arrives whole") {
  TestServer server;
  const std::string large(std::size_t{16} << 20U, 'x');
  server.api.metrics(large);
  CHECK(server.ask(request("GET /metrics")).body == large);
}

TEST_CASE("stopping answers what has arrived, closes the rest, and keeps to its time") {
  TestServer server;
  Client idle = server.connect();
  CHECK(idle.ask(kLive).status == 200);
  Client waiting = server.connect();
  waiting.send(parked(1));
  server.api.wait_for_parked(1);
  const std::uint16_t port = server.server.port();
  std::thread answering([&] {
    CHECK(idle.ends());
    server.api.answer_all();
    CHECK(waiting.read().status == 200);
    CHECK(waiting.ends());
  });
  CHECK(server.server.stop(std::chrono::seconds(10)));
  answering.join();
  CHECK_THROWS(Client(port));
}

TEST_CASE("stopping gives up on a client that does not finish its request") {
  TestServer server;
  Client half = server.connect();
  half.send("GET /livez HTTP/1.1\r\n");
  REQUIRE(support::eventually([&] { return server.server.stats().bytes_in > 0; }));
  CHECK_FALSE(server.server.stop(kSoon));
  CHECK(half.ends());
}

TEST_CASE("an address that cannot be had is named with the reason") {
  const TestServer server;
  FakeApi api;
  const auto failure = [&](const std::string& listen) {
    HttpSettings settings;
    settings.listen = listen;
    Server other(settings, "", api, 1, [](std::string_view) {});
    const auto result = other.listen();
    return result.ok() ? std::string() : result.error().message;
  };
  const std::string taken = "127.0.0.1:" + std::to_string(server.server.port());
  CHECK(failure(taken) == "cannot listen on " + taken + ": Address already in use");
  CHECK(failure("192.0.2.1:80") ==
        "cannot listen on 192.0.2.1:80: Cannot assign requested address");
  CHECK(failure("8390").find("expected host:port") != std::string::npos);
  CHECK(failure("[::1").find("cannot listen on [::1") == 0);
}

}  // namespace seqd::http
