#include "adapters/resp/command.h"

#include <algorithm>
#include <array>

#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

// Open addressing, four times as many places as commands: nearly every look-up is one comparison.
constexpr std::size_t kPlaces = 512;

std::size_t place_of(std::string_view lower) {
  std::uint32_t hash = 2166136261U;
  for (const char c : lower) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return (hash ^ (hash >> 15U)) % kPlaces;
}

struct Index {
  std::array<const Command*, kPlaces> places{};
  Index() {
    for (const Command& command : served_commands()) add(command);
    for (const Command& command : refused_commands()) add(command);
  }
  void add(const Command& command) {
    std::size_t at = place_of(command.name);
    while (places[at] != nullptr) at = (at + 1) % kPlaces;
    places[at] = &command;
  }
};

}  // namespace

const Command* find_command(std::string_view name) {
  static const Index index;
  if (name.size() > kMaxNameBytes) return nullptr;
  std::array<char, kMaxNameBytes> low;
  std::transform(name.begin(), name.end(), low.begin(), to_lower);
  const std::string_view lower(low.data(), name.size());
  for (std::size_t at = place_of(lower); index.places[at] != nullptr; at = (at + 1) % kPlaces) {
    if (index.places[at]->name == lower) return index.places[at];
  }
  return nullptr;
}

std::string unknown_command(const Args& args) {
  constexpr std::size_t kShown = 128;
  std::string shown;
  for (std::size_t i = 1; i < args.size() && shown.size() < kShown; ++i) {
    shown += '\'';
    shown += as_c_string(args[i], kShown - (shown.size() - 1));
    shown += "' ";
  }
  std::string text = "ERR unknown command '";
  text += as_c_string(args[0], kShown);
  text += "', with args beginning with: ";
  return text += shown;
}

void run_subcommand(Call& call, std::string_view command, std::span<const Subcommand> parts) {
  const std::string_view word = call.args[1];
  for (const Subcommand& part : parts) {
    if (!is_word(word, part.name)) continue;
    const Command shape{part.name, part.arity};
    if (shape.takes(call.args.size())) return part.handler(call);
    std::string text = "ERR wrong number of arguments for '";
    text += command;
    text += '|';
    text += part.name;
    return call.reply.error(text += "' command");
  }
  std::string text = "ERR unknown subcommand '";
  text += as_c_string(word, 128);
  text += "'. Try ";
  for (const char c : command) text += static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
  call.reply.error(text += " HELP.");
}

}  // namespace seqd::resp
