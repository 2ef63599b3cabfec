#include "app/http_front.h"

#include <utility>
#include <variant>

#include "adapters/yaml/fields.h"

namespace seqd::app {
namespace {

using http::Json;

constexpr Duration kPatience = std::chrono::seconds(2);

struct AsJson {
  Settings& settings;
  Json operator()(const yaml::Text& f) const { return f.of(settings); }
  Json operator()(const yaml::Choice& f) const { return f.of(settings); }
  Json operator()(const yaml::Integer& f) const { return Json::number(f.of(settings)); }
  Json operator()(const yaml::Real& f) const { return std::to_string(f.of(settings)); }
  Json operator()(const yaml::Flag& f) const { return f.of(settings); }
  Json operator()(const yaml::List& f) const {
    const std::vector<std::string>& texts = f.of(settings);
    return Json::Array(texts.begin(), texts.end());
  }
};

/// A value of the configuration; secrets are not among them, only the names of their files.
Json value_of(const yaml::Field& field, Settings& settings) {
  return std::visit(AsJson{settings}, field.shape);
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

HttpFront::HttpFront(const Settings& settings, const std::string& token, Daemon& daemon,
                     Reloader& reloader, Log& log)
    : daemon_(daemon),
      reloader_(reloader),
      log_(log),
      address_(settings.http.listen),
      metrics_(sources(), daemon.stats(), daemon.situation()),
      server_(settings.http, token, *this, settings.segment.max_batch,
              [&log](std::string_view text) { log.write(Level::kWarning, "http", text); }) {}

void HttpFront::observe_reservation(Duration took) { reservations_.observe(took); }

void HttpFront::start() {
  const Result<Done> listening = server_.listen();
  if (!listening.ok()) {
    log_.write(Level::kError, "http.failed",
               listening.error().message + "; numbers are served, health and metrics are not");
    return;
  }
  listening_ = true;
  server_.start();
  const std::string host = address_.substr(0, address_.rfind(':'));
  log_.write(Level::kInfo, "http.listening",
             "listening on " + host + ":" + std::to_string(server_.port()));
}

void HttpFront::stop() {
  if (listening_) (void)server_.stop(kPatience);
}

TakeResult HttpFront::take(const ConvId& conv, std::int64_t n, AnswerSink* sink,
                           std::uint64_t token) {
  return daemon_.sequencer().take(conv, n, sink, token);
}

PeekResult HttpFront::peek(const ConvId& conv, AnswerSink* sink, std::uint64_t token) {
  return daemon_.sequencer().peek(conv, sink, token);
}

std::string HttpFront::refusal_text(Refusal why) const {
  return daemon_.sequencer().refusal_text(why);
}

http::Placement HttpFront::placement(const ConvId& conv) const {
  const resp::Numbers::Place place = daemon_.place(conv);
  return {"segment", std::nullopt, place.slot, place.owner, place.epoch};
}

Json HttpFront::status() const {
  const Situation::Facts facts = daemon_.situation().facts();
  const Settings settings = reloader_.active();
  const bool owns = daemon_.lease().slot_count() > 0;
  return Json::Object{
      {"route", Json::Object{{"current", "segment"},
                             {"mode", settings.route.mode},
                             {"reason", "this version has the segment route only"},
                             {"since", Json()},
                             {"history", Json::Array{}}}},
      {"redis", Json()},
      {"store", Json::Object{{"up", daemon_.situation().store_up()},
                             {"server", or_null(facts.store_server)},
                             {"durable", facts.durable},
                             {"trouble", or_null(facts.store_trouble())}}},
      {"owner", Json::Object{{"node", or_null(facts.own_name)},
                             {"role", daemon_.role()},
                             {"owner", or_null(facts.owner_name)},
                             {"address", or_null(facts.owner_address)},
                             {"slots", Json::number(daemon_.lease().slot_count())},
                             {"lease_valid", owns && daemon_.lease().valid_at(boot_now())}}},
      {"worker", Json()},
      {"reload",
       Json::Object{{"last_successful", reloader_.last_successful()},
                    {"last_success_unix_ms", Json::number(reloader_.last_success_unix_ms())}}},
  };
}

Json HttpFront::config() const {
  Settings settings = reloader_.active();
  Json::Object sections;
  Json::Object section;
  std::string name;
  const auto close = [&] {
    if (!name.empty()) sections.emplace_back(name, std::exchange(section, {}));
  };
  for (const yaml::Field& field : yaml::fields()) {
    if (field.section() != name) {
      close();
      name = field.section();
    }
    section.emplace_back(std::string(field.name()), value_of(field, settings));
  }
  close();
  return sections;
}

std::vector<http::Check> HttpFront::ready_checks() const {
  const Situation::Facts facts = daemon_.situation().facts();
  const SlotLease& lease = daemon_.lease();
  const bool up = daemon_.situation().store_up();
  std::string owner_trouble;
  if (lease.slot_count() == 0) {
    owner_trouble =
        daemon_.sequencer().refusal_text(facts.prepared ? Refusal::kNotOwner : Refusal::kStarting);
  } else if (!lease.valid_at(boot_now())) {
    owner_trouble = daemon_.sequencer().refusal_text(Refusal::kLeaseLapsed);
  }
  return {
      {"store", up && facts.prepared, up && facts.prepared ? "" : facts.store_trouble()},
      {"owner", owner_trouble.empty(), owner_trouble},
      {"running", !stopping_.load(), stopping_.load() ? "the daemon is shutting down" : ""},
  };
}

http::ReloadOutcome HttpFront::reload() {
  const Result<std::string> done = reloader_.reload();
  if (!done.ok()) return {false, done.error().message};
  return {true, done->empty() ? "nothing has changed" : *done};
}

prometheus::Sources HttpFront::sources() {
  prometheus::Sources s;
  s.version = SEQD_VERSION;
  s.listener = [this](std::size_t listener) {
    prometheus::ListenerCounts c;
    if (listener == 0) {
      const resp::ServerStats stats = daemon_.resp_stats();
      c.connections = static_cast<std::int64_t>(stats.connected);
      c.accepted = static_cast<std::int64_t>(stats.accepted);
      c.rejected = static_cast<std::int64_t>(stats.rejected);
      c.received_bytes = static_cast<std::int64_t>(stats.bytes_in);
      c.sent_bytes = static_cast<std::int64_t>(stats.bytes_out);
    } else {
      const http::ServerStats& stats = server_.stats();
      c.connections = stats.connected.load();
      c.accepted = stats.accepted.load();
      c.rejected = stats.rejected.load();
      c.received_bytes = stats.bytes_in.load();
      c.sent_bytes = stats.bytes_out.load();
    }
    return c;
  };
  s.commands = {"incr", "get", "other"};  // by place in resp::Asked
  s.command_count = [this](std::size_t command, std::size_t result) {
    return static_cast<std::int64_t>(daemon_.resp_stats().results[command][result]);
  };
  s.reservation_durations = [this] { return reservations_.look(); };
  s.waiters = [this] { return static_cast<double>(daemon_.sequencer().waiting()); };
  s.resident = [this] { return static_cast<double>(daemon_.sequencer().resident()); };
  s.issued = [this] { return static_cast<double>(daemon_.sequencer().issued()); };
  s.owned_slots = [this] { return static_cast<double>(daemon_.lease().slot_count()); };
  s.lease_age_seconds = [this] {
    return std::chrono::duration<double>(daemon_.lease().age(boot_now())).count();
  };
  s.reload_ok = [this] { return reloader_.last_successful() ? 1.0 : 0.0; };
  s.reload_unix_seconds = [this] {
    return static_cast<double>(reloader_.last_success_unix_ms()) / 1000.0;
  };
  s.log_dropped = [this] { return static_cast<double>(log_.dropped()); };
  return s;
}

}  // namespace seqd::app
