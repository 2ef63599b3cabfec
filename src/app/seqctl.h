// seqctl, the operator's command. So far: taking the lease of a sole owner that is known to be dead.
#pragma once

namespace seqd::app {

/// seqctl takeover --force --config FILE. Exit codes: 0 done; 1 failed; 64 wrong command line; 78 wrong configuration.
int run_seqctl(int argc, char** argv);

}  // namespace seqd::app
