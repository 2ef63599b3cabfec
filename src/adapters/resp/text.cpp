#include "adapters/resp/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace seqd::resp {
namespace {

constexpr std::array<char, 200> make_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kPairs = make_pairs();

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.empty() || text.size() > kMaxIntegerBytes) return std::nullopt;
  if (text == "0") return 0;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  const std::uint64_t most =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1U : 0U);
  std::uint64_t v = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (v > (most - digit) / 10) return std::nullopt;
    v = v * 10 + digit;
  }
  return static_cast<std::int64_t>(negative ? 0 - v : v);
}

char* write_integer(char* to, std::int64_t v) {
  auto rest = static_cast<std::uint64_t>(v);
  if (v < 0) {
    *to++ = '-';
    rest = 0 - rest;
  }
  std::array<char, kMaxIntegerBytes> digits;
  std::size_t at = digits.size();
  while (rest >= 100) {
    at -= 2;
    std::memcpy(&digits[at], &kPairs[(rest % 100) * 2], 2);
    rest /= 100;
  }
  if (rest >= 10) {
    at -= 2;
    std::memcpy(&digits[at], &kPairs[rest * 2], 2);
  } else {
    digits[--at] = static_cast<char>('0' + rest);
  }
  std::memcpy(to, &digits[at], digits.size() - at);
  return to + (digits.size() - at);
}

bool is_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(),
                                                   [](char a, char b) { return to_lower(a) == b; });
}

bool matches(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = kNone;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || to_lower(pattern[p]) == to_lower(text[t]))) {
      ++p;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string_view as_c_string(std::string_view text, std::size_t most) {
  text = text.substr(0, most);
  return text.substr(0, text.find('\0'));
}

bool equal_in_constant_time(std::string_view given, std::string_view secret) {
  unsigned differ = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = secret.empty() ? '\0' : secret[i % secret.size()];
    differ |= static_cast<unsigned>(static_cast<unsigned char>(given[i] ^ other));
  }
  return differ == 0;
}

}  // namespace seqd::resp
