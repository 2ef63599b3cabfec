// Clients as they come: fast, slow, cut off, hostile, too many.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "resp/client.h"

namespace seqd::resp {
namespace {

std::string many(int n, std::string_view id) {
  std::string text;
  for (int i = 0; i < n; ++i) text += incr(id);
  return text;
}

std::string numbers(int n) {
  std::string text;
  for (int i = 1; i <= n; ++i) text += ":" + std::to_string(i) + "\r\n";
  return text;
}

}  // namespace

TEST_CASE("a pipeline of 10,000 is answered in order") {
  TestServer server;
  const Client client = server.connect();
  const std::string sent = many(10000, "a");
  const std::string wanted = numbers(10000);
  std::thread sender([&] { client.send(sent); });
  CHECK(client.read(wanted.size()) == wanted);
  sender.join();
  CHECK(server.server.stats().commands >= 10000);
}

TEST_CASE("one byte at a time works") {
  TestServer server;
  const Client client = server.connect();
  const std::string sent = incr("a") + "PING\r\n" + command({"INCRBY", "seq:conv:a", "9"});
  for (const char c : sent) client.send({&c, 1});
  CHECK(client.read(4 + 7 + 5) == ":1\r\n+PONG\r\n:10\r\n");
}

TEST_CASE("a client that closes its half behind the command is answered, then closed") {
  TestServer server;
  const Client client = server.connect();
  client.send(incr("a") + incr("a") + "*2\r\n$4\r\nINCR");
  client.half_close();
  CHECK(client.read_to_end() == ":1\r\n:2\r\n");
}

TEST_CASE("QUIT is answered and nothing behind it is run") {
  TestServer server;
  const Client client = server.connect();
  client.send(incr("a") + command({"QUIT"}) + incr("a"));
  CHECK(client.read_to_end() == ":1\r\n+OK\r\n");
  CHECK(server.numbers.takes() == 1);
}

TEST_CASE("a protocol error closes behind the replies that are due") {
  TestServer server;
  const Client client = server.connect();
  client.send(incr("a") + "*2\r\n$-1\r\n" + incr("a"));
  CHECK(client.read_to_end() == ":1\r\n-ERR Protocol error: invalid bulk length\r\n");
  CHECK(server.numbers.takes() == 1);
  CHECK(server.server.stats().protocol_errors == 1);
}

TEST_CASE("HTTP on this port is closed without an answer") {
  TestServer server;
  for (const char* text : {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\n\r\n",
                           "Host: x\r\n", "host:\r\n"}) {
    const Client client = server.connect();
    client.send(text);
    CHECK(client.read_to_end().empty());
  }
  CHECK(server.server.stats().http_requests == 4);
}

TEST_CASE("a client that does not read is not served without end, and all is there when it reads") {
  TestServer server({.threads = 1});
  const Client slow = server.connect();
  const int small = 4096;
  ::setsockopt(slow.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  // Each command of 7 bytes has a reply of some 10 KiB: without a bound this would be 200 MB.
  std::string sent;
  for (int i = 0; i < 20000; ++i) sent += "COMMAND\r\n";
  std::thread sender([&] { slow.send(sent); });
  const Client good = server.connect();
  for (int i = 1; i <= 1000; ++i) {
    REQUIRE(good.ask(incr("a"), numbers(i).size() - numbers(i - 1).size()) ==
            ":" + std::to_string(i) + "\r\n");
  }
  const ServerStats stats = server.server.stats();  // what the kernel's buffers took, and no more
  CHECK(stats.commands < 1000 + 20000 / 2);
  CHECK(stats.bytes_out < std::uint64_t{64} << 20U);
  ::shutdown(slow.fd(), SHUT_RDWR);
  sender.join();
}

TEST_CASE("a long pipeline of large replies arrives whole") {
  TestServer server;
  const Client client = server.connect();
  const std::string payload(4096, 'x');
  std::string sent;
  for (int i = 0; i < 2000; ++i) sent += command({"ECHO", payload}) + incr("a");
  std::thread sender([&] { client.send(sent); });
  const std::string bulk = "$4096\r\n" + payload + "\r\n";
  bool same = true;
  for (int i = 1; i <= 2000; ++i) {
    const std::string wanted = bulk + ":" + std::to_string(i) + "\r\n";
    same = same && client.read(wanted.size()) == wanted;
  }
  CHECK(same);
  sender.join();
}

TEST_CASE("a hot pipeline does not starve the others of its loop") {
  TestServer server({.threads = 1});
  const Client hot = server.connect();
  const std::string sent = many(200000, "hot");
  std::thread sender([&] { hot.send(sent); });
  std::thread reader([&] { CHECK(hot.read(numbers(200000).size()).ends_with(":200000\r\n")); });
  const Client good = server.connect();
  for (int i = 1; i <= 200; ++i) CHECK(good.ask(command({"PING"}), 7) == "+PONG\r\n");
  sender.join();
  reader.join();
}

TEST_CASE("garbage beside a good client does not disturb it") {
  TestServer server;
  const Client good = server.connect();
  unsigned seed = 1;
  for (int i = 1; i <= 100; ++i) {
    const Client bad = server.connect();
    std::string garbage;
    for (int n = 0; n < 256; ++n) {
      seed = seed * 1103515245U + 12345U;
      garbage += static_cast<char>(seed >> 16U);
    }
    bad.send(garbage);
    good.send(incr("a"));
    CHECK(good.line() == ":" + std::to_string(i) + "\r\n");
  }
}

TEST_CASE("a client that does not finish its command is closed, an idle one is not") {
  TestServer server({.limits = {.partial_command = std::chrono::milliseconds(60)}});
  const Client idle = server.connect();
  const Client slow = server.connect();
  CHECK(idle.ask(command({"PING"}), 7) == "+PONG\r\n");
  const std::string frame = incr("a");
  // Sending on does not buy time: the clock runs from the first byte.
  std::thread dripping([&] {
    for (std::size_t i = 0; i + 1 < frame.size(); ++i) {
      slow.send(std::string_view(frame).substr(i, 1));
      pollfd closed{slow.fd(), POLLRDHUP, 0};
      if (::poll(&closed, 1, 5) != 0) return;
    }
  });
  CHECK(slow.read_to_end().empty());
  dripping.join();
  CHECK(server.server.stats().slow_closed == 1);
  CHECK(idle.ask(command({"PING"}), 7) == "+PONG\r\n");
  CHECK(server.numbers.takes() == 0);
}

TEST_CASE("clients over the limit are told so, and there is room again when one leaves") {
  TestServer server({.max_clients = 2});
  Client a = server.connect();
  const Client b = server.connect();
  CHECK(a.ask(command({"PING"}), 7) == "+PONG\r\n");
  CHECK(b.ask(command({"PING"}), 7) == "+PONG\r\n");
  CHECK(server.connect().read_to_end() == "-ERR max number of clients reached\r\n");
  a.close();
  while (server.server.stats().connected != 1) std::this_thread::yield();
  CHECK(server.connect().ask(command({"PING"}), 7) == "+PONG\r\n");
  CHECK(server.server.stats().rejected == 1);
}

TEST_CASE("out of descriptors, accepting pauses and takes up again") {
  TestServer server({.limits = {.accept_pause = std::chrono::milliseconds(10)}});
  const Client good = server.connect();
  CHECK(good.ask(command({"PING"}), 7) == "+PONG\r\n");
  std::vector<int> hoard;
  Client late = server.connect();
  CHECK(late.ask(command({"PING"}), 7) == "+PONG\r\n");
  late.close();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int client_end = ::socket(AF_INET, SOCK_STREAM, 0);
  for (;;) {
    const rlimit low{static_cast<rlim_t>(client_end) + 1, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    const int fd = ::dup(0);
    if (fd < 0) break;
    hoard.push_back(fd);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(server.server.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(client_end, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  while (server.logged == 0) std::this_thread::yield();
  CHECK(good.ask(command({"PING"}), 7) == "+PONG\r\n");
  setrlimit(RLIMIT_NOFILE, &before);
  for (const int fd : hoard) ::close(fd);
  CHECK(::send(client_end, "PING\r\n", 6, MSG_NOSIGNAL) == 6);
  char reply[7] = {};
  CHECK(::recv(client_end, reply, 7, MSG_WAITALL) == 7);
  ::close(client_end);
}

TEST_CASE("CLIENT KILL closes another loop's client, and its own only behind the reply") {
  TestServer server;
  const Client a = server.connect();
  const Client b = server.connect();
  CHECK(a.ask(command({"CLIENT", "ID"}), 4) == ":1\r\n");
  CHECK(b.ask(command({"CLIENT", "ID"}), 4) == ":2\r\n");
  CHECK(a.ask(command({"CLIENT", "KILL", "ID", "2"}), 4) == ":1\r\n");
  CHECK(b.read_to_end().empty());
  a.send(command({"CLIENT", "KILL", "ID", "1"}));
  CHECK(a.read_to_end() == ":1\r\n");
}

TEST_CASE("a second server on the port is refused with the address and the reason") {
  TestServer server;
  RespSettings settings;
  settings.listen = "127.0.0.1:" + std::to_string(server.server.port());
  FakeNumbers numbers;
  Server second(settings, "", numbers, 1000, {}, [](std::string_view) {});
  const auto listening = second.listen();
  REQUIRE(!listening);
  CHECK(listening.error().message ==
        "resp.listen: cannot listen on " + settings.listen + ": Address already in use");
}

TEST_CASE("an address that is none is refused with what was expected") {
  for (const char* listen : {"", "6390", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "::1:6390",
                             "[::1]", "127.0.0.1:-1"}) {
    CAPTURE(listen);
    RespSettings settings;
    settings.listen = listen;
    FakeNumbers numbers;
    Server server(settings, "", numbers, 1000, {}, [](std::string_view) {});
    const auto listening = server.listen();
    REQUIRE(!listening);
    CHECK(listening.error().message.find("expected host:port") != std::string::npos);
  }
  RespSettings by_name;
  by_name.listen = "localhost:0";
  FakeNumbers numbers;
  Server server(by_name, "", numbers, 1000, {}, [](std::string_view) {});
  CHECK(server.listen().ok());
  CHECK(server.port() != 0);
}

TEST_CASE("a drain serves what has arrived and closes the idle") {
  TestServer server;
  const Client idle = server.connect();
  const Client busy = server.connect();
  CHECK(idle.ask(command({"PING"}), 7) == "+PONG\r\n");
  CHECK(busy.ask(command({"PING"}), 7) == "+PONG\r\n");
  busy.send(many(100, "a"));
  CHECK(server.server.drain(std::chrono::seconds(20)));
  CHECK(busy.read_to_end() == numbers(100));
  CHECK(idle.read_to_end().empty());
}

}  // namespace seqd::resp
