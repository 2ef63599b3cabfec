// Pieces of SQL text, and values out of result cells.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/mysql/connection.h"

namespace seqd::mysql {

/// Bytes as a literal of type binary string: nothing to escape, no character set.
inline std::string quoted(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "x'";
  text.reserve(2 * bytes.size() + 3);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  text += '\'';
  return text;
}

/// "a,b,c" of text_of(item) for every item.
template <class Items, class F>
std::string joined(const Items& items, F&& text_of) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ',';
    text += text_of(item);
  }
  return text;
}

/// The number in a cell; 0 for NULL and for what is no number.
inline std::int64_t number(const Cell& cell) {
  std::int64_t value = 0;
  if (cell) std::from_chars(cell->data(), cell->data() + cell->size(), value);
  return value;
}

}  // namespace seqd::mysql
