#include "adapters/http/server.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "adapters/http/exchange.h"
#include "adapters/http/front.h"
#include "adapters/http/listener.h"
#include "adapters/http/routes.h"

namespace seqd::http {

struct Server::Parts {
  Parts(HttpSettings wanted, std::string token, Api& api, std::int64_t max_batch, Log log,
        Limits bounds)
      : settings(std::move(wanted)),
        limits(bounds),
        routes(api, std::move(token), max_batch),
        exchange([this](const Request& request) { return routes.answer(request); },
                 std::move(log)) {}

  const HttpSettings settings;
  const Limits limits;
  ServerStats stats;
  const Routes routes;
  const Exchange exchange;
  std::optional<Poco::Net::ServerSocket> listener;
  std::optional<Front> front;
};

Server::Server(HttpSettings settings, std::string token, Api& api, std::int64_t max_batch, Log log,
               Limits limits)
    : parts_(std::make_unique<Parts>(std::move(settings), std::move(token), api, max_batch,
                                     std::move(log), limits)) {}

Server::~Server() = default;

Result<Done> Server::listen() {
  auto opened = open_listener(parts_->settings.listen);
  if (!opened) return opened.error();
  parts_->listener = *opened;
  return Done{};
}

std::uint16_t Server::port() const { return parts_->listener->address().port(); }

void Server::start() {
  const auto threads =
      static_cast<std::size_t>(std::max<std::int64_t>(parts_->settings.threads, 1));
  parts_->front.emplace(parts_->listener->impl()->sockfd(), threads, parts_->exchange,
                        parts_->limits, parts_->stats);
  parts_->front->start();
}

bool Server::stop(Duration patience) {
  const bool in_time = !parts_->front || parts_->front->stop(patience);
  parts_->front.reset();
  parts_->listener.reset();  // from here on clients are refused, not queued
  return in_time;
}

const ServerStats& Server::stats() const { return parts_->stats; }

}  // namespace seqd::http
