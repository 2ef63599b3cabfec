#include <array>

#include "adapters/sqlite/schema.h"

namespace seqd::sqlite {
namespace {

// Without comments; what a column means stands in sql/schema_mysql.sql.
constexpr std::array<std::string_view, 5> kStatements = {
    R"sql(CREATE TABLE IF NOT EXISTS seq_meta (
  id INTEGER NOT NULL DEFAULT 1 PRIMARY KEY,
  schema_version INTEGER NOT NULL DEFAULT 1,
  slot_count INTEGER NOT NULL DEFAULT 1024,
  hash_name BLOB NOT NULL DEFAULT x'',
  key_prefix BLOB NOT NULL DEFAULT x''
  ))sql",

    R"sql(CREATE TABLE IF NOT EXISTS seq_owner (
  owner BLOB NOT NULL PRIMARY KEY,
  announce BLOB NOT NULL DEFAULT x'',
  host BLOB NOT NULL DEFAULT x'',
  beat INTEGER NOT NULL DEFAULT 0,
  resv_no INTEGER NOT NULL DEFAULT 0,
  ttl_ms INTEGER NOT NULL DEFAULT 0,
  fenced INTEGER NOT NULL DEFAULT 0,
  sole INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID)sql",

    R"sql(CREATE TABLE IF NOT EXISTS seq_slot (
  slot INTEGER NOT NULL PRIMARY KEY,
  owner BLOB NULL DEFAULT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  bump INTEGER NOT NULL DEFAULT 0
  ))sql",

    R"sql(CREATE TABLE IF NOT EXISTS seq_counter (
  conv_id BLOB NOT NULL PRIMARY KEY CHECK (typeof(conv_id) = 'blob'),
  slot INTEGER NOT NULL DEFAULT 0,
  max_seq INTEGER NOT NULL DEFAULT 0 CHECK (max_seq BETWEEN 0 AND 9007199254740991),
  cur_seq INTEGER NULL DEFAULT NULL,
  issued_seq INTEGER NOT NULL DEFAULT 0,
  bump_seen INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID)sql",

    R"sql(CREATE TABLE IF NOT EXISTS msg_worker (
  worker_id INTEGER NOT NULL PRIMARY KEY,
  owner BLOB NULL DEFAULT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  beat INTEGER NOT NULL DEFAULT 0,
  time_ceiling_ms INTEGER NOT NULL DEFAULT 0
  ))sql"};

}  // namespace

std::span<const std::string_view> schema_statements() { return kStatements; }

}  // namespace seqd::sqlite
