#include <array>
#include <string>
#include <utility>
#include <vector>

#include "adapters/resp/handlers.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

constexpr std::array<std::pair<Flag, std::string_view>, 10> kFlagNames = {{
    {kWrite, "write"},
    {kReadonly, "readonly"},
    {kDenyOom, "denyoom"},
    {kAdmin, "admin"},
    {kNoScript, "noscript"},
    {kLoading, "loading"},
    {kStale, "stale"},
    {kFast, "fast"},
    {kNoAuth, "no_auth"},
    {kNoMulti, "no_multi"},
}};

void write_words(Reply& reply, const std::vector<std::string>& words) {
  reply.set(words.size());
  for (const std::string& word : words) reply.simple(word);
}

std::vector<std::string> flags_of(const Command& command) {
  std::vector<std::string> words;
  for (const auto& [flag, name] : kFlagNames) {
    if ((command.flags & flag) != 0) words.emplace_back(name);
  }
  return words;
}

std::vector<std::string> categories_of(const Command& command) {
  std::vector<std::string> words;
  if ((command.flags & kWrite) != 0) words.emplace_back("@write");
  if ((command.flags & kReadonly) != 0) words.emplace_back("@read");
  if ((command.flags & kAdmin) != 0) words.emplace_back("@admin");
  if (command.group == "string") words.emplace_back("@string");
  if (command.group == "generic") words.emplace_back("@keyspace");
  words.emplace_back((command.flags & kFast) != 0 ? "@fast" : "@slow");
  if (command.group == "connection") words.emplace_back("@connection");
  if (command.group == "transactions") words.emplace_back("@transaction");
  return words;
}

// Where the keys stand, in the form that Redis 7 has for it: begin at index `key`, one key long.
void write_key_specs(Reply& reply, const Command& command) {
  if (command.key == 0) return reply.set(0);
  const bool writes = (command.flags & kWrite) != 0;
  reply.set(1);
  reply.map(3);
  reply.bulk("flags");
  if (writes) {
    write_words(reply, {"RW", "access", "update"});
  } else if (command.does == Does::kGet) {
    write_words(reply, {"RO", "access"});
  } else {
    write_words(reply, {"RO"});
  }
  reply.bulk("begin_search");
  reply.map(2);
  reply.bulk("type");
  reply.bulk("index");
  reply.bulk("spec");
  reply.map(1);
  reply.bulk("index");
  reply.integer(command.key);
  reply.bulk("find_keys");
  reply.map(2);
  reply.bulk("type");
  reply.bulk("range");
  reply.bulk("spec");
  reply.map(3);
  reply.bulk("lastkey");
  reply.integer(0);
  reply.bulk("keystep");
  reply.integer(1);
  reply.bulk("limit");
  reply.integer(0);
}

void write_entry(Reply& reply, const Command& command) {
  reply.array(10);
  reply.bulk(command.name);
  reply.integer(command.arity);
  write_words(reply, flags_of(command));
  reply.integer(command.key);
  reply.integer(command.key);
  reply.integer(command.key == 0 ? 0 : 1);
  write_words(reply, categories_of(command));
  reply.set(0);
  write_key_specs(reply, command);
  reply.set(0);
}

const Command* find_served(std::string_view name) {
  const Command* command = find_command(name);
  return command != nullptr && command->does != Does::kRefuse ? command : nullptr;
}

void all_entries(Call& call) {
  call.reply.array(served_commands().size());
  for (const Command& command : served_commands()) write_entry(call.reply, command);
}

void command_info(Call& call) {
  if (call.args.size() == 2) return all_entries(call);
  call.reply.array(call.args.size() - 2);
  for (std::size_t i = 2; i < call.args.size(); ++i) {
    const Command* command = find_served(call.args[i]);
    command != nullptr ? write_entry(call.reply, *command) : call.reply.null();
  }
}

void command_count(Call& call) {
  call.reply.integer(static_cast<std::int64_t>(served_commands().size()));
}

void command_docs(Call& call) {
  std::vector<const Command*> chosen;
  for (std::size_t i = 2; i < call.args.size(); ++i) {
    if (const Command* command = find_served(call.args[i])) chosen.push_back(command);
  }
  if (call.args.size() == 2) {
    for (const Command& command : served_commands()) chosen.push_back(&command);
  }
  call.reply.map(chosen.size());
  for (const Command* command : chosen) {
    call.reply.bulk(command->name);
    call.reply.map(3);
    call.reply.bulk("summary");
    call.reply.bulk(command->text);
    call.reply.bulk("since");
    call.reply.bulk("1.0.0");
    call.reply.bulk("group");
    call.reply.bulk(command->group);
  }
}

void command_list(Call& call) {
  const bool filtered = call.args.size() == 5 && is_word(call.args[2], "filterby") &&
                        is_word(call.args[3], "pattern");
  if (call.args.size() != 2 && !filtered) return call.reply.error("ERR syntax error");
  std::vector<std::string_view> names;
  for (const Command& command : served_commands()) {
    if (!filtered || matches(call.args[4], command.name)) names.push_back(command.name);
  }
  call.reply.set(names.size());
  for (const std::string_view name : names) call.reply.bulk(name);
}

void command_get_keys(Call& call) {
  const Command* command = find_served(call.args[2]);
  if (command == nullptr) return call.reply.error("ERR Invalid command specified");
  if (command->key == 0) return call.reply.error("ERR The command has no key arguments");
  if (!command->takes(call.args.size() - 2)) {
    return call.reply.error("ERR Invalid number of arguments specified for command");
  }
  call.reply.array(1);
  call.reply.bulk(call.args[2 + static_cast<std::size_t>(command->key)]);
}

constexpr std::array kParts = {
    Subcommand{"count", 2, command_count},       Subcommand{"info", -2, command_info},
    Subcommand{"docs", -2, command_docs},        Subcommand{"list", -2, command_list},
    Subcommand{"getkeys", -4, command_get_keys},
};

}  // namespace

void do_command(Call& call) {
  if (call.args.size() == 1) return all_entries(call);
  run_subcommand(call, "command", kParts);
}

}  // namespace seqd::resp
