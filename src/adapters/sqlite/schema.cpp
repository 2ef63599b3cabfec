#include "adapters/sqlite/schema.h"

#include <sqlite3.h>

#include <array>
#include <map>

#include "core/ownership.h"

namespace seqd::sqlite {
namespace {

struct Column {
  std::string_view table;
  std::string_view name;
  std::string_view type;
  bool key = false;
};

constexpr std::array kColumns = {
    Column{"seq_meta", "id", "INTEGER", true},
    Column{"seq_meta", "schema_version", "INTEGER"},
    Column{"seq_meta", "slot_count", "INTEGER"},
    Column{"seq_meta", "hash_name", "BLOB"},
    Column{"seq_meta", "key_prefix", "BLOB"},
    Column{"seq_owner", "owner", "BLOB", true},
    Column{"seq_owner", "announce", "BLOB"},
    Column{"seq_owner", "host", "BLOB"},
    Column{"seq_owner", "beat", "INTEGER"},
    Column{"seq_owner", "resv_no", "INTEGER"},
    Column{"seq_owner", "ttl_ms", "INTEGER"},
    Column{"seq_owner", "fenced", "INTEGER"},
    Column{"seq_owner", "sole", "INTEGER"},
    Column{"seq_owner", "updated_at", "INTEGER"},
    Column{"seq_slot", "slot", "INTEGER", true},
    Column{"seq_slot", "owner", "BLOB"},
    Column{"seq_slot", "epoch", "INTEGER"},
    Column{"seq_slot", "bump", "INTEGER"},
    Column{"seq_counter", "conv_id", "BLOB", true},
    Column{"seq_counter", "slot", "INTEGER"},
    Column{"seq_counter", "max_seq", "INTEGER"},
    Column{"seq_counter", "cur_seq", "INTEGER"},
    Column{"seq_counter", "issued_seq", "INTEGER"},
    Column{"seq_counter", "bump_seen", "INTEGER"},
    Column{"seq_counter", "updated_at", "INTEGER"},
    Column{"msg_worker", "worker_id", "INTEGER", true},
    Column{"msg_worker", "owner", "BLOB"},
    Column{"msg_worker", "epoch", "INTEGER"},
    Column{"msg_worker", "beat", "INTEGER"},
    Column{"msg_worker", "time_ceiling_ms", "INTEGER"},
};

Result<Done> check_columns(Database& database) {
  std::map<std::string, Row> found;
  for (const char* table : {"seq_meta", "seq_owner", "seq_slot", "seq_counter", "msg_worker"}) {
    Result<Rows> rows =
        database.run("SELECT name, type, pk FROM pragma_table_info(?1)", {Text{table}});
    if (!rows) return rows.error();
    for (const Row& row : *rows) found[std::string(table) + "." + bytes(row[0])] = row;
  }
  for (const Column& column : kColumns) {
    const std::string name = std::string(column.table) + "." + std::string(column.name);
    const auto text = [](const std::string& type, bool key) {
      return type + (key ? " PRIMARY KEY" : "");
    };
    const std::string wanted = text(std::string(column.type), column.key);
    const auto row = found.find(name);
    const std::string actual =
        row == found.end() ? "missing" : text(bytes(row->second[1]), number(row->second[2]) == 1);
    if (actual == wanted) continue;
    return Error{Code::kRefused, database.path() + ": the column " + name + " is " + actual +
                                     ", expected " + wanted + ": see sql/schema_sqlite.sql"};
  }
  return Done{};
}

Result<Done> check_meta(Database& database, const std::string& key_prefix) {
  Result<Rows> rows = database.run(
      "INSERT OR IGNORE INTO seq_meta (id, schema_version, slot_count, hash_name, key_prefix) "
      "VALUES (1, ?1, ?2, ?3, ?4)",
      {std::int64_t{kSchemaVersion}, std::int64_t{kSlotCount}, std::string(kHashName), key_prefix});
  if (!rows) return rows.error();
  rows = database.run(
      "SELECT schema_version, slot_count, hash_name, key_prefix FROM seq_meta WHERE id = 1");
  if (!rows) return rows.error();
  if (rows->empty()) return Error{Code::kRefused, database.path() + ": seq_meta takes no row"};
  const Row& row = rows->front();
  const std::array<std::array<std::string, 3>, 4> pairs = {{
      {"schema_version", std::to_string(number(row[0])), std::to_string(kSchemaVersion)},
      {"slot_count", std::to_string(number(row[1])), std::to_string(kSlotCount)},
      {"hash_name", bytes(row[2]), std::string(kHashName)},
      {"key_prefix", bytes(row[3]), key_prefix},
  }};
  for (const auto& [name, theirs, ours] : pairs) {
    if (theirs == ours) continue;
    return Error{Code::kMismatch, database.path() + ": seq_meta." + name + " is '" + theirs +
                                      "' in the store, and this daemon has '" + ours +
                                      "': it belongs to another fleet"};
  }
  return Done{};
}

Result<Done> prepare_rows(Database& database, const std::string& key_prefix) {
  for (const std::string_view statement : schema_statements()) {
    if (Result<Rows> done = database.run(std::string(statement)); !done) return done.error();
  }
  if (Result<Done> done = check_columns(database); !done) return done;
  if (Result<Done> done = check_meta(database, key_prefix); !done) return done;
  return put_back_slots(database, 0);
}

}  // namespace

Result<Done> put_back_slots(Database& database, std::int64_t epoch) {
  Result<Rows> count = database.run("SELECT COUNT(*) FROM seq_slot");
  if (!count) return count.error();
  if (number(count->front()[0]) >= kSlotCount) return Done{};
  for (int slot = 0; slot < kSlotCount; ++slot) {
    Result<Rows> put = database.run("INSERT OR IGNORE INTO seq_slot (slot, epoch) VALUES (?1, ?2)",
                                    {std::int64_t{slot}, epoch});
    if (!put) return put.error();
  }
  return Done{};
}

Result<StoreCheck> prepare_schema(Database& database, const std::string& key_prefix) {
  if (Result<Done> begun = database.begin(); !begun) return begun.error();
  if (Result<Done> done = prepare_rows(database, key_prefix); !done) {
    database.close();
    return done.error();
  }
  if (Result<Done> done = database.send_commit(); !done) return done.error();
  // open() refuses a file whose journal is not WAL with synchronous=FULL, as read back.
  return StoreCheck{std::string("SQLite ") + sqlite3_libversion(), true, {}};
}

}  // namespace seqd::sqlite
