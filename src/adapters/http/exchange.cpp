#include "adapters/http/exchange.h"

#include <Poco/Exception.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerConnection.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/StreamSocket.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>

#include "adapters/http/memory_socket.h"

namespace seqd::http {
namespace {

namespace net = ::Poco::Net;

Request request_of(net::HTTPServerRequest& from) {
  Request request;
  request.method = from.getMethod();
  const std::string& target = from.getURI();
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  request.authorization = from.get("Authorization", "");
  request.content_type = from.get("Content-Type", "");
  if (from.getContentLength64() > 0) {
    request.body.assign(std::istreambuf_iterator<char>(from.stream()), {});
  }
  return request;
}

void send(const Answer& answer, net::HTTPServerResponse& response) {
  response.setStatus(static_cast<net::HTTPResponse::HTTPStatus>(answer.status));
  response.setReason(std::string(reason_phrase(answer.status)));
  response.setContentType(answer.type);
  response.set("Cache-Control", "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : answer.headers) response.set(name, value);
  response.sendBuffer(answer.body.data(), answer.body.size());
}

constexpr std::string_view kBroken = "the request failed inside the daemon; its log says why";

class HandlerOf final : public net::HTTPRequestHandler {
 public:
  HandlerOf(const Exchange::Handler& handler, const Log& log) : handler_(handler), log_(log) {}
  void handleRequest(net::HTTPServerRequest& request, net::HTTPServerResponse& response) override {
    Answer answer;
    try {
      answer = handler_(request_of(request));
    } catch (const std::exception& e) {
      log_(std::string("a request failed: ") + e.what());
      answer = problem(500, kBroken);
    }
    send(answer, response);
  }

 private:
  const Exchange::Handler& handler_;
  const Log& log_;
};

class FactoryOf final : public net::HTTPRequestHandlerFactory {
 public:
  FactoryOf(const Exchange::Handler& handler, const Log& log) : handler_(handler), log_(log) {}
  net::HTTPRequestHandler* createRequestHandler(
      const net::HTTPServerRequest& /*request*/) override {
    return new HandlerOf(handler_, log_);  // Poco deletes it
  }

 private:
  const Exchange::Handler& handler_;
  const Log& log_;
};

}  // namespace

struct Exchange::Poco {
  Poco(Handler wanted, Log sink)
      : handler(std::move(wanted)),
        log(std::move(sink)),
        params(new net::HTTPServerParams),
        factory(new FactoryOf(handler, log)) {
    params->setKeepAlive(true);
  }
  const Handler handler;
  const Log log;
  net::HTTPServerParams::Ptr params;
  net::HTTPRequestHandlerFactory::Ptr factory;
};

Exchange::Exchange(Handler handler, Log log)
    : poco_(std::make_unique<Poco>(std::move(handler), std::move(log))) {}
Exchange::~Exchange() = default;

std::string Exchange::request_bytes(const Head& head, const std::string& body) {
  std::string out =
      head.method + " " + head.target + " HTTP/1." + std::to_string(head.minor) + "\r\n";
  const auto field = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out += name + (": " + value) + "\r\n";
  };
  field("Host", head.host);
  field("Connection", head.keep_alive ? "Keep-Alive" : "Close");
  field("Authorization", head.authorization);
  field("Content-Type", head.content_type);
  if (!body.empty()) field("Content-Length", std::to_string(body.size()));
  return out + "\r\n" + body;
}

std::string Exchange::run(const std::string& request) const {
  std::string out;
  try {
    net::HTTPServerConnection(net::StreamSocket(new MemorySocket(request, out)), poco_->params,
                              poco_->factory)
        .run();
  } catch (const std::exception& e) {
    poco_->log(std::string("a request failed: ") + e.what());
    out.clear();  // half an answer is none
  }
  return out.empty() ? bytes_of(problem(500, kBroken), false, true) : out;
}

}  // namespace seqd::http
