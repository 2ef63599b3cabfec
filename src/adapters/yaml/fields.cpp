#include "adapters/yaml/fields.h"

#include <algorithm>

#include "adapters/yaml/text_rules.h"

namespace seqd::yaml {
namespace {

/// A member of a member, as one plain function pointer.
template <auto Section, auto Member>
constexpr auto& at(Settings& settings) {
  return settings.*Section.*Member;
}

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kWeekSeconds = 604'800;
constexpr std::int64_t kYear2100Ms = 4'102'444'800'000;
constexpr std::int64_t kBillion = 1'000'000'000;

using S = Settings;
using enum Reload;
constexpr auto kActs = Effect::kYes;
constexpr auto kIdle = Effect::kNone;

constexpr Field kFields[] = {
    {"node.id", Text{at<&S::node, &NodeSettings::id>, node_name}, kNo, kActs,
     "Name of this daemon in the store; empty = the host's name."},
    {"node.announce", Text{at<&S::node, &NodeSettings::announce>, optional_address}, kNo, kActs,
     "host:port that clients of a stand-by are sent to; empty = resp.listen."},

    {"resp.listen", Text{at<&S::resp, &RespSettings::listen>, listen_address}, kNo, kActs,
     "Where Redis clients connect."},
    {"resp.threads", Integer{at<&S::resp, &RespSettings::threads>, 0, 256}, kNo, kActs,
     "Event loops; 0 = one for each core."},
    {"resp.max_clients", Integer{at<&S::resp, &RespSettings::max_clients>, 1, 1'000'000}, kNo,
     kActs, "Connections served at a time; more are refused with an error."},
    {"resp.password_file", Text{at<&S::resp, &RespSettings::password_file>, one_line}, kNo, kActs,
     "File whose first line is the password that clients AUTH with; empty = no password."},
    {"resp.key_prefix", Text{at<&S::resp, &RespSettings::key_prefix>, key_prefix}, kNo, kActs,
     "What precedes the conversation id in a key; fixed for the life of a store."},

    {"http.listen", Text{at<&S::http, &HttpSettings::listen>, listen_address}, kNo, kActs,
     "Where the HTTP interface listens."},
    {"http.threads", Integer{at<&S::http, &HttpSettings::threads>, 1, 256}, kNo, kActs,
     "HTTP requests served at a time."},
    {"http.token_file", Text{at<&S::http, &HttpSettings::token_file>, one_line}, kNo, kActs,
     "File whose first line is the bearer token of HTTP requests; empty = no token."},

    {"store.driver", Choice{at<&S::store, &StoreSettings::driver>, "sqlite|mysql"}, kNo, kActs,
     "Where numbers are reserved: a file on this host, or a MySQL or MariaDB server."},
    {"store.path", Text{at<&S::store, &StoreSettings::path>, some_line}, kNo, kActs,
     "sqlite: the database file, on a local filesystem."},
    {"store.host", Text{at<&S::store, &StoreSettings::host>, host_name}, kNo, kActs,
     "mysql: host name or IP address of the server."},
    {"store.port", Integer{at<&S::store, &StoreSettings::port>, 1, 65535}, kNo, kActs,
     "mysql: TCP port of the server."},
    {"store.user", Text{at<&S::store, &StoreSettings::user>, one_line}, kNo, kActs,
     "mysql: account to log in with."},
    {"store.password_file", Text{at<&S::store, &StoreSettings::password_file>, one_line}, kNo,
     kActs, "mysql: file whose first line is the account's password; empty = none."},
    {"store.schema", Text{at<&S::store, &StoreSettings::schema>, schema_name}, kNo, kActs,
     "mysql: the database that holds the tables."},
    {"store.connections", Integer{at<&S::store, &StoreSettings::connections>, 1, 64}, kNo, kActs,
     "mysql: connections for reservations, beside the one of the lease."},
    {"store.timeout_ms", Integer{at<&S::store, &StoreSettings::timeout_ms>, 10, 60'000}, kNo, kActs,
     "Longest wait for one answer of the store."},
    {"store.tls_ca_file", Text{at<&S::store, &StoreSettings::tls_ca_file>, one_line}, kNo, kActs,
     "mysql: CA that must have signed the server's certificate; empty = no TLS."},

    {"segment.step", Integer{at<&S::segment, &SegmentSettings::step>, 1, kBillion}, kYes, kActs,
     "Least amount of numbers reserved at a time for a conversation."},
    {"segment.max_step", Integer{at<&S::segment, &SegmentSettings::max_step>, 1, kBillion}, kYes,
     kActs, "Largest amount that a busy conversation's reservation grows to."},
    {"segment.cover_seconds",
     Integer{at<&S::segment, &SegmentSettings::cover_seconds>, 1, kWeekSeconds}, kYes, kActs,
     "How long a conversation's reserved numbers shall last at its present rate."},
    {"segment.prefetch_at", Real{at<&S::segment, &SegmentSettings::prefetch_at>, 0, 1}, kYes, kActs,
     "Used share of an interval at which the next one is reserved."},
    {"segment.wait_ms", Integer{at<&S::segment, &SegmentSettings::wait_ms>, 1, 60'000}, kYes, kActs,
     "Longest wait of a request for numbers before a retryable error."},
    {"segment.max_batch", Integer{at<&S::segment, &SegmentSettings::max_batch>, 1, 1'000'000}, kYes,
     kActs, "Most numbers that one request may ask for."},
    {"segment.max_resident", Integer{at<&S::segment, &SegmentSettings::max_resident>, 1, kBillion},
     kYes, kActs, "Conversations kept in memory; beyond it the idle ones are released."},

    {"route.mode", Choice{at<&S::route, &RouteSettings::mode>, "auto|redis|segment"}, kYes, kIdle,
     "Where numbers come from: by Redis's health, or pinned."},
    {"route.writers", Choice{at<&S::route, &RouteSettings::writers>, "exclusive|shared"}, kNo,
     kIdle, "Whether applications also INCR the same keys in Redis themselves."},

    {"redis.address", Text{at<&S::redis, &RedisSettings::address>, optional_address}, kNo, kIdle,
     "host:port of Redis; empty = no Redis."},
    {"redis.sentinels", List{at<&S::redis, &RedisSettings::sentinels>, remote_address}, kNo, kIdle,
     "Sentinels, host:port each, to ask for the master's address."},
    {"redis.master_name", Text{at<&S::redis, &RedisSettings::master_name>, node_name}, kNo, kIdle,
     "The master's name at the Sentinels."},
    {"redis.password_file", Text{at<&S::redis, &RedisSettings::password_file>, one_line}, kNo,
     kIdle, "File whose first line is Redis's password; empty = none."},
    {"redis.timeout_ms", Integer{at<&S::redis, &RedisSettings::timeout_ms>, 1, 60'000}, kYes, kIdle,
     "Longest wait for one answer of Redis."},
    {"redis.probe_interval_ms",
     Integer{at<&S::redis, &RedisSettings::probe_interval_ms>, 20, 60'000}, kYes, kIdle,
     "Time between two health probes."},
    {"redis.up_after", Integer{at<&S::redis, &RedisSettings::up_after>, 1, 1000}, kYes, kIdle,
     "Good probes in a row before Redis counts as up."},
    {"redis.dwell_ms", Integer{at<&S::redis, &RedisSettings::dwell_ms>, 100, kHourMs}, kYes, kIdle,
     "Least time on a route before going back to Redis; doubles while Redis flaps."},

    {"recovery.history_query",
     Text{at<&S::recovery, &RecoverySettings::history_query>, history_query}, kNo, kActs,
     "SQL with one ? that gives the highest seq of a conversation's messages; empty = not asked."},
    {"recovery.list_query", Text{at<&S::recovery, &RecoverySettings::list_query>, sql_text}, kNo,
     kIdle, "SQL that names all conversations for seqctl recover --all; empty = not possible."},
    {"recovery.jump", Integer{at<&S::recovery, &RecoverySettings::jump>, 0, kBillion}, kYes, kActs,
     "Safety distance above the highest seq found for a conversation without a row."},
    {"recovery.max_jump",
     Integer{at<&S::recovery, &RecoverySettings::max_jump>, 0, kBillion * 1000}, kYes, kIdle,
     "Largest leap above the reserved numbers that a foreign value in Redis may cause."},
    {"recovery.rollback_bump",
     Integer{at<&S::recovery, &RecoverySettings::rollback_bump>, 1, kBillion * 1000}, kYes, kActs,
     "Numbers skipped in each affected conversation after the store lost commits."},
    {"recovery.assume_new", Flag{at<&S::recovery, &RecoverySettings::assume_new>}, kYes, kActs,
     "Start unknown conversations at 1 although a recovery source cannot be read."},

    {"msgid.epoch_ms", Integer{at<&S::msgid, &MsgIdSettings::epoch_ms>, 0, kYear2100Ms}, kNo, kIdle,
     "Zero of the time in message ids, in Unix milliseconds; fixed for the life of a system."},
    {"msgid.worker_id", Text{at<&S::msgid, &MsgIdSettings::worker_id>, worker_id}, kNo, kIdle,
     "Worker id in message ids; auto = leased from the store."},
    {"msgid.datacenter_bits", Integer{at<&S::msgid, &MsgIdSettings::datacenter_bits>, 0, 10}, kNo,
     kIdle, "How many of the 10 worker bits name the data centre."},

    {"lease.ttl_ms", Integer{at<&S::lease, &LeaseSettings::ttl_ms>, 500, 600'000}, kNo, kActs,
     "How long an owner that does not renew keeps its conversations."},
    {"lease.sole", Flag{at<&S::lease, &LeaseSettings::sole>}, kNo, kActs,
     "No other daemon ever takes over by time; always so with store.driver sqlite."},

    {"log.level", Choice{at<&S::log, &LogSettings::level>, "error|warning|info|debug"}, kYes, kActs,
     "Least important lines that are written."},
    {"log.format", Choice{at<&S::log, &LogSettings::format>, "text|json"}, kNo, kActs,
     "Lines for people, or one JSON object a line."},
};

}  // namespace

std::span<const Field> fields() { return kFields; }

const Field* find_field(std::string_view key) {
  const auto* const found = std::ranges::find(kFields, key, &Field::key);
  return found == std::end(kFields) ? nullptr : found;
}

std::vector<const Field*> changed(const Settings& before, const Settings& after) {
  std::vector<const Field*> result;
  for (const Field& field : kFields) {
    if (value_text(field, before) != value_text(field, after)) result.push_back(&field);
  }
  return result;
}

}  // namespace seqd::yaml
