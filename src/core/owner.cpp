#include "core/owner.h"

#include <algorithm>
#include <utility>

namespace seqd {

Owner::Owner(Executor& executor, LeaseStore& store, CounterStore& counters, const Clock& clock,
             SlotLease& lease, Situation& situation, Demand& demand, Sequencer& sequencer,
             Stats& stats, Events& events, OwnerIdentity identity, std::int64_t rollback_bump)
    : executor_(executor),
      store_(store),
      counters_(counters),
      clock_(clock),
      lease_(lease),
      situation_(situation),
      demand_(demand),
      sequencer_(sequencer),
      stats_(stats),
      events_(events),
      identity_(std::move(identity)),
      rollback_bump_(rollback_bump) {}

void Owner::start() { schedule(Duration::zero()); }

void Owner::schedule(Duration delay) {
  const std::uint64_t number = ++timer_;
  executor_.after(Lane::kLease, delay, [this, number] {
    if (number == timer_) tick();
  });
}

// How soon to look again after a failure, and how often a stand-by looks. The store's return is noticed within a second (issue:
// "back within 1 s"), a released slot within a tenth.
Duration Owner::retry_pace() const {
  return std::clamp<Duration>(lease_.times().ttl / 50, std::chrono::milliseconds(10),
                              std::chrono::milliseconds(100));
}

void Owner::tick() {
  if (ticking_) return;
  const BootTime now = clock_.boot_now();
  switch (phase_) {
    case Phase::kPreparing:
      return prepare();
    case Phase::kEnrolling:
      return enrol();
    case Phase::kRecovering:
      return;
    case Phase::kLeaving:
    case Phase::kServing:
      break;
  }
  note_lapse();
  if (now >= renew_at_) return renew();
  if (phase_ == Phase::kServing && lease_.slot_count() < kSlotCount) return survey();
  schedule(renew_at_ - now);
}

void Owner::note_lapse() {
  if (lapsed_ || lease_.slot_count() == 0 || lease_.valid_at(clock_.boot_now())) return;
  lapsed_ = true;
  Stats::add(stats_.lease_lapses);
  events_.on_event(Severity::kError, "lease.lapsed",
                   "the lease could not be renewed in time; requests are refused until a renewal "
                   "succeeds. Intervals are kept");
}

void Owner::contact_failed(const Error& error) {
  if (error.code == Code::kBusy) return;
  // One failure may be a connection that was killed; two in a row are an outage.
  if (++failures_ < 2 && error.code == Code::kUnavailable) return;
  if (situation_.failed(Situation::Link::kLease, error.message, clock_.boot_now())) {
    events_.on_event(Severity::kError, "lease.store_down", error.message);
  }
}

void Owner::contact_ok() {
  failures_ = 0;
  if (situation_.answered(Situation::Link::kLease)) {
    events_.on_event(Severity::kInfo, "lease.store_up", "the store answers the lease");
  }
}

void Owner::prepare() {
  ticking_ = true;
  call_store([this] { return store_.prepare(); },
             [this](Result<StoreCheck> reply) {
               ticking_ = false;
               if (leaving()) return;
               if (!reply.ok()) {
                 const Error& error = reply.error();
                 if (error.code == Code::kMismatch) return events_.on_fatal(error.message);
                 if (failures_++ == 0 || situation_.facts().store_trouble() != error.message) {
                   events_.on_event(Severity::kError, "store.not_ready",
                                    error.message + " (retrying)");
                 }
                 situation_.failed(Situation::Link::kLease, error.message, clock_.boot_now());
                 return schedule(std::chrono::milliseconds(200));
               }
               events_.on_event(Severity::kInfo, "store.ready", "store: " + reply->server);
               for (const std::string& warning : reply->warnings) {
                 events_.on_event(Severity::kWarning, "store.warning", warning);
               }
               situation_.facts([&](Situation::Facts& f) {
                 f.store_server = reply->server;
                 f.durable = reply->durable;
               });
               phase_ = Phase::kEnrolling;
               tick();
             });
}

OwnerRow Owner::registration() const {
  OwnerRow row;
  row.owner = name_;
  row.announce = identity_.announce;
  row.ttl_ms = std::chrono::duration_cast<std::chrono::milliseconds>(lease_.times().ttl).count();
  row.sole = lease_.times().sole;
  return row;
}

// The registration as it goes to the store. A sole owner's row names the lock file that it stands on, and the file has its identity
// only once somebody has held it, so the lock is tried first.
Result<Done> Owner::enrol_in_store(OwnerRow row, bool& holds_lock) {
  if (row.sole) {
    const Result<bool> held = store_.hold_sole_lock();
    if (!held.ok()) return held.error();
    holds_lock = *held;
    row.host = store_.sole_lock_id();
    if (row.host.empty()) {
      return Error{Code::kUnavailable, "the lock file of the sole lease has no identity yet"};
    }
  }
  return store_.enrol(row);
}

void Owner::new_name() {
  name_ = identity_.node_id + ":" + identity_.new_nonce();
  names_.push_back(name_);
}

void Owner::enrol() {
  ticking_ = true;
  new_name();
  auto holds_lock = std::make_shared<bool>(holds_lock_);
  call_store([this, row = registration(), holds_lock] { return enrol_in_store(row, *holds_lock); },
             [this, holds_lock, name = name_](const Result<Done>& reply) {
               ticking_ = false;
               holds_lock_ = *holds_lock;
               if (phase_ != Phase::kEnrolling || name != name_) return;
               if (!reply.ok()) {
                 contact_failed(reply.error());
                 return schedule(retry_pace());
               }
               lease_.enrolled(name);
               enrolled();
             });
}

void Owner::enrolled() {
  situation_.facts([&](Situation::Facts& f) {
    f.prepared = true;
    f.own_name = name_;
  });
  contact_ok();
  sequencer_.purge();
  watches_.clear();
  lapsed_ = false;
  phase_ = Phase::kServing;
  renew_at_ = clock_.boot_now() + lease_.times().renew_every();
  events_.on_event(Severity::kInfo, "owner.enrolled", "registered as " + name_);
  tick();
}

void Owner::renew() {
  ticking_ = true;
  const BootTime now = clock_.boot_now();
  renew_at_ = now + lease_.times().renew_every();
  std::vector<Slot> slots;
  for (const SlotBelief& s : lease_.held_slots()) slots.push_back(s.slot);
  UnitTicket ticket = lease_.begin_unit(slots, false, now);
  call_store([this, head = ticket.head] { return store_.renew(head); },
             [this, ticket](Result<UnitReport> reply) {
               ticking_ = false;
               renewed(ticket, std::move(reply));
             });
}

void Owner::renewed(const UnitTicket& ticket, Result<UnitReport> reply) {
  if (ticket.head.owner != lease_.owner()) return schedule(Duration::zero());
  note_lapse();  // the call may have outlasted the lease
  if (reply.ok()) {
    contact_ok();
    lease_.lost(reply->lost);
    if (!lease_.unit_confirmed(ticket, *reply)) return judge_fence(ticket.head.owner);
    if (!reply->lost.empty()) sequencer_.purge();
    if (std::exchange(lapsed_, false)) {
      events_.on_event(Severity::kInfo, "lease.resumed",
                       "the lease was renewed; nobody took it, so the intervals go on");
    }
    return tick();
  }
  const Error error = reply.error();
  if (error.code == Code::kUnknown) {
    lease_.unit_unknown(ticket);
  } else {
    lease_.unit_not_applied(ticket);
  }
  if (error.code == Code::kFenced) return judge_fence(ticket.head.owner);
  if (error.code == Code::kLostCommits) return recover(ticket.head.owner);
  contact_failed(error);
  watches_.clear();
  renew_at_ = clock_.boot_now() + retry_pace();
  schedule(retry_pace());
}

void Owner::fenced(const std::string& owner) {
  executor_.submit(
      Lane::kLease, [] {}, [this, owner] { judge_fence(owner); });
}

void Owner::lost_commits(const std::string& owner) {
  executor_.submit(
      Lane::kLease, [] {}, [this, owner] { recover(owner); });
}

}  // namespace seqd
