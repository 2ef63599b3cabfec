#include "adapters/yaml/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace seqd::yaml {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;  // Clang 14 does not deduce it

using Wrong = std::optional<Problem>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// -?(0|[1-9][0-9]*), and with `fraction` an optional .[0-9]+ behind it: no octal, no hex, no exponent, no "1_000".
bool is_number(std::string_view text, bool fraction) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto whole = std::ranges::find_if_not(text, is_digit);
  const auto length = whole - text.begin();
  if (length == 0 || (length > 1 && text.front() == '0')) return false;
  text.remove_prefix(static_cast<std::size_t>(length));
  if (text.empty()) return true;
  if (!fraction || text.front() != '.') return false;
  text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_in(std::string_view word, std::string_view names) {
  while (!names.empty()) {
    const auto bar = std::min(names.find('|'), names.size());
    if (names.substr(0, bar) == word) return true;
    names.remove_prefix(std::min(bar + 1, names.size()));
  }
  return false;
}

std::string words(std::string_view names) {
  std::string result;
  for (const char c : names) {
    if (c == '|') {
      result += ", ";
    } else {
      result += c;
    }
  }
  return "one of " + result;
}

std::string number_text(double value) {
  std::array<char, 64> out{};
  const auto end =
      std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::fixed).ptr;
  return {out.data(), end};
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// What stands in the file, as a phrase.
std::string found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "no value";
    case Node::Kind::kPlain:
      return shown(node.text);
    case Node::Kind::kQuoted:
      return "the quoted text " + shown(node.text);
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "something else";
}

Wrong wrong(const Field& field, const Node& node, std::string_view what) {
  return Problem{node.place, found(node) + std::string(what) + "; expected " + expectation(field)};
}

bool is_scalar(const Node& node) {
  return node.kind == Node::Kind::kPlain || node.kind == Node::Kind::kQuoted;
}

/// One text under a rule; empty = fine.
std::string broken(Rule rule, const Node& node) {
  const std::string_view expected = rule(node.text);
  if (expected.empty()) return "";
  return (node.text.empty() ? "empty" : shown(node.text)) + std::string("; expected ") +
         std::string(expected);
}

template <class Number>
Wrong assign_number(const Field& field, const Node& node, Settings& settings,
                    Number& (*of)(Settings&), Number least, Number most) {
  const bool fraction = std::is_floating_point_v<Number>;
  if (node.kind != Node::Kind::kPlain || !is_number(node.text, fraction)) {
    const bool in_quotes = node.kind == Node::Kind::kQuoted && is_number(node.text, fraction);
    return wrong(field, node, in_quotes ? " (leave the quotes out)" : "");
  }
  const char* const end = node.text.data() + node.text.size();
  Number value{};
  const auto read = std::from_chars(node.text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > most) {
    return wrong(field, node, " is out of range");
  }
  of(settings) = value;
  return std::nullopt;
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (const char c : text.substr(0, kMost)) {
    result += static_cast<unsigned char>(c) < 0x20 || c == '\x7f' ? '?' : c;
  }
  return "'" + result + (text.size() > kMost ? "…'" : "'");
}

std::string expectation(const Field& field) {
  return std::visit(
      Overload{[](const Text&) -> std::string { return "a text"; },
               [](const Choice& c) { return words(c.names); },
               [](const Integer& i) {
                 return "a whole number from " + std::to_string(i.least) + " to " +
                        std::to_string(i.most);
               },
               [](const Real& r) {
                 return "a number from " + number_text(r.least) + " to " + number_text(r.most);
               },
               [](const Flag&) -> std::string { return "true or false"; },
               [](const List&) -> std::string { return "a list of texts, such as [a, b] or []"; }},
      field.shape);
}

std::optional<Problem> assign(const Field& field, const Node& node, Settings& settings) {
  if (node.kind == Node::Kind::kNull) {
    const bool text = std::holds_alternative<Text>(field.shape);
    return wrong(field, node,
                 text ? " (an empty text is \"\")" : " (leave the key out for its default)");
  }
  return std::visit(
      Overload{[&](const Text& t) -> Wrong {
                 if (!is_scalar(node)) return wrong(field, node, "");
                 if (auto text = broken(t.rule, node); !text.empty())
                   return Problem{node.place, text};
                 t.of(settings) = node.text;
                 return std::nullopt;
               },
               [&](const Choice& c) -> Wrong {
                 if (!is_scalar(node) || !is_in(node.text, c.names)) return wrong(field, node, "");
                 c.of(settings) = node.text;
                 return std::nullopt;
               },
               [&](const Integer& i) {
                 return assign_number(field, node, settings, i.of, i.least, i.most);
               },
               [&](const Real& r) {
                 return assign_number(field, node, settings, r.of, r.least, r.most);
               },
               [&](const Flag& f) -> Wrong {
                 const bool yes = node.text == "true";
                 if (node.kind != Node::Kind::kPlain || (!yes && node.text != "false")) {
                   return wrong(field, node, "");
                 }
                 f.of(settings) = yes;
                 return std::nullopt;
               },
               [&](const List& l) -> Wrong {
                 if (node.kind != Node::Kind::kList) return wrong(field, node, "");
                 std::vector<std::string> values;
                 for (const Node& item : node.items) {
                   if (!is_scalar(item)) return wrong(field, item, " in the list");
                   if (auto text = broken(l.rule, item); !text.empty()) {
                     return Problem{item.place, text};
                   }
                   values.push_back(item.text);
                 }
                 l.of(settings) = std::move(values);
                 return std::nullopt;
               }},
      field.shape);
}

std::string value_text(const Field& field, const Settings& settings) {
  Settings copy = settings;  // the accessors give references to change
  return std::visit(
      Overload{[&](const Text& t) { return quoted(t.of(copy)); },
               [&](const Choice& c) { return c.of(copy); },
               [&](const Integer& i) { return std::to_string(i.of(copy)); },
               [&](const Real& r) { return number_text(r.of(copy)); },
               [&](const Flag& f) -> std::string { return f.of(copy) ? "true" : "false"; },
               [&](const List& l) {
                 std::string result;
                 for (const std::string& item : l.of(copy)) {
                   result += (result.empty() ? "" : ", ") + quoted(item);
                 }
                 return "[" + result + "]";
               }},
      field.shape);
}

}  // namespace seqd::yaml
