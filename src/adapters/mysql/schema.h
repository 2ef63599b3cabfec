// seqd's tables on the server: created where we may, compared where they are, and the settings that make them durable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "adapters/mysql/connection.h"
#include "core/ports/lease_store.h"

namespace seqd::mysql {

inline constexpr int kSchemaVersion = 1;
inline constexpr std::string_view kHashName = "crc16/16";

/// The statements of sql/schema_mysql.sql without its comments; a contract test compares the two.
std::span<const std::string_view> schema_statements();

/// LeaseStore::prepare(): server version, tables, seq_meta, slots, durability. Idempotent, also beside other daemons.
Result<StoreCheck> prepare_schema(Connection& connection, const std::string& key_prefix);

/// Inserts the rows of seq_slot that are missing, with this epoch. REQUIRES: an open connection; in or outside a unit.
Result<Done> put_back_slots(Connection& connection, std::int64_t epoch);

}  // namespace seqd::mysql
