// What Poco 1.11 decides in a response before or after our code, so that nobody is surprised. Nothing of a request is left to
// it: the head and the body were checked before Poco sees them. It decides:
//   - the version of the response is that of the request (an error that is given without a worker says HTTP/1.1)
//   - "Connection: Keep-Alive" or "Close" stands in every response, also where HTTP/1.1 could leave it out
//   - Date stands in every response; Server does not, because no name is set
#include <doctest/doctest.h>

#include "adapters/http/exchange.h"
#include "http/client.h"

namespace seqd::http {
namespace {

std::string run(const std::string& bytes) {
  const Exchange exchange(
      [](const Request& request) {
        return Answer{200, "text/plain", request.path + request.body, {}};
      },
      [](std::string_view) {});
  return exchange.run(bytes);
}

}  // namespace

TEST_CASE("Poco answers in the version that was asked in") {
  CHECK(run("GET /a HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200 OK\r\n"));
  CHECK(run("GET /a HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  const TestServer server;
  Client client = server.connect();
  CHECK(client.ask("GET livez HTTP/1.0\r\n\r\n").status == 400);
}

TEST_CASE("Poco says in each response whether the connection is kept, and the date") {
  const TestServer server;
  const Reply reply = server.ask(request("GET /livez"));
  CHECK(reply.header("Connection") == "Keep-Alive");
  CHECK(reply.header("Date").ends_with(" GMT"));
  CHECK(reply.header("Server").empty());
  const Reply fault = server.ask("GET / HTTP/1.1\r\n\r\n");
  CHECK(fault.header("Connection") == "Close");
  CHECK(fault.header("Date").ends_with(" GMT"));
}

TEST_CASE("Poco's own limits are wider than ours, so it never closes without a word") {
  std::string widest = "GET /" + std::string(kMaxTargetBytes - 1, 'a') + " HTTP/1.1\r\n";
  widest += "Authorization: " + std::string(6000, 'b') + "\r\n";
  CHECK(run(widest + "\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  const std::string body(kMaxBodyBytes, 'c');
  CHECK(
      run("POST /a HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body)
          .ends_with("/a" + body));
}

TEST_CASE("a request that ends early in Poco is an answer all the same") {
  CHECK(run("").starts_with("HTTP/1.1 500 "));
  CHECK(run("GET /a").starts_with("HTTP/1."));
}

}  // namespace seqd::http
