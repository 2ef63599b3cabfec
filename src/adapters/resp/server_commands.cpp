#include <array>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "adapters/resp/handlers.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

using Setting = std::pair<std::string_view, std::string>;

// What clients and tools ask for when they connect; never a secret.
std::vector<Setting> settings_for_clients(const Shared& shared) {
  const std::string& listen = shared.address;
  return {
      {"appendonly", "no"},
      {"bind", listen.substr(0, listen.rfind(':'))},
      {"cluster-enabled", "no"},
      {"databases", "1"},
      {"maxclients", std::to_string(shared.settings.max_clients)},
      {"maxmemory", "0"},
      {"maxmemory-policy", "noeviction"},
      {"port", std::to_string(shared.port)},
      {"proto-max-bulk-len", std::to_string(kMaxBulkBytes)},
      {"replica-read-only", "yes"},
      {"save", ""},
      {"slave-read-only", "yes"},
      {"slowlog-max-len", "0"},
      {"tcp-keepalive", "300"},
      {"timeout", "0"},
  };
}

void config_get(Call& call) {
  std::vector<Setting> chosen;
  for (Setting& setting : settings_for_clients(call.shared)) {
    for (std::size_t i = 2; i < call.args.size(); ++i) {
      if (!matches(call.args[i], setting.first)) continue;
      chosen.push_back(std::move(setting));
      break;
    }
  }
  call.reply.map(chosen.size());
  for (const auto& [name, value] : chosen) {
    call.reply.bulk(name);
    call.reply.bulk(value);
  }
}

void config_set(Call& call) {
  call.reply.error("ERR refused: edit the configuration file of seqd and reload it");
}

void empty_array(Call& call) { call.reply.array(0); }

constexpr std::array kConfig = {
    Subcommand{"get", -3, config_get}, Subcommand{"set", -4, config_set},
    Subcommand{"rewrite", 2, config_set}, Subcommand{"resetstat", 2, config_set}};
constexpr std::array kLatency = {Subcommand{"latest", 2, empty_array},
                                 Subcommand{"reset", -2, do_zero}};
constexpr std::array kSlowlog = {Subcommand{"len", 2, do_zero}, Subcommand{"get", -2, empty_array},
                                 Subcommand{"reset", 2, do_ok}};

}  // namespace

void do_config(Call& call) { run_subcommand(call, "config", kConfig); }
void do_latency(Call& call) { run_subcommand(call, "latency", kLatency); }
void do_slowlog(Call& call) { run_subcommand(call, "slowlog", kSlowlog); }

void do_zero(Call& call) { call.reply.integer(0); }

// A master always: clients that meet another role stop sending INCR until someone reconfigures them.
void do_role(Call& call) {
  call.reply.array(3);
  call.reply.bulk("master");
  call.reply.integer(0);
  call.reply.array(0);
}

void do_time(Call& call) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  call.reply.array(2);
  call.reply.bulk(std::to_string(now.tv_sec));
  call.reply.bulk(std::to_string(now.tv_nsec / 1000));
}

void do_no_cluster(Call& call) {
  call.reply.error("ERR This instance has cluster support disabled");
}

}  // namespace seqd::resp
