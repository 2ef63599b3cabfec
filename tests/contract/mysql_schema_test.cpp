// What prepare() finds out about a server: tables, settings, grants.
#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "adapters/mysql/schema.h"
#include "adapters/sqlite/schema.h"
#include "contract/worlds.h"

namespace seqd::contract {
namespace {

mysql::Access root_access() { return mariadb_access(shared_mariadb().port(), "admin"); }

Code code_of(const auto& result) { return result ? Code{255} : result.error().code; }

bool says(const auto& result, const std::string& text) {
  return !result && result.error().message.find(text) != std::string::npos;
}

/// Sets a global variable for as long as it lives.
class Global {
 public:
  Global(std::string name, const std::string& value)
      : root_(root_access(), mysql::Connection::Use::kRead), name_(std::move(name)) {
    const mysql::Rows rows = must(root_.read("SELECT @@global." + name_));
    former_ = rows[0][0].value_or("");
    must(root_.exec("SET GLOBAL " + name_ + " = " + value));
  }
  ~Global() {
    const bool text =
        former_.empty() || former_.find_first_not_of("0123456789.") != std::string::npos;
    if (root_.open()) {
      (void)root_.exec("SET GLOBAL " + name_ + " = " + (text ? "'" + former_ + "'" : former_));
    }
  }
  Global(const Global&) = delete;
  Global& operator=(const Global&) = delete;

 private:
  mysql::Connection root_;
  std::string name_;
  std::string former_;
};

TEST_CASE("settings of the server that would break a session are overridden or refused") {
  MariadbWorld world;
  const std::string ids = "seq_counter";
  SUBCASE("autocommit off by default") {
    Global off("autocommit", "0");
    Daemon<MariadbWorld> a(world, "a");
    a.claim();
    a.create({{"c1", 7, 0, 10}});
  }
  SUBCASE("autocommit off by init_connect") {
    Global off("init_connect", "'SET autocommit=0'");
    Daemon<MariadbWorld> a(world, "a");
    a.claim();
    a.create({{"c1", 7, 0, 10}});
  }
  SUBCASE("a lax sql_mode") {
    Global lax("sql_mode", "''");
    Daemon<MariadbWorld> a(world, "a");
    a.claim();
    a.create({{"c1", 7, 0, 10}});
    const auto cut =
        a.counters->create(a.head({7}), std::vector<NewCounter>{{std::string(65, 'x'), 7, 0, 10}});
    CHECK_FALSE(cut.ok());
  }
  if (world.counter("c1")) CHECK(world.counter("c1")->max_seq == 10);
}

TEST_CASE("a session reads back what it set") {
  MariadbWorld world;
  mysql::Access access = world.access();
  access.ttl = std::chrono::milliseconds(7000);
  mysql::Connection connection(access, mysql::Connection::Use::kWrite);
  must(connection.open());
  const mysql::Rows rows = must(connection.query(
      "SELECT @@autocommit, @@tx_isolation, @@innodb_lock_wait_timeout, @@lock_wait_timeout, "
      "@@wait_timeout, @@max_statement_time, @@character_set_client"));
  const mysql::Row& row = rows.front();
  CHECK(row[0] == "1");
  CHECK(row[1] == "READ-COMMITTED");
  CHECK(row[2] == "1");
  CHECK(row[3] == "1");
  CHECK(row[4] == "3");
  CHECK(row[5]->substr(0, 3) == "1.8");
  CHECK(row[6] == "utf8mb4");
}

TEST_CASE("a setting that loses commits is warned of, and does not refuse the store") {
  MariadbWorld world;
  CHECK(must(world.leases()->prepare()).durable);
  Global lossy("innodb_flush_log_at_trx_commit", "2");
  const StoreCheck check = must(world.leases()->prepare());
  CHECK_FALSE(check.durable);
  REQUIRE(check.warnings.size() == 1);
  CHECK(check.warnings[0].find("innodb_flush_log_at_trx_commit is 2") != std::string::npos);
  CHECK(check.server.rfind("MariaDB 1", 0) == 0);
}

TEST_CASE("tables that differ are refused with the column, what it is and what it should be") {
  MariadbWorld world;
  const auto refused = [&](const std::string& change, const std::string& text) {
    CAPTURE(change);
    world.sql(change);
    const auto prepared = world.leases()->prepare();
    CHECK(code_of(prepared) == Code::kRefused);
    CHECK(says(prepared, text));
    CAPTURE(prepared.error().message);
  };
  SUBCASE("engine") {
    refused("ALTER TABLE seq_owner ENGINE=MyISAM", "seq_owner has ENGINE=MyISAM");
    refused("ALTER TABLE seq_owner ENGINE=Aria", "seq_owner has ENGINE=Aria");
  }
  SUBCASE("collation") {
    refused("ALTER TABLE seq_counter MODIFY conv_id VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL",
            "seq_counter.conv_id is varchar(64) NOT NULL PRIMARY KEY, expected varbinary(64)");
  }
  SUBCASE("length") {
    refused("ALTER TABLE seq_counter MODIFY conv_id VARBINARY(32) NOT NULL", "varbinary(32)");
  }
  SUBCASE("sign") {
    refused("ALTER TABLE seq_counter MODIFY max_seq BIGINT UNSIGNED NOT NULL DEFAULT 0",
            "seq_counter.max_seq is bigint unsigned NOT NULL, expected bigint NOT NULL");
  }
  SUBCASE("null") {
    refused("ALTER TABLE seq_counter MODIFY cur_seq BIGINT NOT NULL DEFAULT 0",
            "seq_counter.cur_seq is bigint NOT NULL, expected bigint NULL");
  }
  SUBCASE("key") { refused("ALTER TABLE seq_slot DROP PRIMARY KEY", "seq_slot.slot"); }
  SUBCASE("missing") {
    refused("ALTER TABLE seq_counter DROP COLUMN bump_seen", "seq_counter.bump_seen is missing");
  }
}

TEST_CASE(
    "an account that may not create tables is told which file to run, and needs no more than the "
    "grants file") {
  MariadbWorld world;
  mysql::Connection root(root_access(), mysql::Connection::Use::kWrite);
  must(root.open());
  must(root.exec("CREATE USER IF NOT EXISTS 'least'@'%' IDENTIFIED BY 'least'"));
  must(root.exec("GRANT SELECT ON seqd.im_message TO 'least'@'%'"));
  mysql::Access access = world.access();
  access.store.user = "least";
  access.password = "least";
  SUBCASE("no tables") {
    must(root.exec("DROP TABLE seq_meta, seq_owner, seq_slot, seq_counter, msg_worker"));
    mysql::MysqlLeaseStore leases(access, kPrefix);
    const auto prepared = leases.prepare();
    CHECK(code_of(prepared) == Code::kRefused);
    CHECK(says(prepared, "sql/schema_mysql.sql"));
  }
  SUBCASE("least privilege") {
    std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../sql/grants.sql");
    std::string line;
    int grants = 0;
    while (std::getline(file, line)) {
      if (line.rfind("GRANT", 0) != 0 || line.find("'seqd'@") == std::string::npos) continue;
      must(root.exec(std::regex_replace(line, std::regex("'seqd'@'%';"), "'least'@'%'")));
      ++grants;
    }
    CHECK(grants == 5);
    must(root.exec("DELETE FROM seq_slot"));
    must(root.exec("DELETE FROM seq_meta"));
    mysql::MysqlLeaseStore leases(access, kPrefix);
    must(leases.prepare());
    OwnerRow row;
    row.owner = "l";
    must(leases.enrol(row));
    UnitHead head;
    head.owner = "l";
    const ClaimReport claimed = must(leases.claim(head, 0));
    CHECK(claimed.ours.size() == kSlotCount);
    head.belief.known = claimed.unit.stamp;
    head.slots.push_back(SlotBelief{7, claimed.ours[7].epoch, 0});
    mysql::MysqlCounterStore counters(access);
    must(counters.create(head, std::vector<NewCounter>{{"c1", 7, 0, 10}}));
    must(leases.resign("l"));
  }
  must(root.exec("DROP USER 'least'@'%'"));
}

TEST_CASE("a message query is refused without its one placeholder, and warned of when it scans") {
  MariadbWorld world;
  for (int i = 1; i <= 200; ++i) world.message("c" + std::to_string(i), i);
  CHECK(mysql::placeholders("SELECT '?', \"?\", `?` /* ? */ FROM t WHERE a = ? -- ?\n # ?") == 1);
  for (const char* query : {"SELECT MAX(seq) FROM im_message",
                            "SELECT MAX(seq) FROM im_message WHERE conv_id = ? OR conv_id = ?"}) {
    mysql::MysqlHistory history(world.access(), query);
    CHECK(code_of(history.max_seq(std::vector<std::string>{"c1"})) == Code::kRefused);
  }
  mysql::MysqlHistory good(world.access(), kHistoryQuery);
  CHECK(must(good.explain()).empty());
  mysql::MysqlHistory bad(world.access(),
                          "SELECT MAX(seq) FROM im_message WHERE CONCAT(conv_id, '') = ?");
  CHECK(must(bad.explain()).find("reads all of im_message") != std::string::npos);
  CHECK(must(bad.max_seq(std::vector<std::string>{"c9"})) == std::vector<std::int64_t>{9});
  mysql::MysqlHistory gone(world.access(), "SELECT MAX(seq) FROM no_table WHERE conv_id = ?");
  CHECK_FALSE(gone.max_seq(std::vector<std::string>{"c1"}).ok());
  mysql::MysqlHistory negative(world.access(), "SELECT -1 FROM im_message WHERE conv_id = ?");
  CHECK_FALSE(negative.max_seq(std::vector<std::string>{"c1"}).ok());
  // An article-style column: the query uses its index too.
  world.sql("ALTER TABLE im_message MODIFY conv_id VARCHAR(64) CHARACTER SET utf8mb4 NOT NULL");
  mysql::MysqlHistory text(world.access(), kHistoryQuery);
  CHECK(must(text.explain()).empty());
  CHECK(must(text.max_seq(std::vector<std::string>{"c9"})) == std::vector<std::int64_t>{9});
}

std::string plain(std::string sql) {
  sql = std::regex_replace(sql, std::regex("--[^\n]*"), "");
  sql = std::regex_replace(sql, std::regex("\\s+"), " ");
  return std::regex_replace(sql, std::regex("^ | (?=;)|(;) | $"), "$1");
}

TEST_CASE("the embedded schema is the one in sql/") {
  const auto compare = [](const char* name, std::span<const std::string_view> statements) {
    std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../sql" / name);
    std::ostringstream text;
    text << file.rdbuf();
    std::string embedded;
    for (const std::string_view statement : statements) embedded += std::string(statement) + ";\n";
    CHECK(plain(text.str()) == plain(embedded));
    CHECK(statements.size() == 5);
  };
  compare("schema_mysql.sql", mysql::schema_statements());
  compare("schema_sqlite.sql", sqlite::schema_statements());
}

TEST_CASE("the message table of sql/ stands on the server") {
  MariadbWorld world;
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../sql/im_message.sql");
  std::ostringstream text;
  text << file.rdbuf();
  world.sql("DROP TABLE im_message");
  std::string sql = plain(text.str());
  sql.erase(sql.rfind(';'));
  world.sql(sql);
  world.message("c1", 3);
  CHECK(must(world.history()->max_seq(std::vector<std::string>{"c1"}))[0] == 3);
}

}  // namespace
}  // namespace seqd::contract
