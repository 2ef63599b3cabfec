// Standing by: watching the owners' beats, and taking what nobody holds any more (DESIGN O2, O3).
#include <algorithm>
#include <set>
#include <utility>

#include "core/owner.h"

namespace seqd {

void Owner::survey() {
  ticking_ = true;
  const BootTime sent = clock_.boot_now();
  call_store(
      [this] {
        // A sole lease stands on the host's lock file: without it this daemon stands by.
        if (lease_.times().sole && !holds_lock_) {
          const Result<bool> held = store_.hold_sole_lock();
          holds_lock_ = held.ok() && *held;
        }
        return store_.survey();
      },
      [this, sent](Result<Survey> reply) {
        ticking_ = false;
        surveyed(sent, std::move(reply));
      });
}

void Owner::surveyed(BootTime sent, Result<Survey> reply) {
  if (phase_ != Phase::kServing) return schedule(retry_pace());
  if (!reply.ok()) {
    watches_.clear();  // DESIGN O2: a failed read starts every watch anew
    contact_failed(reply.error());
    return schedule(retry_pace());
  }
  contact_ok();
  const BootTime arrived = clock_.boot_now();
  if (arrived - sent > lease_.times().ttl / 4) watches_.clear();  // … and a late one
  note_owner(*reply);

  const auto me = std::find_if(reply->owners.begin(), reply->owners.end(),
                               [&](const OwnerRow& row) { return row.owner == name_; });
  if (me == reply->owners.end() || me->fenced) return judge_fence(name_);
  if (lease_.times().sole && !holds_lock_) return schedule(retry_pace());

  std::set<std::string> others;
  bool free = reply->slots.size() < kSlotCount;
  for (const SlotRow& slot : reply->slots) {
    if (slot.owner.empty() || (slot.owner == name_ && lease_.grant_of(slot.slot) == 0)) {
      free = true;
    } else if (slot.owner != name_) {
      others.insert(slot.owner);
    }
  }
  // Two stand-bys do not share what a leaving owner gives away: who has some already goes on, others wait.
  if (free && (lease_.slot_count() > 0 || others.size() <= 1)) return claim();
  if (const std::optional<OwnerRow> victim = watch_owners(*reply, arrived)) {
    return take_over(*victim);
  }
  schedule(retry_pace());
}

// Answers the first owner that may be taken from; an owner without a row stands with beat -1. Also forgets owners that hold nothing.
std::optional<OwnerRow> Owner::watch_owners(const Survey& survey, BootTime arrived) {
  std::optional<OwnerRow> victim;
  std::unordered_map<std::string, Watch> seen;
  bool somebody_lives = false;
  for (const SlotRow& slot : survey.slots) {
    if (slot.owner.empty() || slot.owner == name_ || seen.count(slot.owner) > 0) continue;
    const auto row = std::find_if(survey.owners.begin(), survey.owners.end(),
                                  [&](const OwnerRow& r) { return r.owner == slot.owner; });
    const std::int64_t beat = row == survey.owners.end() ? -1 : row->beat;
    Watch watch{beat, arrived, false};
    const auto before = watches_.find(slot.owner);
    if (before != watches_.end()) {
      // Any change, even to a lower beat, starts the watch anew.
      if (before->second.beat == beat) {
        watch = before->second;
      } else {
        watch.moved = true;
      }
    }
    seen.emplace(slot.owner, watch);
    OwnerRow candidate;
    if (row == survey.owners.end()) {
      candidate.owner = slot.owner;
      candidate.beat = -1;
    } else {
      candidate = *row;
    }
    if (may_take_from(candidate, watch, arrived)) {
      if (!victim) victim = candidate;
    } else if (watch.moved) {
      somebody_lives = true;
    }
  }
  watches_ = std::move(seen);
  // A stand-by leaves the rest of a dead owner to the living one that has the other part.
  if (lease_.slot_count() == 0 && somebody_lives) victim.reset();
  return victim;
}

bool Owner::may_take_from(const OwnerRow& victim, const Watch& watch, BootTime arrived) const {
  if (victim.sole) {
    // Time proves nothing here. The same lock file in our hands does: its holder is dead (O3).
    return holds_lock_ && !victim.host.empty() && victim.host == store_.sole_lock_id();
  }
  const Duration theirs = std::chrono::milliseconds(victim.ttl_ms) * 11 / 10;
  return arrived - watch.since >= std::max(theirs, lease_.times().takeover_after());
}

void Owner::note_owner(const Survey& survey) {
  std::string owner;
  std::string address;
  for (const SlotRow& slot : survey.slots) {
    highest_epoch_ = std::max(highest_epoch_, slot.epoch);
    if (!slot.owner.empty() && (owner.empty() || owner == name_)) owner = slot.owner;
  }
  for (const OwnerRow& row : survey.owners) {
    if (row.owner == owner) address = row.announce;
  }
  const bool news = situation_.facts([&](Situation::Facts& f) {
    const bool changed = f.owner_name != owner;
    f.owner_name = owner;
    f.owner_address = address;
    return changed;
  });
  if (news && !owner.empty() && owner != name_) {
    events_.on_event(Severity::kInfo, "owner.standby",
                     "standing by: " + owner + " at " + address + " owns the conversations");
  }
}

void Owner::claim() {
  ticking_ = true;
  UnitTicket ticket = lease_.begin_unit({}, false, clock_.boot_now());
  call_store([this, head = ticket.head,
              least_epoch = highest_epoch_] { return store_.claim(head, least_epoch); },
             [this, ticket](const Result<ClaimReport>& reply) {
               ticking_ = false;
               gained(ticket, reply, "");
             });
}

void Owner::take_over(const OwnerRow& victim) {
  ticking_ = true;
  watches_.erase(victim.owner);
  UnitTicket ticket = lease_.begin_unit({}, false, clock_.boot_now());
  call_store([this, head = ticket.head, victim] { return store_.take_over(head, victim); },
             [this, ticket, from = victim.owner](const Result<ClaimReport>& reply) {
               ticking_ = false;
               if (reply.ok()) Stats::add(stats_.takeovers);
               gained(ticket, reply, from);
             });
}

void Owner::gained(const UnitTicket& ticket, const Result<ClaimReport>& reply,
                   const std::string& from) {
  if (!reply.ok()) {
    const Error& error = reply.error();
    if (error.code == Code::kUnknown) {
      // The next survey shows the slots as ours if it was committed, and a claim settles it under the lock.
      lease_.unit_unknown(ticket);
    } else {
      lease_.unit_not_applied(ticket);
    }
    if (error.code == Code::kFenced) return judge_fence(ticket.head.owner);
    if (error.code == Code::kLostCommits) return recover(ticket.head.owner);
    contact_failed(error);
    return schedule(retry_pace());
  }
  contact_ok();
  // A registration that ended meanwhile gains nothing, and a leaving daemon gives away at its end what it took too late.
  if (leaving() || ticket.head.owner != name_) return schedule(retry_pace());
  for (const SlotRow& s : reply->ours) {
    highest_epoch_ = std::max(highest_epoch_, s.epoch);
    highest_bump_ = std::max(highest_bump_, s.bump);
  }
  const int before = lease_.slot_count();
  lease_.gained(ticket.head.owner, reply->ours);
  if (!lease_.unit_confirmed(ticket, reply->unit)) return judge_fence(ticket.head.owner);
  recovery_.reset();
  lapsed_ = false;
  renew_at_ = clock_.boot_now() + lease_.times().renew_every();
  sequencer_.purge();
  if (lease_.slot_count() > before) {
    situation_.facts([&](Situation::Facts& f) {
      f.owner_name = name_;
      f.owner_address = identity_.announce;
    });
    events_.on_event(Severity::kInfo, "lease.gained",
                     "owns " + std::to_string(lease_.slot_count()) + " of " +
                         std::to_string(kSlotCount) + " slots" +
                         (from.empty() ? std::string() : ", taken over from " + from));
  }
  schedule(retry_pace());
}

}  // namespace seqd
