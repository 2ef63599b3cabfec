// The HTTP side of the daemon: the API over core, /metrics, health, reload.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "adapters/http/api.h"
#include "adapters/http/server.h"
#include "adapters/prometheus/metrics.h"
#include "app/daemon.h"
#include "app/log.h"
#include "app/reloader.h"

namespace seqd::app {

/// Daemon, Reloader and Log outlive it. start() and stop() from one thread.
class HttpFront final : private http::Api {
 public:
  HttpFront(const Settings& settings, const std::string& token, Daemon& daemon, Reloader& reloader,
            Log& log);

  /// Begins to serve. An address that cannot be had is an error in the log and nothing more: numbers are served without it.
  void start();
  /// For /metrics. Any thread.
  void observe_reservation(Duration took);
  /// From now on /readyz says no; requests that are in are answered.
  void stopping() { stopping_.store(true); }
  void stop();

 private:
  TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                  std::uint64_t token) override;
  PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) override;
  std::string refusal_text(Refusal why) const override;
  std::string route() const override { return "segment"; }
  http::Placement placement(const ConvId& conv) const override;
  http::FloorResult raise_floor(const ConvId&, std::int64_t) override { return {}; }
  http::Json status() const override;
  http::Json config() const override;
  std::optional<http::Json> top(std::int64_t) const override { return std::nullopt; }
  std::optional<std::vector<std::string>> msg_ids(std::int64_t) override { return std::nullopt; }
  std::optional<http::Json> msg_id_parts(std::int64_t) const override { return std::nullopt; }
  std::vector<http::Check> ready_checks() const override;
  std::string metrics_text() const override { return metrics_.text(); }
  http::ReloadOutcome reload() override;

  prometheus::Sources sources();

  Daemon& daemon_;
  Reloader& reloader_;
  Log& log_;
  const std::string address_;
  std::atomic<bool> stopping_{false};
  bool listening_ = false;
  prometheus::LatencyHistogram reservations_;
  const prometheus::Metrics metrics_;
  http::Server server_;
};

}  // namespace seqd::app
