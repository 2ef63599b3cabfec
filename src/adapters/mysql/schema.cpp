#include "adapters/mysql/schema.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "adapters/mysql/errors.h"
#include "adapters/mysql/sql_text.h"
#include "core/ownership.h"

namespace seqd::mysql {
namespace {

struct Column {
  std::string_view table;
  std::string_view name;
  std::string_view type;
  bool nullable = false;
  bool key = false;
};

constexpr std::array kColumns = {
    Column{"seq_meta", "id", "tinyint", false, true},
    Column{"seq_meta", "schema_version", "int"},
    Column{"seq_meta", "slot_count", "int"},
    Column{"seq_meta", "hash_name", "varbinary(32)"},
    Column{"seq_meta", "key_prefix", "varbinary(64)"},
    Column{"seq_owner", "owner", "varbinary(64)", false, true},
    Column{"seq_owner", "announce", "varbinary(255)"},
    Column{"seq_owner", "host", "varbinary(128)"},
    Column{"seq_owner", "beat", "bigint"},
    Column{"seq_owner", "resv_no", "bigint"},
    Column{"seq_owner", "ttl_ms", "bigint"},
    Column{"seq_owner", "fenced", "tinyint"},
    Column{"seq_owner", "sole", "tinyint"},
    Column{"seq_owner", "updated_at", "timestamp"},
    Column{"seq_slot", "slot", "smallint unsigned", false, true},
    Column{"seq_slot", "owner", "varbinary(64)", true},
    Column{"seq_slot", "epoch", "bigint"},
    Column{"seq_slot", "bump", "bigint"},
    Column{"seq_counter", "conv_id", "varbinary(64)", false, true},
    Column{"seq_counter", "slot", "smallint unsigned"},
    Column{"seq_counter", "max_seq", "bigint"},
    Column{"seq_counter", "cur_seq", "bigint", true},
    Column{"seq_counter", "issued_seq", "bigint"},
    Column{"seq_counter", "bump_seen", "bigint"},
    Column{"msg_worker", "worker_id", "smallint unsigned", false, true},
    Column{"msg_worker", "owner", "varbinary(64)", true},
    Column{"msg_worker", "epoch", "bigint"},
    Column{"msg_worker", "beat", "bigint"},
    Column{"msg_worker", "time_ceiling_ms", "bigint"},
};

constexpr const char* kTables = "('seq_meta','seq_owner','seq_slot','seq_counter','msg_worker')";
constexpr std::size_t kTableCount = 5;
constexpr const char* kFile = "sql/schema_mysql.sql";

Error refused(std::string text) { return Error{Code::kRefused, std::move(text)}; }

/// MariaDB shows "bigint(20)" where MySQL 8 shows "bigint"; the width of a number says nothing.
std::string plain_type(std::string type) {
  const std::size_t open = type.find('(');
  if (open == std::string::npos || type.compare(0, 3, "var") == 0) return type;
  const std::size_t close = type.find(')', open);
  return type.erase(open, close - open + 1);
}

/// {major, minor, patch} of "5.5.5-10.11.6-MariaDB", "8.0.36", ….
std::array<int, 3> version_of(std::string text, bool mariadb) {
  // Old MariaDB servers put this before their version for the sake of old replicas.
  if (mariadb && text.rfind("5.5.5-", 0) == 0) text.erase(0, 6);
  std::array<int, 3> version{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int& part : version) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc() || next == end || *next != '.') break;
    at = next + 1;
  }
  return version;
}

Result<Done> check_version(const Connection& connection) {
  const bool mariadb = connection.is_mariadb();
  const std::string text = connection.variable("version");
  // The first versions with SKIP LOCKED.
  const std::array<int, 3> least =
      mariadb ? std::array<int, 3>{10, 6, 0} : std::array<int, 3>{8, 0, 1};
  if (version_of(text, mariadb) >= least) return Done{};
  return refused("the server is " + text + "; seqd needs MySQL 8.0.1 or MariaDB 10.6 at least");
}

Result<std::map<std::string, std::string>> engines(Connection& connection) {
  Result<Rows> rows = connection.query(
      std::string("SELECT TABLE_NAME AS name, ENGINE AS engine FROM information_schema.TABLES "
                  "WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ") +
      kTables);
  if (!rows) return rows.error();
  std::map<std::string, std::string> found;
  for (const Row& row : *rows) found[row[0].value_or("")] = row[1].value_or("none");
  return found;
}

Result<Done> create_tables(Connection& connection) {
  for (const std::string_view statement : schema_statements()) {
    Result<std::int64_t> created = connection.exec(std::string(statement));
    if (created) continue;
    if (created.error().code == Code::kRefused) {
      return refused("seqd's tables are missing and this account may not create them: run " +
                     std::string(kFile) + " as an account that may. " + created.error().message);
    }
    return created.error();
  }
  return Done{};
}

Result<Done> check_tables(Connection& connection) {
  Result<std::map<std::string, std::string>> found = engines(connection);
  if (!found) return found.error();
  if (found->size() < kTableCount) {
    if (Result<Done> done = create_tables(connection); !done) return done;
    found = engines(connection);
    if (!found) return found.error();
  }
  if (found->size() < kTableCount) {
    return refused("some of seqd's tables are not visible: run " + std::string(kFile) +
                   " and sql/grants.sql");
  }
  for (const auto& [table, engine] : *found) {
    if (engine == "InnoDB") continue;
    return refused("the table " + table + " has ENGINE=" + engine +
                   ", which has no transactions: ALTER TABLE " + table + " ENGINE=InnoDB");
  }
  return Done{};
}

Result<Done> check_columns(Connection& connection) {
  Result<Rows> rows = connection.query(
      std::string("SELECT TABLE_NAME AS t, COLUMN_NAME AS c, COLUMN_TYPE AS y, IS_NULLABLE AS n, "
                  "COLUMN_KEY AS k FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
                  "AND TABLE_NAME IN ") +
      kTables);
  if (!rows) return rows.error();
  std::map<std::pair<std::string, std::string>, Row> found;
  for (const Row& row : *rows) found[{row[0].value_or(""), row[1].value_or("")}] = row;
  for (const Column& column : kColumns) {
    const std::string name = std::string(column.table) + "." + std::string(column.name);
    const auto row = found.find({std::string(column.table), std::string(column.name)});
    if (row == found.end()) return refused("the column " + name + " is missing: see " + kFile);
    const std::string type = plain_type(row->second[2].value_or(""));
    const bool nullable = row->second[3].value_or("") == "YES";
    const bool key = row->second[4].value_or("") == "PRI";
    const auto text = [](const std::string& of, bool is_nullable, bool is_key) {
      return of + (is_nullable ? " NULL" : " NOT NULL") + (is_key ? " PRIMARY KEY" : "");
    };
    if (type != column.type || nullable != column.nullable || key != column.key) {
      return refused("the column " + name + " is " + text(type, nullable, key) + ", expected " +
                     text(std::string(column.type), column.nullable, column.key) + ": see " +
                     kFile);
    }
  }
  return Done{};
}

Result<Done> check_meta(Connection& connection, const std::string& key_prefix) {
  const std::string select =
      "SELECT schema_version, slot_count, hash_name, key_prefix FROM seq_meta WHERE id = 1";
  Result<Rows> rows = connection.query(select);
  if (rows && rows->empty()) {
    Result<std::int64_t> inserted = connection.exec(
        "INSERT IGNORE INTO seq_meta (id, schema_version, slot_count, hash_name, key_prefix) "
        "VALUES (1," +
        std::to_string(kSchemaVersion) + "," + std::to_string(kSlotCount) + "," +
        quoted(kHashName) + "," + quoted(key_prefix) + ")");
    if (!inserted) return inserted.error();
    rows = connection.query(select);
  }
  if (!rows) return rows.error();
  if (rows->empty()) return refused("seq_meta takes no row");
  const Row& row = rows->front();
  const std::array<std::array<std::string, 3>, 4> pairs = {{
      {"schema_version", row[0].value_or(""), std::to_string(kSchemaVersion)},
      {"slot_count", row[1].value_or(""), std::to_string(kSlotCount)},
      {"hash_name", row[2].value_or(""), std::string(kHashName)},
      {"key_prefix", row[3].value_or(""), key_prefix},
  }};
  for (const auto& [name, theirs, ours] : pairs) {
    if (theirs == ours) continue;
    return Error{Code::kMismatch, "seq_meta." + name + " is '" + theirs +
                                      "' in the store, and this daemon has '" + ours +
                                      "': it belongs to another fleet"};
  }
  return Done{};
}

StoreCheck durability(const Connection& connection) {
  StoreCheck check;
  check.server = (connection.is_mariadb() ? "MariaDB " : "MySQL ") + connection.variable("version");
  const std::string flush = connection.variable("innodb_flush_log_at_trx_commit");
  if (flush != "1") {
    check.warnings.push_back("innodb_flush_log_at_trx_commit is " + flush +
                             ": a crash of the server may lose confirmed commits; set it to 1");
  }
  const std::string sync = connection.variable("sync_binlog");
  if (connection.variable("log_bin") == "ON" && sync != "1") {
    check.warnings.push_back("sync_binlog is " + sync +
                             " while log_bin is on: after a power loss replicas and crash recovery "
                             "may lack confirmed commits; set it to 1");
  }
  check.durable = check.warnings.empty();
  return check;
}

}  // namespace

Result<Done> put_back_slots(Connection& connection, std::int64_t epoch) {
  Result<Rows> rows = connection.query("SELECT slot FROM seq_slot");
  if (!rows) return rows.error();
  if (rows->size() >= static_cast<std::size_t>(kSlotCount)) return Done{};
  std::set<std::int64_t> present;
  for (const Row& row : *rows) present.insert(number(row[0]));
  std::string values;
  for (int slot = 0; slot < kSlotCount; ++slot) {
    if (present.contains(slot)) continue;
    if (!values.empty()) values += ',';
    values += "(" + std::to_string(slot) + "," + std::to_string(epoch) + ")";
  }
  if (values.empty()) return Done{};
  // IGNORE: another daemon may put them back at the same time.
  Result<std::int64_t> inserted =
      connection.exec("INSERT IGNORE INTO seq_slot (slot, epoch) VALUES " + values);
  if (!inserted) return inserted.error();
  return Done{};
}

Result<StoreCheck> prepare_schema(Connection& connection, const std::string& key_prefix) {
  // Variables are read when a connection opens, and a human may have changed one since.
  connection.close();
  Result<Done> done = connection.open();
  if (done) done = check_version(connection);
  if (done) done = check_tables(connection);
  if (done) done = check_columns(connection);
  if (done) done = check_meta(connection, key_prefix);
  if (done) done = put_back_slots(connection, 0);
  if (!done) return done.error();
  return durability(connection);
}

}  // namespace seqd::mysql
