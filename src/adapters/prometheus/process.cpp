#include "adapters/prometheus/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "base/clock.h"

namespace seqd::prometheus {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Seconds since boot at which this process began. 0 if it cannot be read.
double started_after_boot() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program stands in parentheses and may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  double ticks = 0;
  fields >> ticks;
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double started_at() {
  const double uptime = static_cast<double>(boot_now().time_since_epoch().count()) * 1e-9;
  const double after_boot = started_after_boot();
  if (after_boot <= 0) return 0;
  return static_cast<double>(wall_now().unix_ms) * 1e-3 - uptime + after_boot;
}

}  // namespace

ProcessFacts read_process() {
  // Once, so that a step of the wall clock does not look like a restart.
  static const double start = started_at();
  ProcessFacts facts;
  facts.start_unix_seconds = start;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    facts.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  if (statm >> total >> resident) {
    facts.resident_bytes = resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    facts.open_fds += 1;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.max_fds = static_cast<double>(limit.rlim_cur);
  return facts;
}

}  // namespace seqd::prometheus
