#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "adapters/resp/handlers.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

class Text {
 public:
  void title(std::string_view name) {
    if (!text_.empty()) text_ += "\r\n";
    text_ += "# ";
    text_ += name;
    text_ += "\r\n";
  }
  void line(std::string_view key, std::string_view value) {
    text_ += key;
    text_ += ':';
    text_ += value;
    text_ += "\r\n";
  }
  void line(std::string_view key, std::uint64_t value) { line(key, std::to_string(value)); }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

using Section = void (*)(Text&, Shared&);

void server(Text& text, Shared& shared) {
  const auto up =
      std::chrono::duration_cast<std::chrono::seconds>(boot_now() - shared.started).count();
  utsname os{};
  uname(&os);
  text.line("redis_version", kRedisVersion);
  text.line("seqd_version", shared.facts.version);
  text.line("redis_mode", "standalone");
  text.line("os", std::string(os.sysname) + " " + os.release + " " + os.machine);
  text.line("arch_bits", "64");
  text.line("multiplexing_api", "epoll");
  text.line("process_id", static_cast<std::uint64_t>(getpid()));
  text.line("run_id", shared.facts.run_id);
  text.line("tcp_port", shared.port);
  text.line("uptime_in_seconds", static_cast<std::uint64_t>(up));
  text.line("uptime_in_days", static_cast<std::uint64_t>(up / 86400));
  text.line("executable", shared.facts.executable);
  text.line("config_file", shared.facts.config_file);
}

void clients(Text& text, Shared& shared) {
  text.line("connected_clients", shared.stats().connected);
  text.line("maxclients", static_cast<std::uint64_t>(shared.settings.max_clients));
  text.line("blocked_clients", "0");
}

std::uint64_t resident_bytes() {
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    unsigned long size = 0;
    unsigned long resident = 0;
    if (std::fscanf(file, "%lu %lu", &size, &resident) == 2) pages = resident;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void memory(Text& text, Shared& /*shared*/) {
  const std::uint64_t resident = resident_bytes();
  text.line("used_memory", resident);
  text.line("used_memory_rss", resident);
  text.line("maxmemory", "0");
  text.line("maxmemory_policy", "noeviction");
}

void persistence(Text& text, Shared& /*shared*/) {
  text.line("loading", "0");
  text.line("rdb_bgsave_in_progress", "0");
  text.line("aof_enabled", "0");
}

void stats(Text& text, Shared& shared) {
  const ServerStats sum = shared.stats();
  text.line("total_connections_received", sum.accepted);
  text.line("total_commands_processed", sum.commands);
  text.line("instantaneous_ops_per_sec", shared.rate.since_last(boot_now(), sum.commands));
  text.line("total_net_input_bytes", sum.bytes_in);
  text.line("total_net_output_bytes", sum.bytes_out);
  text.line("rejected_connections", sum.rejected);
  text.line("expired_keys", "0");
  text.line("evicted_keys", "0");
}

void replication(Text& text, Shared& /*shared*/) {
  text.line("role", "master");
  text.line("connected_slaves", "0");
  text.line("master_repl_offset", "0");
}

std::string seconds(const timeval& t) {
  std::array<char, 48> out{};
  std::snprintf(out.data(), out.size(), "%lld.%06ld", static_cast<long long>(t.tv_sec),
                static_cast<long>(t.tv_usec));
  return out.data();
}

void cpu(Text& text, Shared& /*shared*/) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  text.line("used_cpu_sys", seconds(used.ru_stime));
  text.line("used_cpu_user", seconds(used.ru_utime));
}

void cluster(Text& text, Shared& /*shared*/) { text.line("cluster_enabled", "0"); }

void keyspace(Text& /*text*/, Shared& /*shared*/) {}

void seqd(Text& text, Shared& shared) {
  const ServerStats sum = shared.stats();
  text.line("seqd_protocol_errors", sum.protocol_errors);
  text.line("seqd_http_requests_refused", sum.http_requests);
  text.line("seqd_wrong_passwords", sum.wrong_passwords);
  text.line("seqd_slow_clients_closed", sum.slow_closed);
  for (const auto& [key, value] : shared.numbers.info()) text.line(key, value);
}

struct Titled {
  std::string_view title;
  std::string_view word;
  Section write;
};
constexpr std::array kSections = {
    Titled{"Server", "server", server},
    Titled{"Clients", "clients", clients},
    Titled{"Memory", "memory", memory},
    Titled{"Persistence", "persistence", persistence},
    Titled{"Stats", "stats", stats},
    Titled{"Replication", "replication", replication},
    Titled{"CPU", "cpu", cpu},
    Titled{"Cluster", "cluster", cluster},
    Titled{"Keyspace", "keyspace", keyspace},
    Titled{"Seqd", "seqd", seqd},
};

bool asked_for(const Args& args, std::string_view word) {
  if (args.size() == 1) return true;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (is_word(args[i], word) || is_word(args[i], "all") || is_word(args[i], "default") ||
        is_word(args[i], "everything")) {
      return true;
    }
  }
  return false;
}

}  // namespace

void do_info(Call& call) {
  Text text;
  for (const Titled& section : kSections) {
    if (!asked_for(call.args, section.word)) continue;
    text.title(section.title);
    section.write(text, call.shared);
  }
  call.reply.bulk(text.str());
}

void do_route(Call& call) {
  const InfoText lines = call.shared.numbers.route();
  call.reply.map(lines.size());
  for (const auto& [name, value] : lines) {
    call.reply.bulk(name);
    call.reply.bulk(value);
  }
}

}  // namespace seqd::resp
