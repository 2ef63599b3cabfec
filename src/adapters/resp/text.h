// Small total functions over the text of the protocol: integers as Redis reads them, words, patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seqd::resp {

/// A decimal int64 in the one spelling that Redis takes: no sign but '-', no leading zero, no space, not "-0".
std::optional<std::int64_t> parse_integer(std::string_view text);

inline constexpr std::size_t kMaxIntegerBytes = 20;

/// Writes v in decimal at `to` and returns the end. REQUIRES: kMaxIntegerBytes of room.
char* write_integer(char* to, std::int64_t v);

/// ASCII only.
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Equal but for ASCII case. REQUIRES: `lower` is in lower case.
bool is_word(std::string_view text, std::string_view lower);

/// Redis patterns without classes: '*' any run, '?' any byte; ASCII case is ignored. O(pattern x text), no recursion.
bool matches(std::string_view pattern, std::string_view text);

/// What a C "%.*s" would print of these bytes: at most `most`, ended by a NUL.
std::string_view as_c_string(std::string_view text, std::size_t most);

/// Same bytes? Takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace seqd::resp
