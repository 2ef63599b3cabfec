// What core asks of the store for conversations: rows of seq_counter, always in fenced units (DESIGN 4, S1-S9).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/interval.h"
#include "core/ownership.h"

namespace seqd {

/// The most rows in one unit (S9).
inline constexpr std::size_t kMaxUnitRows = 500;

struct FoundCounter {
  std::string conv_id;
  CounterRow row;
};

struct NewCounter {
  std::string conv_id;
  Slot slot = 0;
  std::int64_t floor = 0;    ///< the first interval begins above it
  std::int64_t numbers = 1;  ///< size of the first interval
};

struct ReserveRequest {
  std::string conv_id;
  Slot slot = 0;
  ReserveAsk ask;
};

enum class ReserveStatus : unsigned char {
  kReserved,   ///< committed: `plan` holds
  kLocked,     ///< somebody else holds the row (SKIP LOCKED): ask again in the next unit
  kMissing,    ///< no such row: create it first
  kExists,     ///< create() only: a row was there already, nothing was created by this call
  kSlotLost,   ///< its slot is not ours any more: not touched
  kExhausted,  ///< nothing is left below 2^53-1: not touched
};

struct ReserveOutcome {
  ReserveStatus status = ReserveStatus::kMissing;
  ReservePlan plan;  ///< only with kReserved
};

struct ReserveReport {
  UnitReport unit;
  std::vector<ReserveOutcome> outcomes;  ///< one for each request, in its order
};

struct Release {
  std::string conv_id;
  Slot slot = 0;
  std::int64_t cur = 0;  ///< the last issued number
  std::int64_t end = 0;  ///< where the held interval ended: the row must still stand there
};

struct ReleaseReport {
  UnitReport unit;
  std::int64_t released = 0;  ///< rows whose cur_seq is stored now; the others become gaps
};

struct Lift {
  std::string conv_id;
  Slot slot = 0;
  std::int64_t end = 0;  ///< nothing at or below this may be given out again
  /// Nothing above `end` was given out either: the row needs no bump, and bump_seen becomes the slot's.
  bool exact = false;
};

/// Calls block, and belong to one lane (one thread at a time).
///
/// First use opens the connection and checks the session (S4); any error closes it, and the next call opens a new one.
/// The list of requests is sorted by conv_id, each id once, at most kMaxUnitRows.
///
/// Unit: START TRANSACTION; the own row is locked and judged (judge_owner); the head's slots are read and judged
/// (judge_slot); the rows; the own row is stamped (beat+1, resv_no+1); COMMIT.
/// Errors of a unit: kUnavailable, kBusy = nothing was applied. kUnknown = the COMMIT's outcome is not known: it may be applied,
/// also later. kFenced, kLostCommits = judged so, nothing was applied. kRefused = the store is not fit, nothing was applied.
class CounterStore {
 public:
  virtual ~CounterStore() = default;

  /// Plain read, no locks, no unit: the rows that exist, in any order. ids: sorted, at most kMaxUnitRows.
  virtual Result<std::vector<FoundCounter>> look_up(std::span<const std::string> ids) = 0;

  /// Unit. Creates rows together with their first interval (floor, floor + numbers], bump_seen = the slot's bump, in one
  /// INSERT that has no IGNORE. If any id exists already the whole unit is rolled back and every outcome that is not
  /// kSlotLost or kExhausted is kExists: look up again. (S5: creation is a transaction of its own.)
  virtual Result<ReserveReport> create(const UnitHead& head, std::span<const NewCounter> rows) = 0;

  /// Unit. Reserves by plan_reservation() for the rows that can be locked at once.
  virtual Result<ReserveReport> reserve(const UnitHead& head,
                                        std::span<const ReserveRequest> requests) = 0;

  /// Unit. UPDATE … SET cur_seq = :cur WHERE conv_id AND max_seq = :end AND cur_seq IS NULL. Whatever the outcome,
  /// the caller never uses numbers of a released interval again.
  virtual Result<ReleaseReport> release(const UnitHead& head,
                                        std::span<const Release> releases) = 0;

  /// Unit. max_seq = GREATEST(max_seq, :end), cur_seq = NULL; creates the row where it is missing (S7). Never lowers.
  /// An exact lift in a slot that was bumped before is not bumped on top: bumps that pile up on lifts would overtake the
  /// bump of the next loss.
  /// The slots need not be ours: head.slots is empty.
  virtual Result<UnitReport> lift(const UnitHead& head, std::span<const Lift> lifts) = 0;
};

/// The host system's message table: recovery.history_query. Blocks; one lane; own connection with a deadline.
class HistorySource {
 public:
  virtual ~HistorySource() = default;
  /// MAX(seq) of each id (0: none), in the order of ids. An error means that no id may be assumed new (DESIGN 4).
  virtual Result<std::vector<std::int64_t>> max_seq(std::span<const std::string> ids) = 0;
};

}  // namespace seqd
