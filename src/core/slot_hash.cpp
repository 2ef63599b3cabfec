#include "core/slot_hash.h"

#include <array>
#include <cstring>

namespace seqd {
namespace {

constexpr std::array<std::uint16_t, 256> make_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? (crc << 1) ^ 0x1021U : crc << 1;
    table[i] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr auto kTable = make_table();

}  // namespace

std::uint16_t crc16(std::string_view bytes) noexcept {
  unsigned crc = 0;
  for (const char c : bytes) {
    crc = (crc << 8) ^ kTable[((crc >> 8) ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return static_cast<std::uint16_t>(crc);
}

std::uint16_t redis_slot(std::string_view key) noexcept {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close != open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return crc16(key) % 16384;
}

Slot SlotHash::slot_of(std::string_view conv_id) const noexcept {
  char key[256];
  const std::size_t prefix = prefix_.size() < 192 ? prefix_.size() : 192;
  const std::size_t id = conv_id.size() < 64 ? conv_id.size() : 64;
  std::memcpy(key, prefix_.data(), prefix);
  std::memcpy(key + prefix, conv_id.data(), id);
  return static_cast<Slot>(redis_slot(std::string_view(key, prefix + id)) / (16384 / kSlotCount));
}

}  // namespace seqd
