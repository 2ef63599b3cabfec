// The text of /metrics.
#include "adapters/prometheus/metrics.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace seqd::prometheus {
namespace {

/// Series by name and labels; checks the grammar on the way.
std::map<std::string, double> series_of(const std::string& text) {
  std::map<std::string, double> series;
  std::set<std::string> helped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) {
      CHECK(helped.insert(line.substr(7, line.find(' ', 7) - 7)).second);
      continue;
    }
    if (line.starts_with("# TYPE ")) continue;
    const std::size_t space = line.rfind(' ');
    REQUIRE(space != std::string::npos);
    char* end = nullptr;
    const double value = std::strtod(line.c_str() + space + 1, &end);
    CHECK(*end == '\0');
    CHECK_MESSAGE(series.emplace(line.substr(0, space), value).second, line);
  }
  return series;
}

Sources bare() {
  Sources sources;
  sources.version = "0.1.0";
  sources.commands = {"incr", "get"};
  return sources;
}

}  // namespace

TEST_CASE("every family stands from the start, at 0, with all its label values") {
  const Stats stats;
  const Situation situation;
  const auto series = series_of(Metrics(bare(), stats, situation).text());
  for (const char* name : {"seqd_commands_total{command=\"incr\",result=\"refused\"}",
                           "seqd_command_duration_seconds_count",
                           "seqd_command_duration_seconds_bucket{le=\"+Inf\"}",
                           "seqd_reservations_total{result=\"lost_commits\"}",
                           "seqd_reservation_duration_seconds_sum",
                           "seqd_waiters",
                           "seqd_conversations_resident",
                           "seqd_numbers_issued_total",
                           "seqd_numbers_reserved_total",
                           "seqd_gap_numbers_total{reason=\"release_missed\"}",
                           "seqd_reserve_seconds{quantile=\"0.01\"}",
                           "seqd_lease_age_seconds",
                           "seqd_lease_owned_slots",
                           "seqd_lease_lapses_total",
                           "seqd_takeovers_total",
                           "seqd_store_up",
                           "seqd_store_durable",
                           "seqd_store_lost_commits_total",
                           "seqd_invariant_violations_total",
                           "seqd_connections{listener=\"http\"}",
                           "seqd_connections_accepted_total{listener=\"resp\"}",
                           "seqd_connections_rejected_total{listener=\"resp\"}",
                           "seqd_received_bytes_total{listener=\"http\"}",
                           "seqd_sent_bytes_total{listener=\"resp\"}",
                           "seqd_event_loop_busy_ratio",
                           "seqd_config_last_reload_successful",
                           "seqd_config_last_reload_success_timestamp_seconds",
                           "seqd_log_dropped_total"}) {
    CAPTURE(name);
    REQUIRE(series.count(name) == 1);
    CHECK(series.at(name) == 0);
  }
  CHECK(series.at("process_resident_memory_bytes") > 0);
  CHECK(series.at("process_open_fds") > 2);
  CHECK(series.at("process_max_fds") > 2);
  CHECK(series.at("process_start_time_seconds") > 1.6e9);
  CHECK(series.count("process_cpu_seconds_total") == 1);
}

TEST_CASE("whatever happens, the series stay the same") {
  Stats stats;
  Situation situation;
  LatencyHistogram latency;
  Sources sources = bare();
  std::int64_t executed = 0;
  sources.command_count = [&](std::size_t command, std::size_t result) {
    return command == 0 && result == 0 ? executed : 0;
  };
  sources.command_durations = [&] { return latency.look(); };
  sources.listener = [](std::size_t i) {
    return ListenerCounts{static_cast<std::int64_t>(i) + 1, 2, 3, 4, 5};
  };
  sources.issued = [] { return 42.0; };
  const Metrics metrics(sources, stats, situation);
  const auto before = series_of(metrics.text());
  executed = 7;
  latency.observe(std::chrono::microseconds(30));
  latency.observe(std::chrono::seconds(60));
  stats.gap(GapReason::kCrash, 12);
  Stats::add(stats.takeovers);
  situation.answered(Situation::Link::kLease);
  situation.facts([](Situation::Facts& facts) { facts.durable = true; });
  const auto after = series_of(metrics.text());
  REQUIRE(after.size() == before.size());
  for (const auto& [name, value] : before) CHECK(after.count(name) == 1);
  CHECK(after.at("seqd_commands_total{command=\"incr\",result=\"ok\"}") == 7);
  CHECK(after.at("seqd_gap_numbers_total{reason=\"crash\"}") == 12);
  CHECK(after.at("seqd_takeovers_total") == 1);
  CHECK(after.at("seqd_store_up") == 1);
  CHECK(after.at("seqd_store_durable") == 1);
  CHECK(after.at("seqd_connections{listener=\"http\"}") == 2);
  CHECK(after.at("seqd_numbers_issued_total") == 42);
  CHECK(after.at("seqd_command_duration_seconds_count") == 2);
  CHECK(after.at("seqd_command_duration_seconds_bucket{le=\"+Inf\"}") == 2);
  CHECK(after.at("seqd_command_duration_seconds_bucket{le=\"2.5\"}") == 1);
  CHECK(after.at("seqd_command_duration_seconds_sum") == doctest::Approx(60.00003));
}

TEST_CASE("stripes add up to what all threads wrote") {
  StripedCounter counter;
  LatencyHistogram latency;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        counter.add();
        latency.observe(std::chrono::microseconds(10));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counter.total() == 20'000);
  const LatencyHistogram::Look look = latency.look();
  CHECK(look.counts[0] == 20'000);  // a bound belongs to its own bucket
  CHECK(look.sum_seconds == doctest::Approx(0.2));
}

}  // namespace seqd::prometheus
