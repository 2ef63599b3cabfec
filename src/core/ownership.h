// What a daemon believes of its own rows, and how a unit judges what it reads under the row lock (DESIGN S3, S7, O2).
// Every store adapter calls these functions, so the rule stands in one place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace seqd {

/// 1,024 ownership slots (DESIGN O1).
using Slot = std::uint16_t;
inline constexpr int kSlotCount = 1024;

/// A row of seq_owner: a running daemon, its lease, its fence, its stamp.
struct OwnerRow {
  std::string owner;     ///< node id + random nonce of the process start
  std::string announce;  ///< host:port that clients are sent to
  std::string host;      ///< identity of the OS lock file that a sole owner holds; empty = none
  std::int64_t beat = 0;
  std::int64_t resv_no = 0;
  std::int64_t ttl_ms =
      0;  ///< this daemon's lease.ttl_ms: a contender with a smaller one still waits for this
  bool fenced = false;
  bool sole = false;
};

/// A row of seq_slot. An empty owner is SQL NULL: nobody.
struct SlotRow {
  Slot slot = 0;
  std::string owner;
  std::int64_t epoch = 0;
  std::int64_t bump = 0;
};

/// The two numbers that only rise while the store keeps its commits.
struct Stamp {
  std::int64_t beat = 0;
  std::int64_t resv_no = 0;
};

/// The stamp that is known to be committed, and how many more increments of ours may have been committed without our
/// knowing (in flight, or their reply was lost).
struct StampBelief {
  Stamp known;
  std::int64_t beat_slack = 0;
  std::int64_t resv_slack = 0;
};

struct SlotBelief {
  Slot slot = 0;
  std::int64_t epoch = 0;
  std::int64_t bump = 0;
};

enum class OwnerVerdict : unsigned char {
  kOurs,
  kFenced,       ///< fenced, or the row is gone: a missing row counts as fenced (O2)
  kLostCommits,  ///< below what was confirmed to us (S7)
  kCloned,  ///< above anything we sent: a second process writes with our nonce (H19). Treated as fenced.
};

/// Judges the own row as read under its lock (no value: no row).
OwnerVerdict judge_owner(const StampBelief& belief, const std::optional<OwnerRow>& seen);

enum class SlotVerdict : unsigned char {
  kOurs,
  kLost,         ///< owner, epoch or bump differ: drop the slot
  kLostCommits,  ///< gone, or below what was confirmed to us
};

SlotVerdict judge_slot(std::string_view owner, const SlotBelief& belief,
                       const std::optional<SlotRow>& seen);

/// Sent with every unit: who we are, what we believe, and the slots that the unit touches (sorted, each once).
struct UnitHead {
  std::string owner;
  StampBelief belief;
  std::vector<SlotBelief> slots;

  /// A head that claims no knowledge of the stamp: for a registration that is too new to have one.
  static UnitHead newcomer(std::string owner) {
    UnitHead head;
    head.owner = std::move(owner);
    head.belief.beat_slack = kAnySlack;
    head.belief.resv_slack = kAnySlack;
    return head;
  }
  static constexpr std::int64_t kAnySlack = std::int64_t{1} << 60;
};

/// What every unit reports: the stamp as it was committed (or as it was read, where nothing was written), and slots that were found lost. Rows of lost slots were not touched.
struct UnitReport {
  Stamp stamp;
  std::vector<Slot> lost;
  bool stamped =
      false;  ///< the own row's beat moved. False: the unit had nothing to write and renewed nothing
};

// How a unit lets itself in: every store adapter calls these two under the lock of the own row.

/// Judges the own row (no value: no row). kFenced and kLostCommits say so with names and numbers.
Result<Done> admit_owner(const UnitHead& head, const std::optional<OwnerRow>& seen);

struct AdmittedSlots {
  std::map<Slot, std::int64_t> ours;  ///< slot -> bump
  std::vector<Slot> lost;             ///< not to be touched
};
/// Judges the head's slots by the rows that were read of them, in any order. kLostCommits if one is gone or below what was
/// confirmed.
Result<AdmittedSlots> admit_slots(const UnitHead& head, std::span<const SlotRow> seen);

}  // namespace seqd
