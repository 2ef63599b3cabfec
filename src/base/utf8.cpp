#include "base/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace seqd {
namespace {

/// The length of the multi-byte character at s[i], or 0 if it is not a valid one.
std::size_t multibyte_length(std::string_view s, std::size_t i) noexcept {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned lead = byte(i);
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || i + length > s.size()) return 0;
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80U) return 0;
    code = (code << 6) | (byte(i + k) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0xA0, 0x800, 0x10000};  // 0x80-0x9F are C1 controls
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
  return length;
}

/// True if all eight bytes are in 0x20-0x7E.
bool eight_plain_bytes(const char* p) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = kOnes * 0x80;
  std::uint64_t w = 0;
  std::memcpy(&w, p, sizeof w);
  const std::uint64_t below_space = (w - kOnes * 0x20) & ~w;
  const std::uint64_t del = (w ^ (kOnes * 0x7F));
  const std::uint64_t is_del = (del - kOnes) & ~del;
  return ((w | below_space | is_del) & kHigh) == 0;
}

}  // namespace

bool is_printable_utf8(std::string_view bytes) noexcept {
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (i + 8 <= bytes.size() && eight_plain_bytes(bytes.data() + i)) {
      i += 8;
      continue;
    }
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c < 0x20 || c == 0x7F) return false;
    if (c < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = multibyte_length(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace seqd
