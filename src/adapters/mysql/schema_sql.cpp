#include <array>

#include "adapters/mysql/schema.h"

namespace seqd::mysql {
namespace {

// Without comments; what a column means stands in sql/schema_mysql.sql.
constexpr std::array<std::string_view, 5> kStatements = {
    R"sql(CREATE TABLE IF NOT EXISTS seq_meta (
  id TINYINT NOT NULL DEFAULT 1,
  schema_version INT NOT NULL DEFAULT 1,
  slot_count INT NOT NULL DEFAULT 1024,
  hash_name VARBINARY(32) NOT NULL DEFAULT '',
  key_prefix VARBINARY(64) NOT NULL DEFAULT '',
  PRIMARY KEY (id)
  ) ENGINE=InnoDB)sql",

    R"sql(CREATE TABLE IF NOT EXISTS seq_owner (
  owner VARBINARY(64) NOT NULL,
  announce VARBINARY(255) NOT NULL DEFAULT '',
  host VARBINARY(128) NOT NULL DEFAULT '',
  beat BIGINT NOT NULL DEFAULT 0,
  resv_no BIGINT NOT NULL DEFAULT 0,
  ttl_ms BIGINT NOT NULL DEFAULT 0,
  fenced TINYINT NOT NULL DEFAULT 0,
  sole TINYINT NOT NULL DEFAULT 0,
  updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (owner)
  ) ENGINE=InnoDB)sql",

    R"sql(CREATE TABLE IF NOT EXISTS seq_slot (
  slot SMALLINT UNSIGNED NOT NULL,
  owner VARBINARY(64) NULL DEFAULT NULL,
  epoch BIGINT NOT NULL DEFAULT 0,
  bump BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (slot)
  ) ENGINE=InnoDB)sql",

    R"sql(CREATE TABLE IF NOT EXISTS seq_counter (
  conv_id VARBINARY(64) NOT NULL,
  slot SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  max_seq BIGINT NOT NULL DEFAULT 0,
  cur_seq BIGINT NULL DEFAULT NULL,
  issued_seq BIGINT NOT NULL DEFAULT 0,
  bump_seen BIGINT NOT NULL DEFAULT 0,
  updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (conv_id),
  CONSTRAINT seq_counter_range CHECK (max_seq BETWEEN 0 AND 9007199254740991)
  ) ENGINE=InnoDB)sql",

    R"sql(CREATE TABLE IF NOT EXISTS msg_worker (
  worker_id SMALLINT UNSIGNED NOT NULL,
  owner VARBINARY(64) NULL DEFAULT NULL,
  epoch BIGINT NOT NULL DEFAULT 0,
  beat BIGINT NOT NULL DEFAULT 0,
  time_ceiling_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (worker_id)
  ) ENGINE=InnoDB)sql"};

}  // namespace

std::span<const std::string_view> schema_statements() { return kStatements; }

}  // namespace seqd::mysql
