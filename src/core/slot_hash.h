// Which ownership slot a conversation belongs to: a range of Redis Cluster slots (DESIGN O1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ownership.h"

namespace seqd {

/// The name of the hash, as seq_meta keeps it (O4).
inline constexpr std::string_view kHashName = "crc16/16";

/// CRC16/XMODEM, as Redis Cluster uses it. Any thread.
std::uint16_t crc16(std::string_view bytes) noexcept;

/// Redis Cluster's slot of a key, 0 … 16383: of its {tag} where it has a non-empty one.
std::uint16_t redis_slot(std::string_view key) noexcept;

/// Hashes key_prefix + conv_id, as a cluster client hashes the whole key. Copies the prefix; any thread.
class SlotHash {
 public:
  explicit SlotHash(std::string_view key_prefix) : prefix_(key_prefix) {}
  Slot slot_of(std::string_view conv_id) const noexcept;

 private:
  std::string prefix_;
};

}  // namespace seqd
