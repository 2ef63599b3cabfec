// The wiring of the daemon: every part once, in the order in which they are built; they end in the opposite order.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "adapters/resp/numbers.h"
#include "adapters/resp/server.h"
#include "app/log.h"
#include "app/stores.h"
#include "app/system_clock.h"
#include "app/thread_executor.h"
#include "core/owner.h"
#include "core/refill.h"
#include "core/sequencer.h"
#include "core/settings.h"

namespace seqd::app {

struct Secrets {
  std::string resp_password;
  std::string store_password;
  std::string http_token;
};

/// From start() on: serve until stop(). Both from one thread.
class Daemon final : private Events, private resp::Numbers {
 public:
  /// `on_fatal` is called at most once, from any thread, when the process has to end (DESIGN O4). `log` outlives the Daemon.
  Daemon(const Settings& settings, const Secrets& secrets, const std::string& config_file, Log& log,
         std::function<void()> on_fatal);
  ~Daemon() override;

  /// Hears how long each reservation took. Before start().
  void on_reservation(std::function<void(Duration)> took) { refill_.on_unit(std::move(took)); }
  /// Takes over what a reload may change. Any thread, between start() and stop().
  void configure(const Settings& settings);

  /// Listens and begins to look for the store. An error names the address that could not be had.
  Result<Done> start();
  // What the HTTP front looks at. Any thread, between start() and the destructor.
  Sequencer& sequencer() { return sequencer_; }
  const SlotLease& lease() const { return lease_; }
  const Stats& stats() const { return stats_; }
  const Situation& situation() const { return situation_; }
  resp::ServerStats resp_stats() const { return server_.stats(); }
  Slot slot_of(const ConvId& conv) const { return hash_.slot_of(conv.bytes()); }
  resp::Numbers::Place place(const ConvId& conv) const override;
  /// "starting", "standby", "owner", or "owner, lease lapsed".
  std::string role() const;

  /// True if a lane that never blocks took up a task within `patience`. For the watchdog; not from a lane.
  bool lanes_turn(Duration patience);

  /// DESIGN 10: listeners, drain, release of leases, stores. Takes 25 s at most.
  void stop();

 private:
  void on_event(Severity severity, const char* name, const std::string& text) noexcept override;
  void on_fatal(const std::string& text) noexcept override;
  TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                  std::uint64_t token) override {
    return sequencer_.take(conv, n, sink, token);
  }
  PeekResult peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) override {
    return sequencer_.peek(conv, sink, token);
  }
  std::string refusal_text(Refusal why) const override { return sequencer_.refusal_text(why); }
  resp::InfoText route() const override;
  resp::InfoText info() const override;
  void watch_deadlines();

  const Settings settings_;
  Log& log_;
  const std::function<void()> end_;
  SystemClock clock_;
  Stats stats_;
  Situation situation_;
  Demand demand_;
  const SlotHash hash_;
  SlotLease lease_;
  Sequencer sequencer_;
  Stores stores_;
  resp::Server server_;
  ThreadExecutor executor_;
  Refill refill_;
  std::unique_ptr<Owner> owner_;  // after listen(): it announces the real port
};

}  // namespace seqd::app
