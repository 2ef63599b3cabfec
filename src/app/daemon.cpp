#include "app/daemon.h"

#include <future>

#include "app/identity.h"

namespace seqd::app {
namespace {

constexpr Duration kDrain = std::chrono::seconds(3);
constexpr Duration kRelease = std::chrono::seconds(20);
constexpr Duration kDeadlineTick = std::chrono::milliseconds(5);

std::string run_id() { return random_nonce() + random_nonce() + random_nonce().substr(0, 8); }

}  // namespace

Daemon::Daemon(const Settings& settings, const Secrets& secrets, const std::string& config_file,
               Log& log, std::function<void()> on_fatal)
    : settings_(settings),
      log_(log),
      end_(std::move(on_fatal)),
      hash_(settings.resp.key_prefix),
      lease_(LeaseTimes{std::chrono::milliseconds(settings.lease.ttl_ms), sole_lease(settings)}),
      sequencer_(settings.segment, hash_, clock_, lease_, situation_, demand_, stats_),
      stores_(make_stores(settings, secrets.store_password, log)),
      server_(settings.resp, secrets.resp_password, *this, settings.segment.max_batch,
              resp::ServerFacts{SEQD_VERSION, run_id(), "seqd", config_file},
              [&log](std::string_view text) { log.write(Level::kWarning, "resp", text); }),
      refill_(executor_, *stores_.counters, stores_.history.get(), clock_, lease_, situation_,
              demand_, sequencer_, stats_, *this, settings.recovery,
              std::chrono::milliseconds(settings.segment.wait_ms)) {}

Daemon::~Daemon() {
  sequencer_.stop();
  executor_.stop();
}

void Daemon::configure(const Settings& settings) {
  sequencer_.configure(settings.segment);
  server_.set_max_batch(settings.segment.max_batch);
  refill_.configure(settings.recovery, std::chrono::milliseconds(settings.segment.wait_ms));
  owner_->configure(settings.recovery.rollback_bump);
  log_.set_level(settings.log.level);
}

Result<Done> Daemon::start() {
  Result<Done> listening = server_.listen();
  if (!listening.ok()) return listening;
  Events& events = *this;
  owner_ = std::make_unique<Owner>(
      executor_, *stores_.leases, *stores_.counters, clock_, lease_, situation_, demand_,
      sequencer_, stats_, events,
      OwnerIdentity{node_id(settings_), announced_address(settings_, server_.port()), random_nonce},
      settings_.recovery.rollback_bump);
  refill_.start(OwnershipNews{[this](const std::string& owner) { owner_->fenced(owner); },
                              [this](const std::string& owner) { owner_->lost_commits(owner); }});
  sequencer_.on_waiting([this] { watch_deadlines(); });
  server_.start();
  owner_->start();
  log_.write(Level::kInfo, "resp.listening",
             "listening on " + announced_address(settings_, server_.port()));
  return Done{};
}

void Daemon::watch_deadlines() {
  executor_.after(Lane::kHousekeeping, kDeadlineTick, [this] {
    if (sequencer_.expire(clock_.boot_now())) watch_deadlines();
  });
}

bool Daemon::lanes_turn(Duration patience) {
  auto turned = std::make_shared<std::promise<void>>();
  std::future<void> done = turned->get_future();
  executor_.submit(
      Lane::kHousekeeping, [] {}, [turned] { turned->set_value(); });
  return done.wait_for(patience) == std::future_status::ready;
}

void Daemon::stop() {
  server_.stop_accepting();
  const bool drained = server_.drain(kDrain);
  if (!drained) {
    log_.write(Level::kWarning, "resp.drain", "some connections were closed before they were done");
  }
  if (!owner_) return;
  auto left = std::make_shared<std::promise<void>>();
  std::future<void> done = left->get_future();
  owner_->hand_over(kRelease, [left] { left->set_value(); });
  if (done.wait_for(kRelease + std::chrono::seconds(2)) != std::future_status::ready) {
    log_.write(Level::kError, "owner.leave",
               "the store did not answer in time: what was not released becomes a gap");
  }
  sequencer_.stop();
  executor_.stop();
}

void Daemon::on_event(Severity severity, const char* name, const std::string& text) noexcept {
  static constexpr Level kLevels[] = {Level::kInfo, Level::kWarning, Level::kError};
  log_.write(kLevels[static_cast<std::size_t>(severity)], name, text);
}

void Daemon::on_fatal(const std::string& text) noexcept {
  log_.write(Level::kError, "store.mismatch", text);
  end_();
}

std::string Daemon::role() const {
  if (lease_.slot_count() > 0) {
    return lease_.valid_at(clock_.boot_now()) ? "owner" : "owner, lease lapsed";
  }
  return situation_.facts([](const Situation::Facts& f) { return f.prepared; }) ? "standby"
                                                                                : "starting";
}

resp::Numbers::Place Daemon::place(const ConvId& conv) const {
  Place place;
  place.slot = slot_of(conv);
  place.owner = situation_.facts([](const Situation::Facts& f) { return f.owner_name; });
  for (const SlotBelief& held : lease_.held_slots()) {
    if (held.slot == place.slot) place.epoch = held.epoch;
  }
  return place;
}

resp::InfoText Daemon::route() const {
  return {{"current", "segment"},
          {"mode", settings_.route.mode},
          {"reason", "this version has the segment route only"},
          {"since", ""}};
}

resp::InfoText Daemon::info() const {
  const Situation::Facts facts = situation_.facts();
  resp::InfoText lines = {
      {"role", role()},
      {"node", facts.own_name},
      {"owner", facts.owner_name},
      {"owner_address", facts.owner_address},
      {"slots_owned", std::to_string(lease_.slot_count())},
      {"store", facts.store_server},
      {"store_up", situation_.store_up() ? "1" : "0"},
      {"store_durable", facts.durable ? "1" : "0"},
      {"store_trouble", facts.store_trouble()},
      {"resident_conversations", std::to_string(sequencer_.resident())},
      {"waiting_requests", std::to_string(sequencer_.waiting())},
      {"issued_numbers", std::to_string(sequencer_.issued())},
      {"reserved_numbers", std::to_string(stats_.reserved_numbers.load())},
      {"reserved_intervals", std::to_string(stats_.reserved_intervals.load())},
      {"released_conversations", std::to_string(stats_.released_conversations.load())},
      {"waited", std::to_string(stats_.waited.load())},
      {"wait_expired", std::to_string(stats_.wait_expired.load())},
      {"takeovers", std::to_string(stats_.takeovers.load())},
      {"lease_lapses", std::to_string(stats_.lease_lapses.load())},
      {"lost_commits", std::to_string(stats_.lost_commits.load())},
      {"invariant_violations", std::to_string(stats_.invariant_violations.load())},
  };
  for (std::size_t i = 0; i < kGapReasonNames.size(); ++i) {
    lines.emplace_back(std::string("gap_numbers_") + kGapReasonNames[i],
                       std::to_string(stats_.gap_numbers[i].load()));
  }
  for (std::size_t i = 0; i < kUnitResultNames.size(); ++i) {
    lines.emplace_back(std::string("store_units_") + kUnitResultNames[i],
                       std::to_string(stats_.units[i].load()));
  }
  // Clients read INFO as one flat map: `role` must stay Redis's own.
  for (auto& line : lines) line.first.insert(0, "seqd_");
  return lines;
}

}  // namespace seqd::app
