#include "adapters/resp/pending.h"

#include <algorithm>
#include <array>

#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

void write_refusal(Reply& reply, Refusal why, const Numbers& numbers) {
  const bool final = why == Refusal::kExhausted || why == Refusal::kBatchTooBig;
  reply.error(final ? "ERR " : "TRYAGAIN ", numbers.refusal_text(why));
}

void write_bulk_integer(Reply& reply, std::int64_t v) {
  std::array<char, kMaxIntegerBytes> digits;
  const char* end = write_integer(digits.data(), v);
  reply.bulk({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

}  // namespace

Outcome outcome_of(Does asked, const TakeResult& result) {
  switch (result.kind) {
    case TakeResult::Kind::kTaken:
      return {Outcome::Kind::kNumber, asked, {}, result.last};
    case TakeResult::Kind::kRefused:
      return {Outcome::Kind::kRefused, asked, result.why, 0};
    case TakeResult::Kind::kWaiting:
      break;
  }
  return {Outcome::Kind::kWaiting, asked, {}, 0};
}

Outcome outcome_of(Does asked, const PeekResult& result) {
  switch (result.kind) {
    case PeekResult::Kind::kKnown:
      return {Outcome::Kind::kNumber, asked, {}, result.issued, result.reserved};
    case PeekResult::Kind::kNever:
      return {Outcome::Kind::kNever, asked, {}, 0};
    case PeekResult::Kind::kRefused:
      // That a number was issued is known even where the number is not.
      if (result.why == Refusal::kIssuedUnknown && asked != Does::kGet && asked != Does::kMget) {
        return {Outcome::Kind::kNumber, asked, {}, 0};
      }
      return {Outcome::Kind::kRefused, asked, result.why, 0};
    case PeekResult::Kind::kWaiting:
      break;
  }
  return {Outcome::Kind::kWaiting, asked, {}, 0};
}

void write_outcome(Reply& reply, const Outcome& outcome, const Numbers& numbers) {
  if (outcome.kind == Outcome::Kind::kRefused) return write_refusal(reply, outcome.why, numbers);
  const bool exists = outcome.kind == Outcome::Kind::kNumber;
  switch (outcome.asked) {
    case Does::kGet:
    case Does::kMget:
      return exists ? write_bulk_integer(reply, outcome.number) : reply.null();
    case Does::kExists:
      return reply.integer(exists ? 1 : 0);
    case Does::kType:
      return reply.simple(exists ? "string" : "none");
    case Does::kTtl:
      return reply.integer(exists ? -1 : -2);
    default:
      return reply.integer(outcome.number);
  }
}

void write_info(Reply& reply, const Outcome& outcome, const Numbers::Place& place,
                const Numbers& numbers) {
  if (outcome.kind == Outcome::Kind::kRefused) return write_refusal(reply, outcome.why, numbers);
  // A conversation that never was has neither; one whose last number a crash made unknown has 0 here, see outcome_of().
  const auto number = [&](const char* name, std::int64_t value) {
    reply.bulk(name);
    value > 0 ? write_bulk_integer(reply, value) : reply.null();
  };
  reply.map(6);
  number("issued", outcome.number);
  number("reserved", outcome.reserved);
  reply.bulk("route");
  reply.bulk("segment");
  reply.bulk("slot");
  reply.integer(place.slot);
  reply.bulk("owner");
  place.owner.empty() ? reply.null() : reply.bulk(place.owner);
  reply.bulk("epoch");
  place.epoch ? reply.integer(*place.epoch) : reply.null();
}

void Pending::push(const Outcome& outcome) {
  if (first_ == kMost) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
    base_ = static_cast<std::uint16_t>(base_ + first_);
    first_ = 0;
  }
  entries_.push_back(outcome);
}

Outcome* Pending::find(std::uint16_t number) {
  const std::size_t at = static_cast<std::uint16_t>(number - base_);
  if (at < first_ || at >= entries_.size()) return nullptr;
  return &entries_[at];
}

void Pending::answer(std::uint16_t number, const TakeResult& result) {
  if (Outcome* entry = find(number)) *entry = outcome_of(entry->asked, result);
}

void Pending::answer(std::uint16_t number, const PeekResult& result) {
  if (Outcome* entry = find(number)) *entry = outcome_of(entry->asked, result);
}

void Pending::write_ready(Reply& reply, const Numbers& numbers) {
  while (first_ < entries_.size() && entries_[first_].kind != Outcome::Kind::kWaiting) {
    if (entries_[first_].asked == Does::kInfo) {
      write_info(reply, entries_[first_], place, numbers);
    } else {
      write_outcome(reply, entries_[first_], numbers);
    }
    ++first_;
  }
  if (!empty()) return;
  base_ = next();
  first_ = 0;
  entries_.clear();
  if (entries_.capacity() > 64) entries_ = {};
}

}  // namespace seqd::resp
