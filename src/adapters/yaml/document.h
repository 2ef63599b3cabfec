// One YAML text as a small tree with places, and nothing that a configuration file has no use for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace seqd::yaml {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxDepth = 16;

/// Line and column as editors count them, from 1; columns count bytes.
struct Place {
  int line = 1;
  int column = 1;

  friend bool operator<(const Place& a, const Place& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  }
};

struct Node {
  enum class Kind : unsigned char { kNull, kPlain, kQuoted, kList, kMap };
  Kind kind = Kind::kNull;
  Place place;
  std::string text;  ///< of kPlain and kQuoted
  std::vector<Node>
      items;  ///< of kList its values; of kMap key, value, key, value, … duplicates included
};

struct Problem {
  Place place;
  std::string text;
};

/// The root of the text's only document; kNull if there is none. A Problem for what is not YAML, and for anchors, aliases,
/// tags, control characters, a second document, more than kMaxDepth levels and more than kMaxFileBytes: each of those
/// would make the parser slow, deep or silent about a part of the file.
/// Thread-safe.
std::variant<Node, Problem> read_document(std::string_view text);

}  // namespace seqd::yaml
