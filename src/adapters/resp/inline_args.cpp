#include <array>

#include "adapters/resp/parser.h"
#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = to_lower(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

char escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

// Reads what stands between quotes; `at` is behind the opening one and ends behind the closing one.
bool quoted(std::string_view line, std::size_t& at, char quote, std::string& to) {
  while (at < line.size() && line[at] != quote) {
    const char c = line[at];
    if (quote == '"' && c == '\\' && at + 3 < line.size() && line[at + 1] == 'x' &&
        hex_digit(line[at + 2]) >= 0 && hex_digit(line[at + 3]) >= 0) {
      to += static_cast<char>(hex_digit(line[at + 2]) * 16 + hex_digit(line[at + 3]));
      at += 4;
    } else if (quote == '"' && c == '\\' && at + 1 < line.size()) {
      to += escaped(line[at + 1]);
      at += 2;
    } else if (quote == '\'' && c == '\\' && at + 1 < line.size() && line[at + 1] == '\'') {
      to += '\'';
      at += 2;
    } else {
      to += c;
      ++at;
    }
  }
  if (at == line.size()) return false;
  ++at;
  return at == line.size() || is_space(line[at]);
}

}  // namespace

bool split_inline(std::string_view line, Args& args) {
  args.n = 0;
  args.unquoted.clear();
  args.unquoted.reserve(line.size());  // no growth below: the views stay valid
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size()) return true;
    if (args.n == kMaxArgs) return false;
    const std::size_t begin = args.unquoted.size();
    while (at < line.size() && !is_space(line[at])) {
      const char c = line[at++];
      if (c != '"' && c != '\'') {
        args.unquoted += c;
      } else if (!quoted(line, at, c, args.unquoted)) {
        return false;
      } else {
        break;
      }
    }
    args.v[args.n++] = std::string_view(args.unquoted).substr(begin);
  }
}

}  // namespace seqd::resp
