// seqd's tables in the SQLite file: created where they are missing, compared where they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "adapters/sqlite/database.h"
#include "core/ports/lease_store.h"

namespace seqd::sqlite {

inline constexpr int kSchemaVersion = 1;
inline constexpr std::string_view kHashName = "crc16/16";

/// The statements of sql/schema_sqlite.sql without its comments; a contract test compares the two.
std::span<const std::string_view> schema_statements();

/// LeaseStore::prepare(): tables, seq_meta, slots, in one transaction. Idempotent.
Result<StoreCheck> prepare_schema(Database& database, const std::string& key_prefix);

/// Inserts the rows of seq_slot that are missing, with this epoch. REQUIRES: a transaction.
Result<Done> put_back_slots(Database& database, std::int64_t epoch);

}  // namespace seqd::sqlite
