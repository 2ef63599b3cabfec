// One request through Poco's HTTPServerConnection, in memory: bytes in, bytes out.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/http/answer.h"
#include "adapters/http/head.h"
#include "adapters/http/limits.h"
#include "adapters/http/request.h"

namespace seqd::http {

/// Poco parses the request and writes the response; the bytes come from and go to the loop of front.h, so that a client that
/// dawdles never holds a thread. Poco's own acceptor and dispatcher are left out: they close what is too much without a word,
/// and their threads belong to whoever keeps a connection open. Any thread, at once.
class Exchange {
 public:
  using Handler = std::function<Answer(const Request&)>;
  /// `log` is told about handlers that throw; the client is not.
  Exchange(Handler handler, Log log);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// What run() reads: the request without what was dealt with before, so with one Content-Length and no expectation.
  static std::string request_bytes(const Head& head, const std::string& body);
  /// The bytes of the response. A handler that throws is a 500.
  std::string run(const std::string& request) const;

 private:
  struct Poco;
  std::unique_ptr<Poco> poco_;
};

}  // namespace seqd::http
