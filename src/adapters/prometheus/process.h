// What the system knows about this process.
#pragma once

namespace seqd::prometheus {

struct ProcessFacts {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double open_fds = 0;
  double max_fds = 0;
  double start_unix_seconds = 0;
};

/// Read from /proc and getrusage(2); what cannot be read is 0. Any thread.
ProcessFacts read_process();

}  // namespace seqd::prometheus
