#include <array>
#include <string>

#include "adapters/resp/handlers.h"
#include "adapters/resp/names.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

void set_client_name(Call& call) {
  if (set_name(call, call.args[2])) call.reply.simple("OK");
}

void get_client_name(Call& call) {
  if (call.session.name.empty()) return call.reply.null();
  call.reply.bulk(call.session.name);
}

void client_id(Call& call) { call.reply.integer(static_cast<std::int64_t>(call.session.id)); }

void client_info(Call& call) { call.reply.bulk(call.shared.clients.list(call.session.id)); }

void client_list(Call& call) { call.reply.bulk(call.shared.clients.list(0)); }

void client_set_info(Call& call) {
  const std::string_view what = call.args[2];
  if (is_word(what, "lib-name") || is_word(what, "lib-ver")) return call.reply.simple("OK");
  call.reply.error("ERR Unrecognized option; CLIENT SETINFO takes LIB-NAME and LIB-VER");
}

// `CLIENT KILL ip:port`, `CLIENT KILL ID n` and `CLIENT KILL ADDR ip:port`. A client that names itself is closed after the
// reply, and not before it.
void client_kill(Call& call) {
  const Args& args = call.args;
  const bool old_form = args.size() == 3;
  const bool by_id = args.size() == 4 && is_word(args[2], "id");
  const bool by_address = args.size() == 4 && is_word(args[2], "addr");
  if (!old_form && !by_id && !by_address) return call.reply.error("ERR syntax error");
  const auto wanted = by_id ? parse_integer(args[3]) : std::nullopt;
  if (by_id && (!wanted || *wanted < 1)) {
    return call.reply.error("ERR client-id should be greater than 0");
  }
  bool self = false;
  int killed = call.shared.clients.cut([&](std::uint64_t id, const ClientRow& row) {
    const bool fits =
        wanted ? id == static_cast<std::uint64_t>(*wanted) : row.address == args[args.size() - 1];
    if (fits && id == call.session.id) self = true;
    return fits && id != call.session.id;
  });
  if (self) {
    call.session.leaving = true;
    ++killed;
  }
  if (!old_form) return call.reply.integer(killed);
  killed > 0 ? call.reply.simple("OK") : call.reply.error("ERR No such client");
}

void client_reply(Call& call) {
  if (is_word(call.args[2], "on")) return call.reply.simple("OK");
  call.reply.error("ERR refused: a number whose reply is not sent would be lost to its client");
}

void client_tracking(Call& call) {
  call.reply.error("ERR refused: a sequence changes with each call, so it cannot be cached");
}

constexpr std::array kParts = {
    Subcommand{"setname", 3, set_client_name},
    Subcommand{"getname", 2, get_client_name},
    Subcommand{"setinfo", 4, client_set_info},
    Subcommand{"id", 2, client_id},
    Subcommand{"info", 2, client_info},
    Subcommand{"list", -2, client_list},
    Subcommand{"kill", -3, client_kill},
    Subcommand{"no-evict", 3, do_ok},
    Subcommand{"no-touch", 3, do_ok},
    Subcommand{"reply", 3, client_reply},
    Subcommand{"tracking", -3, client_tracking},
};

}  // namespace

void do_client(Call& call) { run_subcommand(call, "client", kParts); }

}  // namespace seqd::resp
