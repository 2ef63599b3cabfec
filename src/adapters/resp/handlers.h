// The commands that are answered on the spot; command_table.cpp names each. Called by event loops, never blocking.
#pragma once

#include "adapters/resp/command.h"

namespace seqd::resp {

// connection_commands.cpp
void do_ping(Call& call);
void do_echo(Call& call);
void do_hello(Call& call);
void do_auth(Call& call);
void do_select(Call& call);
void do_quit(Call& call);
void do_reset(Call& call);
void do_multi(Call& call);
void do_discard(Call& call);
void do_ok(Call& call);

// client_commands.cpp
void do_client(Call& call);

// server_commands.cpp
void do_config(Call& call);
void do_role(Call& call);
void do_time(Call& call);
void do_zero(Call& call);
void do_latency(Call& call);
void do_slowlog(Call& call);
void do_no_cluster(Call& call);

// command_commands.cpp
void do_command(Call& call);

// info.cpp
void do_info(Call& call);
void do_route(Call& call);

}  // namespace seqd::resp
