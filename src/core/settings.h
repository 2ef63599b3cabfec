// The configuration as plain structs (DESIGN 8): filled by adapters/yaml, read by everything else. Defaults stand here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seqd {

struct NodeSettings {
  std::string id;        ///< "" = the host's name
  std::string announce;  ///< host:port that clients are sent to; "" = resp.listen
};

struct RespSettings {
  std::string listen = "127.0.0.1:6390";
  std::int64_t threads = 0;  ///< event loops; 0 = one for each core
  std::int64_t max_clients = 10000;
  std::string password_file;
  std::string key_prefix = "seq:conv:";
};

struct HttpSettings {
  std::string listen = "127.0.0.1:8390";
  std::int64_t threads = 8;
  std::string token_file;
};

struct StoreSettings {
  std::string driver = "sqlite";  ///< sqlite | mysql
  std::string path = "seqd.db";
  std::string host;
  std::int64_t port = 3306;
  std::string user;
  std::string password_file;
  std::string schema = "seqd";
  std::int64_t connections = 2;
  std::int64_t timeout_ms = 2000;
  std::string tls_ca_file;
};

struct SegmentSettings {
  std::int64_t step = 1000;
  std::int64_t max_step = 1'000'000;
  std::int64_t cover_seconds = 900;
  double prefetch_at = 0.5;
  std::int64_t wait_ms = 1000;
  std::int64_t max_batch = 100'000;
  std::int64_t max_resident = 1'000'000;
};

struct RouteSettings {
  std::string mode = "auto";          ///< auto | redis | segment
  std::string writers = "exclusive";  ///< exclusive | shared
};

struct RedisSettings {
  std::string address;
  std::vector<std::string> sentinels;
  std::string master_name;
  std::string password_file;
  std::int64_t timeout_ms = 50;
  std::int64_t probe_interval_ms = 500;
  std::int64_t up_after = 5;
  std::int64_t dwell_ms = 10000;
};

struct RecoverySettings {
  std::string history_query;
  std::string list_query;
  std::int64_t jump = 1000;
  std::int64_t max_jump = 10'000'000;
  std::int64_t rollback_bump = 10'000'000;
  bool assume_new = false;
};

struct MsgIdSettings {
  std::int64_t epoch_ms = 1'700'000'000'000;
  std::string worker_id = "auto";
  std::int64_t datacenter_bits = 0;
};

struct LeaseSettings {
  std::int64_t ttl_ms = 10000;
  bool sole = false;  ///< always true in effect with store.driver sqlite
};

struct LogSettings {
  std::string level = "info";
  std::string format = "text";
};

struct Settings {
  NodeSettings node;
  RespSettings resp;
  HttpSettings http;
  StoreSettings store;
  SegmentSettings segment;
  RouteSettings route;
  RedisSettings redis;
  RecoverySettings recovery;
  MsgIdSettings msgid;
  LeaseSettings lease;
  LogSettings log;
};

}  // namespace seqd
