// Answers that come later: from another thread, out of order, too early, too late.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "resp/client.h"

namespace seqd::resp {
namespace {

bool is_cold(const std::string& id) { return id.starts_with("cold"); }
bool any(const std::string&) { return true; }

}  // namespace

TEST_CASE("replies leave in command order whatever order the answers come in") {
  TestServer server;
  server.numbers.park(is_cold);
  for (const auto& [id, v] : {std::pair{"cold1", 10}, {"cold2", 20}, {"cold3", 30}, {"warm", 40}}) {
    server.numbers.set(id, v);
  }
  const Client client = server.connect();
  client.send(incr("warm") + incr("cold1") + incr("warm") + incr("cold2") + incr("cold3"));
  server.numbers.wait_for_parked(3);
  CHECK(client.read(5) == ":41\r\n");
  server.numbers.answer(2);
  server.numbers.answer(1);
  server.numbers.answer(0);
  CHECK(client.read(20) == ":11\r\n:42\r\n:21\r\n:31\r\n");
}

TEST_CASE("a read behind a waiting number waits for it, and so does what follows a waiting read") {
  TestServer server;
  server.numbers.park(is_cold);
  const Client client = server.connect();
  client.send(incr("cold") + command({"GET", "seq:conv:cold"}) + incr("cold") + command({"PING"}));
  server.numbers.wait_for_parked(1);
  server.numbers.answer(0);
  CHECK(client.read(4) == ":1\r\n");
  server.numbers.wait_for_parked(1);
  CHECK(server.numbers.takes() == 1);  // the second INCR is not begun while the GET is unanswered
  server.numbers.answer(0);
  CHECK(client.read(7) == "$1\r\n1\r\n");
  server.numbers.wait_for_parked(1);
  server.numbers.answer(0);
  CHECK(client.read(11) == ":2\r\n+PONG\r\n");
}

TEST_CASE("the elements of an MGET keep their order whatever order the answers come in") {
  TestServer server;
  server.numbers.park(is_cold);
  server.numbers.set("cold1", 1);
  server.numbers.set("warm", 2);
  server.numbers.set("cold2", 3);
  const Client client = server.connect();
  client.send(command({"MGET", "seq:conv:cold1", "seq:conv:warm", "seq:conv:cold2"}) +
              command({"PING"}));
  server.numbers.wait_for_parked(2);
  server.numbers.answer(1);
  server.numbers.answer(0);
  const std::string wanted = "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n+PONG\r\n";
  CHECK(client.read(wanted.size()) == wanted);
}

TEST_CASE("errors behind a waiting number keep their place") {
  TestServer server;
  server.numbers.park(is_cold);
  const Client client = server.connect();
  client.send(incr("cold") + command({"INCRBY", "seq:conv:cold", "x"}) + command({"NOPE"}) +
              "*x\r\n");
  server.numbers.wait_for_parked(1);
  server.numbers.answer(0);
  CHECK(client.read_to_end() ==
        ":1\r\n-ERR value is not an integer or out of range\r\n-ERR unknown command 'NOPE', with "
        "args beginning with: \r\n-ERR Protocol error: invalid multibulk length\r\n");
}

TEST_CASE("an answer that comes before take() returned is not lost") {
  TestServer server;
  server.numbers.answer_early(any);
  const Client client = server.connect();
  std::string sent;
  std::string wanted;
  for (int i = 1; i <= 5000; ++i) {
    sent += incr("early");
    wanted += ":" + std::to_string(i) + "\r\n";
  }
  std::thread sender([&] { client.send(sent); });
  CHECK(client.read(wanted.size()) == wanted);
  sender.join();
}

TEST_CASE("at most 1,024 numbers of one connection wait at once, and all are answered") {
  TestServer server;
  server.numbers.park(is_cold);
  const Client client = server.connect();
  std::string sent;
  std::string wanted;
  for (int i = 1; i <= 3000; ++i) {
    sent += incr("cold");
    wanted += ":" + std::to_string(i) + "\r\n";
  }
  std::thread sender([&] { client.send(sent); });
  server.numbers.wait_for_parked(1024);
  CHECK(server.connect().ask(command({"PING"}), 7) == "+PONG\r\n");
  CHECK(server.numbers.takes() == 1024);
  std::atomic<bool> stop{false};
  std::thread lane([&] {
    while (!stop) server.numbers.answer_all();
  });
  const bool same = client.read(wanted.size()) == wanted;
  stop = true;
  CHECK(same);
  sender.join();
  lane.join();
}

TEST_CASE("an answer for a client that went away reaches nobody, least of all the next client") {
  TestServer server({.threads = 1});
  server.numbers.park(is_cold);
  Client gone = server.connect();
  gone.send(incr("cold") + incr("cold"));
  server.numbers.wait_for_parked(2);
  const linger reset{1, 0};  // so that the server learns at once
  ::setsockopt(gone.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  gone.close();
  while (server.server.stats().connected != 0) std::this_thread::yield();
  const Client next = server.connect();  // has the slot of the one before
  next.send(incr("cold"));
  server.numbers.wait_for_parked(3);
  server.numbers.answer(0);
  server.numbers.answer(0);
  server.numbers.answer(0);
  CHECK(next.read(4) == ":3\r\n");
  CHECK(next.ask(command({"PING"}), 7) == "+PONG\r\n");
}

TEST_CASE("a half-closed client still gets what it waits for") {
  TestServer server;
  server.numbers.park(is_cold);
  // Often, because the end of the input and the answer have to reach the loop in the same round.
  for (int i = 1; i <= 200; ++i) {
    const Client client = server.connect();
    client.send(incr("cold"));
    server.numbers.wait_for_parked(1);
    client.half_close();
    server.numbers.answer(0);
    REQUIRE(client.read_to_end() == ":" + std::to_string(i) + "\r\n");
  }
}

TEST_CASE("a transaction waits inside and keeps its frame") {
  TestServer server;
  server.numbers.park(is_cold);
  const Client client = server.connect();
  client.send(command({"MULTI"}) + incr("cold") + command({"GET", "seq:conv:warm"}) + incr("warm") +
              command({"EXEC"}) + command({"PING"}));
  CHECK(client.read(5 + 3 * 9) == "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n");
  server.numbers.wait_for_parked(1);
  server.numbers.answer(0);
  CHECK(client.read(4 + 4 + 5 + 4 + 7) == "*3\r\n:1\r\n$-1\r\n:1\r\n+PONG\r\n");
}

TEST_CASE("a drain waits for the answers, and the client reads them") {
  TestServer server;
  server.numbers.park(is_cold);
  const Client client = server.connect();
  client.send(incr("cold") + incr("warm") + command({"PING"}));
  server.numbers.wait_for_parked(1);
  std::thread late([&] {
    while (true) {  // the listening socket is closed first, so the drain has begun
      try {
        server.connect();
      } catch (const std::runtime_error&) {
        break;
      }
    }
    server.numbers.answer_all();
  });
  CHECK(server.server.drain(std::chrono::seconds(20)));
  late.join();
  CHECK(client.read_to_end() == ":1\r\n:1\r\n+PONG\r\n");
}

TEST_CASE("a server that goes away with answers owed waits for them") {
  TestServer server;
  server.numbers.park(is_cold);
  const Client client = server.connect();
  client.send(incr("cold"));
  server.numbers.wait_for_parked(1);
  CHECK(!server.server.drain(std::chrono::milliseconds(5)));
  CHECK(client.read_to_end().empty());
}  // TestServer answers, then the Server's destructor returns

TEST_CASE("many clients, answers from other threads: each gets its numbers in order, none twice") {
  TestServer server;
  server.numbers.park([n = 0](const std::string&) mutable { return ++n % 3 == 0; });
  std::atomic<bool> stop{false};
  std::thread lane([&] {
    while (!stop) {
      server.numbers.answer_all();
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> clients;
  std::atomic<int> bad{0};
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      const Client client = server.connect();
      const std::string id = "own" + std::to_string(c);
      std::int64_t seen = 0;
      for (int round = 0; round < 100; ++round) {
        std::string sent;
        for (int i = 0; i < 20; ++i) sent += incr(id);
        client.send(sent);
        std::vector<bool> got(21);
        for (int i = 0; i < 20; ++i) {
          const std::int64_t v = std::stoll(client.line().substr(1)) - seen;
          if (v < 1 || v > 20 || got[static_cast<std::size_t>(v)])
            ++bad;
          else
            got[static_cast<std::size_t>(v)] = true;
        }
        seen += 20;
      }
    });
  }
  for (std::thread& t : clients) t.join();
  stop = true;
  lane.join();
  CHECK(bad == 0);
}

}  // namespace seqd::resp
