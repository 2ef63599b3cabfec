#include "adapters/prometheus/metrics.h"

#include <utility>

#include "adapters/prometheus/families.h"
#include "adapters/prometheus/process.h"

namespace seqd::prometheus {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

template <class F, class... Args>
auto ask(const F& function, Args... args) -> decltype(function(args...)) {
  return function ? function(args...) : decltype(function(args...)){};
}

double value_of(const Stats::Counter& counter) {
  return static_cast<double>(counter.load(std::memory_order_relaxed));
}

void add_commands(Families& out, const Sources& from) {
  out.counter("seqd_commands_total", "Commands and requests by name and result.");
  for (std::size_t c = 0; c < from.commands.size(); ++c) {
    for (std::size_t r = 0; r < kCommandResultNames.size(); ++r) {
      out.add(static_cast<double>(ask(from.command_count, c, r)),
              {{"command", from.commands[c]}, {"result", kCommandResultNames[r]}});
    }
  }
  out.histogram("seqd_command_duration_seconds", "Time from a command's last byte to its answer.")
      .observed(ask(from.command_durations));
}

void add_numbers(Families& out, const Sources& from, const Stats& stats) {
  out.counter("seqd_reservations_total", "Units of the counter store by how they ended.");
  for (std::size_t i = 0; i < stats.units.size(); ++i) {
    out.add(value_of(stats.units[i]), {{"result", kUnitResultNames[i]}});
  }
  out.histogram("seqd_reservation_duration_seconds", "Time that a unit of the counter store took.")
      .observed(ask(from.reservation_durations));
  out.gauge("seqd_waiters", "Requests that wait for the store.").add(ask(from.waiters));
  out.gauge("seqd_conversations_resident", "Conversations in memory.").add(ask(from.resident));
  out.counter("seqd_numbers_issued_total", "Numbers that were given out.").add(ask(from.issued));
  out.counter("seqd_numbers_reserved_total", "Numbers that were reserved in the store.")
      .add(value_of(stats.reserved_numbers));
  out.counter("seqd_gap_numbers_total",
              "Reserved numbers that were never given out, by reason; some are upper bounds.");
  for (std::size_t i = 0; i < stats.gap_numbers.size(); ++i) {
    out.add(value_of(stats.gap_numbers[i]), {{"reason", kGapReasonNames[i]}});
  }
  out.summary(
      "seqd_reserve_seconds",
      "How long the numbers in memory last at present use, as quantiles over conversations.");
  const ReserveLook reserve = ask(from.reserve);
  out.distributed(kReserveQuantiles, reserve.seconds, reserve.sum_seconds, reserve.conversations);
}

void add_ownership(Families& out, const Sources& from, const Stats& stats,
                   const Situation& situation) {
  out.gauge("seqd_lease_age_seconds", "Time since the owner lease was last renewed.")
      .add(ask(from.lease_age_seconds));
  out.gauge("seqd_lease_owned_slots", "Slots of conversations that this daemon owns.")
      .add(ask(from.owned_slots));
  out.counter("seqd_lease_lapses_total", "Times that the owner lease was not renewed in time.")
      .add(value_of(stats.lease_lapses));
  out.counter("seqd_takeovers_total", "Times that slots were taken over from another owner.")
      .add(value_of(stats.takeovers));
  out.gauge("seqd_store_up", "1 if the store answered when it was last asked.")
      .add(situation.store_up() ? 1 : 0);
  out.gauge("seqd_store_durable", "1 if the store keeps what it confirmed across a power failure.")
      .add(situation.facts().durable ? 1 : 0);
  out.counter("seqd_store_lost_commits_total",
              "Times that the store was found to have lost what it had confirmed.")
      .add(value_of(stats.lost_commits));
  out.counter("seqd_invariant_violations_total",
              "Times that a number was withheld because it would have broken the promise.")
      .add(value_of(stats.invariant_violations));
}

void add_listeners(Families& out, const Sources& from) {
  std::array<ListenerCounts, kListenerNames.size()> counts;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = ask(from.listener, i);
  const auto each = [&](std::int64_t ListenerCounts::*member) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      out.add(static_cast<double>(counts[i].*member), {{"listener", kListenerNames[i]}});
    }
  };
  out.gauge("seqd_connections", "Open client connections.");
  each(&ListenerCounts::connections);
  out.counter("seqd_connections_accepted_total", "Client connections that were accepted.");
  each(&ListenerCounts::accepted);
  out.counter("seqd_connections_rejected_total",
              "Client connections that were ended for want of room.");
  each(&ListenerCounts::rejected);
  out.counter("seqd_received_bytes_total", "Bytes from clients.");
  each(&ListenerCounts::received_bytes);
  out.counter("seqd_sent_bytes_total", "Bytes to clients.");
  each(&ListenerCounts::sent_bytes);
  out.gauge("seqd_event_loop_busy_ratio", "Share of time that the busiest event loop works.")
      .add(ask(from.busy_ratio));
}

void add_daemon(Families& out, const Sources& from) {
  out.gauge("seqd_config_last_reload_successful",
            "1 if the configuration was last read without error.")
      .add(ask(from.reload_ok));
  out.gauge("seqd_config_last_reload_success_timestamp_seconds",
            "When the configuration was last read without error.")
      .add(ask(from.reload_unix_seconds));
  out.counter("seqd_log_dropped_total", "Log lines that were dropped because nobody took them.")
      .add(ask(from.log_dropped));
}

void add_process(Families& out) {
  const ProcessFacts process = read_process();
  out.counter("process_cpu_seconds_total", "User and system CPU time.").add(process.cpu_seconds);
  out.gauge("process_resident_memory_bytes", "Resident memory.").add(process.resident_bytes);
  out.gauge("process_open_fds", "Open file descriptors.").add(process.open_fds);
  out.gauge("process_max_fds", "Most file descriptors that may be open.").add(process.max_fds);
  out.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.")
      .add(process.start_unix_seconds);
}

}  // namespace

Metrics::Metrics(Sources sources, const Stats& stats, const Situation& situation)
    : sources_(std::move(sources)), stats_(stats), situation_(situation) {}

std::string Metrics::text() const {
  Families out;
  out.gauge("seqd_build_info", "What this daemon was built from; always 1.")
      .add(1, {{"version", sources_.version}, {"compiler", kCompiler}});
  add_commands(out, sources_);
  add_numbers(out, sources_, stats_);
  add_ownership(out, sources_, stats_, situation_);
  add_listeners(out, sources_);
  add_daemon(out, sources_);
  add_process(out);
  return out.text();
}

}  // namespace seqd::prometheus
