#include "core/conversation.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace seqd {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load(const char* p, std::size_t n) noexcept {
  std::uint64_t w = 0;
  std::memcpy(&w, p, n);
  return w;
}

}  // namespace

std::uint64_t hash_id(std::string_view id) noexcept {
  constexpr std::uint64_t kA = 0x9E3779B97F4A7C15ULL;
  constexpr std::uint64_t kB = 0xD1B54A32D192ED03ULL;
  std::uint64_t h = id.size() * kB;
  const char* p = id.data();
  std::size_t n = id.size();
  for (; n >= 8; p += 8, n -= 8) h = mix(h ^ load(p, 8), kA);
  if (n > 0) h = mix(h ^ load(p, n), kB);
  return mix(h ^ kB, kA);
}

ConversationTable::~ConversationTable() {
  for (const Entry e : entries_) {
    if (e != 0) ::operator delete(pointer(e));
  }
}

Conversation* ConversationTable::find(std::uint64_t hash, std::string_view id) const noexcept {
  if (entries_.empty()) return nullptr;
  const std::size_t mask = entries_.size() - 1;
  const Entry tag = hash & ~kPointerMask;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Entry e = entries_[i];
    if (e == 0) return nullptr;
    if ((e & ~kPointerMask) == tag) {
      Conversation* c = pointer(e);
      if (c->id_bytes == id.size() && std::memcmp(c->id().data(), id.data(), id.size()) == 0)
        return c;
    }
  }
}

void ConversationTable::place(std::uint64_t hash, Entry entry) noexcept {
  const std::size_t mask = entries_.size() - 1;
  std::size_t i = hash & mask;
  while (entries_[i] != 0) i = (i + 1) & mask;
  entries_[i] = entry;
}

void ConversationTable::grow() {
  std::vector<Entry> old(entries_.empty() ? 16 : entries_.size() * 2, 0);
  old.swap(entries_);
  for (const Entry e : old) {
    if (e != 0) place(hash_id(pointer(e)->id()), e);
  }
}

Conversation* ConversationTable::insert(std::uint64_t hash, std::string_view id) {
  if ((size_ + 1) * 8 > entries_.size() * 7) grow();
  void* memory =
      ::operator new(std::max(sizeof(Conversation), Conversation::kIdOffset + id.size()));
  auto* c = new (memory) Conversation;
  c->id_bytes = static_cast<std::uint8_t>(id.size());
  std::memcpy(static_cast<char*>(memory) + Conversation::kIdOffset, id.data(), id.size());
  place(hash, (hash & ~kPointerMask) | reinterpret_cast<std::uintptr_t>(c));
  ++size_;
  return c;
}

void ConversationTable::erase(Conversation* conversation) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t hole = hash_id(conversation->id()) & mask;
  while (pointer(entries_[hole]) != conversation) hole = (hole + 1) & mask;
  // Close the hole: later entries of the run move back unless that would put them before their home.
  for (std::size_t i = (hole + 1) & mask; entries_[i] != 0; i = (i + 1) & mask) {
    const std::size_t home = hash_id(pointer(entries_[i])->id()) & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      entries_[hole] = entries_[i];
      hole = i;
    }
  }
  entries_[hole] = 0;
  --size_;
  ::operator delete(conversation);
}

}  // namespace seqd
