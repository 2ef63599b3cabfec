// One resident conversation: the interval that it holds, in as few bytes as can be, and the table that finds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/interval.h"
#include "core/ownership.h"
#include "core/slot_lease.h"

namespace seqd {

/// Lives in exactly one ConversationTable, under its shard's lock. The id's bytes follow the struct.
///
/// One interval, never two: a prefetched interval that is adjacent extends `end`, one that is not replaces the rest (a counted
/// gap). So "the other buffer" cannot be forgotten when a slot is lost (C2, H3, H4).
struct Conversation {
  std::int64_t cur = 0;        ///< last number handed out, or where the interval begins
  std::int64_t end = 0;        ///< numbers cur+1 … end may be handed out under `grant`
  Grant grant = 0;             ///< the ownership under which they were reserved
  std::uint32_t step = 0;      ///< size of the last reservation
  std::uint32_t asked_ms = 0;  ///< boot clock, when it was asked for
  std::uint32_t used_ms = 0;   ///< boot clock, when a number was last taken
  Slot slot = 0;
  std::uint8_t id_bytes = 0;
  bool reserving : 1 = false;     ///< a reservation is queued or in flight: never two (C1)
  bool waiting : 1 = false;       ///< requests wait for it
  bool issued_known : 1 = false;  ///< `cur` is exactly the last issued number (0: none was)

  std::int64_t room() const { return end - cur; }
  std::string_view id() const {
    return {reinterpret_cast<const char*>(this) + kIdOffset, id_bytes};
  }
  /// The id begins in the struct's tail padding: 4 bytes that decide between two sizes of malloc.
  static constexpr std::size_t kIdOffset = 36;
};
static_assert(sizeof(Conversation) == 40);

/// A hash that spreads all bytes of an id over 64 bits. Not for adversaries: the table's probes are bounded by its load.
std::uint64_t hash_id(std::string_view id) noexcept;

/// Open addressing with linear probing over 8-byte entries (16 bits of hash beside the pointer). Not thread-safe.
class ConversationTable {
 public:
  ConversationTable() = default;
  ConversationTable(const ConversationTable&) = delete;
  ConversationTable& operator=(const ConversationTable&) = delete;
  ~ConversationTable();

  /// nullptr if it is not resident. `hash` is hash_id(id).
  Conversation* find(std::uint64_t hash, std::string_view id) const noexcept;
  /// REQUIRES: find() gave nullptr; 1 <= id.size() <= 64. The pointer is good until erase().
  Conversation* insert(std::uint64_t hash, std::string_view id);
  /// Frees it.
  void erase(Conversation* conversation);

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return entries_.size(); }
  /// The conversation in an entry, or nullptr. For walks: 0 <= index < capacity().
  Conversation* at(std::size_t index) const noexcept { return pointer(entries_[index]); }

 private:
  using Entry = std::uint64_t;
  static constexpr Entry kPointerMask = (Entry{1} << 48) - 1;

  static Conversation* pointer(Entry e) noexcept {
    return reinterpret_cast<Conversation*>(e & kPointerMask);  // NOLINT(performance-no-int-to-ptr)
  }
  void grow();
  void place(std::uint64_t hash, Entry entry) noexcept;

  std::vector<Entry> entries_;  // a power of two; 0 = free
  std::size_t size_ = 0;
};

}  // namespace seqd
