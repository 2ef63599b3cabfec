#include <algorithm>
#include <string>

#include "adapters/resp/handlers.h"
#include "adapters/resp/names.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

constexpr std::string_view kWrongPassword =
    "WRONGPASS invalid username-password pair or user is disabled.";

// There is one user, "default"; without a configured password any word opens it, as in Redis.
bool authenticate(Call& call, std::string_view user, std::string_view password) {
  const std::string& secret = call.shared.password;
  const bool fits = equal_in_constant_time(password, secret) || secret.empty();
  if (fits && user == "default") {
    call.session.authenticated = true;
    return true;
  }
  call.session.wrong_password = true;
  call.reply.error(kWrongPassword);
  return false;
}

void write_hello(Call& call) {
  Reply& reply = call.reply;
  reply.map(7);
  reply.bulk("server");
  reply.bulk("redis");
  reply.bulk("version");
  reply.bulk(kRedisVersion);
  reply.bulk("proto");
  reply.integer(reply.protocol);
  reply.bulk("id");
  reply.integer(static_cast<std::int64_t>(call.session.id));
  reply.bulk("mode");
  reply.bulk("standalone");
  reply.bulk("role");
  reply.bulk("master");
  reply.bulk("modules");
  reply.array(0);
}

// The options behind HELLO's version. False: an error was answered.
bool hello_options(Call& call) {
  const Args& args = call.args;
  for (std::size_t i = 2; i < args.size(); ++i) {
    const std::size_t left = args.size() - 1 - i;
    if (is_word(args[i], "auth") && left >= 2) {
      if (!authenticate(call, args[i + 1], args[i + 2])) return false;
      i += 2;
    } else if (is_word(args[i], "setname") && left >= 1) {
      if (!set_name(call, args[i + 1])) return false;
      i += 1;
    } else {
      std::string text = "ERR Syntax error in HELLO option '";
      text += as_c_string(args[i], 128);
      call.reply.error(text += "'");
      return false;
    }
  }
  return true;
}

}  // namespace

bool set_name(Call& call, std::string_view name) {
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; })) {
    call.reply.error("ERR Client names cannot contain spaces, newlines or special characters.");
    return false;
  }
  call.session.name = name;
  call.shared.clients.describe(call.session.id, call.session.name, call.session.protocol);
  return true;
}

void do_hello(Call& call) {
  int protocol = call.session.protocol;
  if (call.args.size() >= 2) {
    const auto asked = parse_integer(call.args[1]);
    if (!asked) {
      return call.reply.error("ERR Protocol version is not an integer or out of range");
    }
    if (*asked < 2 || *asked > 3) {
      return call.reply.error("NOPROTO unsupported protocol version");
    }
    protocol = static_cast<int>(*asked);
  }
  if (!hello_options(call)) return;
  if (!call.session.authenticated) {
    return call.reply.error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "AUTH <user> <pass> option can be used to authenticate the client and select the RESP "
        "protocol version at the same time");
  }
  call.session.protocol = protocol;
  call.reply.protocol = protocol;
  call.shared.clients.describe(call.session.id, call.session.name, protocol);
  write_hello(call);
}

void do_auth(Call& call) {
  const std::size_t words = call.args.size();
  if (words > 3) return call.reply.error("ERR syntax error");
  if (words == 2 && call.shared.password.empty()) {
    return call.reply.error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  const std::string_view user = words == 3 ? call.args[1] : "default";
  if (authenticate(call, user, call.args[words - 1])) call.reply.simple("OK");
}

void do_ping(Call& call) {
  if (call.args.size() > 2) {
    return call.reply.error("ERR wrong number of arguments for 'ping' command");
  }
  if (call.args.size() == 2) return call.reply.bulk(call.args[1]);
  call.reply.simple("PONG");
}

void do_echo(Call& call) { call.reply.bulk(call.args[1]); }

void do_select(Call& call) {
  const auto index = parse_integer(call.args[1]);
  if (!index) return call.reply.error("ERR value is not an integer or out of range");
  if (*index != 0) return call.reply.error("ERR DB index is out of range");
  call.reply.simple("OK");
}

void do_quit(Call& call) {
  call.session.leaving = true;
  call.reply.simple("OK");
}

void do_reset(Call& call) {
  Session& session = call.session;
  session.transaction.reset();
  session.protocol = 2;
  session.name.clear();
  session.authenticated = call.shared.password.empty();
  call.reply.protocol = 2;
  call.shared.clients.describe(session.id, session.name, session.protocol);
  call.reply.simple("RESET");
}

void do_multi(Call& call) {
  if (call.session.transaction) return call.reply.error("ERR MULTI calls can not be nested");
  call.session.transaction = std::make_unique<Transaction>();
  call.reply.simple("OK");
}

void do_discard(Call& call) {
  if (!call.session.transaction) return call.reply.error("ERR DISCARD without MULTI");
  call.session.transaction.reset();
  call.reply.simple("OK");
}

void do_ok(Call& call) { call.reply.simple("OK"); }

}  // namespace seqd::resp
