// The stores that the contract suite runs on, each with the hands of an operator: rows can be put, read and locked.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "adapters/mysql/counter_store.h"
#include "adapters/mysql/history.h"
#include "adapters/mysql/lease_store.h"
#include "adapters/mysql/sql_text.h"
#include "adapters/sqlite/counter_store.h"
#include "adapters/sqlite/history.h"
#include "adapters/sqlite/lease_store.h"
#include "fakes/memory_store.h"
#include "support/mariadb_server.h"

namespace seqd::contract {

inline constexpr const char* kPrefix = "seq:conv:";
inline constexpr const char* kHistoryQuery = "SELECT MAX(seq) FROM im_message WHERE conv_id = ?";

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message);
  return std::move(*result);
}

class MemoryWorld {
 public:
  static constexpr bool kRowLocks = true;
  static bool available() { return true; }

  std::unique_ptr<CounterStore> counters() { return std::make_unique<fakes::MemoryCounters>(db_); }
  std::unique_ptr<LeaseStore> leases() { return std::make_unique<fakes::MemoryLeases>(db_); }
  std::unique_ptr<HistorySource> history() { return std::make_unique<fakes::MemoryHistory>(db_); }

  void put_counter(const std::string& id, Slot slot, const CounterRow& row) {
    db_.edit([&](auto& tables) { tables.counters[id] = fakes::MemoryCounter{slot, row}; });
  }
  std::optional<CounterRow> counter(const std::string& id) {
    return db_.edit([&](auto& tables) -> std::optional<CounterRow> {
      const auto row = tables.counters.find(id);
      if (row == tables.counters.end()) return std::nullopt;
      return row->second.row;
    });
  }
  void set_stamp(const std::string& owner, Stamp stamp) {
    db_.edit([&](auto& tables) {
      tables.owners[owner].beat = stamp.beat;
      tables.owners[owner].resv_no = stamp.resv_no;
    });
  }
  void set_fenced(const std::string& owner) {
    db_.edit([&](auto& tables) { tables.owners[owner].fenced = true; });
  }
  void drop_owner(const std::string& owner) {
    db_.edit([&](auto& tables) { tables.owners.erase(owner); });
  }
  void set_slot(const SlotRow& row) {
    db_.edit([&](auto& tables) { tables.slots[row.slot] = row; });
  }
  void drop_slots(int from) {
    db_.edit([&](auto& tables) {
      std::erase_if(tables.slots, [&](const auto& entry) { return entry.first >= from; });
    });
  }
  void message(const std::string& id, std::int64_t seq) {
    db_.edit([&](auto& tables) { tables.history[id] = std::max(tables.history[id], seq); });
  }
  void lock_row(const std::string& id) { db_.lock_row(id); }
  void unlock_row(const std::string& id) { db_.unlock_row(id); }

 private:
  fakes::MemoryDatabase db_;
};

/// What the two SQL stores share: an operator's statements in the SQL that both speak.
template <class Store>
class SqlWorld {
 public:
  static std::string id(const std::string& bytes) { return mysql::quoted(bytes); }

  void put_counter(const std::string& conv, Slot slot, const CounterRow& row) {
    store().sql(
        "REPLACE INTO seq_counter (conv_id, slot, max_seq, cur_seq, issued_seq, bump_seen) VALUES "
        "(" +
        id(conv) + "," + std::to_string(slot) + "," + std::to_string(row.max_seq) + "," +
        (row.cur_seq ? std::to_string(*row.cur_seq) : "NULL") + "," +
        std::to_string(row.issued_seq) + "," + std::to_string(row.bump_seen) + ")");
  }
  void set_stamp(const std::string& owner, Stamp stamp) {
    store().sql("UPDATE seq_owner SET beat = " + std::to_string(stamp.beat) +
                ", resv_no = " + std::to_string(stamp.resv_no) + " WHERE owner = " + id(owner));
  }
  void set_fenced(const std::string& owner) {
    store().sql("UPDATE seq_owner SET fenced = 1 WHERE owner = " + id(owner));
  }
  void drop_owner(const std::string& owner) {
    store().sql("DELETE FROM seq_owner WHERE owner = " + id(owner));
  }
  void set_slot(const SlotRow& row) {
    store().sql("REPLACE INTO seq_slot (slot, owner, epoch, bump) VALUES (" +
                std::to_string(row.slot) + "," + (row.owner.empty() ? "NULL" : id(row.owner)) +
                "," + std::to_string(row.epoch) + "," + std::to_string(row.bump) + ")");
  }
  void drop_slots(int from) {
    store().sql("DELETE FROM seq_slot WHERE slot >= " + std::to_string(from));
  }
  void message(const std::string& conv, std::int64_t seq) {
    store().sql("INSERT INTO im_message (conv_id, seq, msg_id) VALUES (" + id(conv) + "," +
                std::to_string(seq) + "," + std::to_string(++message_id_) + ")");
  }

 private:
  Store& store() { return static_cast<Store&>(*this); }
  int message_id_ = 0;
};

class TempDir {
 public:
  TempDir() {
    std::string name = "/tmp/seqd-contract-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class SqliteWorld : public SqlWorld<SqliteWorld> {
 public:
  static constexpr bool kRowLocks = false;
  static bool available() { return true; }

  SqliteWorld() : database_(path(), std::chrono::seconds(2)) {
    must(leases()->prepare());
    sql("CREATE TABLE im_message (id INTEGER PRIMARY KEY, conv_id BLOB, seq INTEGER, msg_id "
        "INTEGER, "
        "UNIQUE (conv_id, seq))");
  }
  std::string path() const { return (dir_.path() / "seqd.db").string(); }
  std::unique_ptr<CounterStore> counters() {
    return std::make_unique<sqlite::SqliteCounterStore>(path(), std::chrono::seconds(2));
  }
  std::unique_ptr<LeaseStore> leases(const std::string& prefix = kPrefix) {
    return std::make_unique<sqlite::SqliteLeaseStore>(path(), std::chrono::seconds(2), prefix);
  }
  std::unique_ptr<HistorySource> history() {
    return std::make_unique<sqlite::SqliteHistory>(path(), std::chrono::seconds(2), kHistoryQuery);
  }
  void sql(const std::string& statement) {
    must(database_.open());
    must(database_.run(statement));
  }
  std::optional<CounterRow> counter(const std::string& conv) {
    must(database_.open());
    const sqlite::Rows rows = must(database_.run(
        "SELECT max_seq, cur_seq, issued_seq, bump_seen FROM seq_counter WHERE conv_id = " +
        id(conv)));
    if (rows.empty()) return std::nullopt;
    const sqlite::Row& row = rows.front();
    CounterRow found{sqlite::number(row[0]), std::nullopt, sqlite::number(row[2]),
                     sqlite::number(row[3])};
    if (!sqlite::is_null(row[1])) found.cur_seq = sqlite::number(row[1]);
    return found;
  }
  void lock_row(const std::string&) {}
  void unlock_row(const std::string&) {}

 private:
  TempDir dir_;
  sqlite::Database database_;
};

/// A server of MySQL's kind, and the operator's session on it.
class ServerWorld : public SqlWorld<ServerWorld> {
 public:
  static constexpr bool kRowLocks = true;

  explicit ServerWorld(const mysql::Access& access)
      : access_(access),
        operator_(access, mysql::Connection::Use::kWrite),
        locker_(access, mysql::Connection::Use::kWrite) {
    sql("DROP TABLE IF EXISTS seq_meta, seq_owner, seq_slot, seq_counter, msg_worker, im_message");
    must(leases()->prepare());
    sql("CREATE TABLE im_message (id BIGINT AUTO_INCREMENT PRIMARY KEY, conv_id VARBINARY(64) NOT "
        "NULL, seq BIGINT NOT NULL, msg_id BIGINT NOT NULL, UNIQUE KEY uk_conv_seq (conv_id, seq)) "
        "ENGINE=InnoDB");
  }

  const mysql::Access& access() const { return access_; }
  std::unique_ptr<CounterStore> counters() {
    return std::make_unique<mysql::MysqlCounterStore>(access_);
  }
  std::unique_ptr<LeaseStore> leases(const std::string& prefix = kPrefix) {
    return std::make_unique<mysql::MysqlLeaseStore>(access_, prefix);
  }
  std::unique_ptr<HistorySource> history() {
    return std::make_unique<mysql::MysqlHistory>(access_, kHistoryQuery);
  }
  void sql(const std::string& statement) {
    must(operator_.open());
    must(operator_.exec(statement));
  }
  mysql::Rows rows(const std::string& statement) { return must(operator_.read(statement)); }
  std::optional<CounterRow> counter(const std::string& conv) {
    const mysql::Rows found =
        rows("SELECT max_seq, cur_seq, issued_seq, bump_seen FROM seq_counter WHERE conv_id = " +
             id(conv));
    if (found.empty()) return std::nullopt;
    const mysql::Row& row = found.front();
    CounterRow counter{mysql::number(row[0]), std::nullopt, mysql::number(row[2]),
                       mysql::number(row[3])};
    if (row[1]) counter.cur_seq = mysql::number(row[1]);
    return counter;
  }
  void lock_row(const std::string& conv) {
    must(locker_.begin());
    must(locker_.query("SELECT 1 FROM seq_counter WHERE conv_id = " + id(conv) + " FOR UPDATE"));
  }
  void unlock_row(const std::string&) { must(locker_.send_rollback()); }
  mysql::Connection& locker() { return locker_; }

 private:
  mysql::Access access_;
  mysql::Connection operator_;
  mysql::Connection locker_;
};

/// One for the whole test process, started when it is first needed. A missing mariadbd fails the test.
inline support::MariadbServer& shared_mariadb() {
  static support::MariadbServer server;
  return server;
}

inline mysql::Access mariadb_access(int port, const std::string& user = "seqd") {
  mysql::Access access;
  access.store.driver = "mysql";
  access.store.host = "127.0.0.1";
  access.store.port = port;
  access.store.user = user;
  access.store.schema = "seqd";
  access.password = user == "admin" ? "admin" : support::MariadbServer::kPassword;
  return access;
}

class MariadbWorld : public ServerWorld {
 public:
  static bool available() { return true; }
  MariadbWorld() : ServerWorld(mariadb_access(shared_mariadb().port())) {}
};

/// SEQD_TEST_MYSQL=mysql://user:password@host:port/schema: one more server to run on. Its seq_* tables are dropped.
class GivenServerWorld : public ServerWorld {
 public:
  static bool available() { return std::getenv("SEQD_TEST_MYSQL") != nullptr; }
  GivenServerWorld() : ServerWorld(parsed(std::getenv("SEQD_TEST_MYSQL"))) {}

  static mysql::Access parsed(std::string url) {
    const auto wrong = [&] {
      return std::runtime_error("SEQD_TEST_MYSQL is not mysql://user:password@host:port/schema");
    };
    const std::string scheme = "mysql://";
    if (url.rfind(scheme, 0) != 0) throw wrong();
    url.erase(0, scheme.size());
    const std::size_t at = url.rfind('@');
    const std::size_t slash = url.find('/', at == std::string::npos ? 0 : at);
    if (at == std::string::npos || slash == std::string::npos) throw wrong();
    const std::string account = url.substr(0, at);
    const std::string address = url.substr(at + 1, slash - at - 1);
    const std::size_t colon = account.find(':');
    const std::size_t port = address.rfind(':');
    mysql::Access access;
    access.store.driver = "mysql";
    access.store.user = decoded(account.substr(0, colon));
    if (colon != std::string::npos) access.password = decoded(account.substr(colon + 1));
    access.store.host = address.substr(0, port);
    if (port != std::string::npos) access.store.port = std::stoi(address.substr(port + 1));
    access.store.schema = url.substr(slash + 1);
    return access;
  }

 private:
  static std::string decoded(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size()) {
        plain += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
        i += 2;
      } else {
        plain += text[i];
      }
    }
    return plain;
  }
};

/// A daemon as the store sees it: enrolled, with its beliefs.
template <class World>
class Daemon {
 public:
  Daemon(World& world, std::string name)
      : owner(std::move(name)), counters(world.counters()), leases(world.leases()) {
    OwnerRow row;
    row.owner = owner;
    row.announce = "host:1";
    must(leases->enrol(row));
  }
  /// Takes what is free.
  void claim() { adopt(must(leases->claim(head({}), 0))); }
  void adopt(const ClaimReport& report) {
    stamp = report.unit.stamp;
    ours.clear();
    for (const SlotRow& slot : report.ours) ours[slot.slot] = slot;
  }
  UnitHead head(const std::vector<Slot>& slots) const {
    UnitHead head;
    head.owner = owner;
    head.belief.known = stamp;
    for (const Slot slot : slots) {
      const auto row = ours.find(slot);
      head.slots.push_back(row == ours.end()
                               ? SlotBelief{slot, 1, 0}
                               : SlotBelief{slot, row->second.epoch, row->second.bump});
    }
    return head;
  }
  ReserveReport reserve(const std::vector<ReserveRequest>& requests,
                        const std::vector<Slot>& slots = {7}) {
    ReserveReport report = must(counters->reserve(head(slots), requests));
    stamp = report.unit.stamp;
    return report;
  }
  ReserveReport create(const std::vector<NewCounter>& rows, const std::vector<Slot>& slots = {7}) {
    ReserveReport report = must(counters->create(head(slots), rows));
    stamp = report.unit.stamp;
    return report;
  }
  ReleaseReport release(const std::vector<Release>& releases,
                        const std::vector<Slot>& slots = {7}) {
    ReleaseReport report = must(counters->release(head(slots), releases));
    stamp = report.unit.stamp;
    return report;
  }

  std::string owner;
  std::unique_ptr<CounterStore> counters;
  std::unique_ptr<LeaseStore> leases;
  Stamp stamp;
  std::map<Slot, SlotRow> ours;
};

inline ReserveRequest ask(const std::string& id, std::int64_t numbers, Slot slot = 7,
                          std::int64_t at_least = 0, std::int64_t issued = -1) {
  return ReserveRequest{id, slot, ReserveAsk{numbers, at_least, issued}};
}

template <class W>
OwnerRow owner_row(W& world, const std::string& owner) {
  for (const OwnerRow& row : must(world.leases()->survey()).owners) {
    if (row.owner == owner) return row;
  }
  return OwnerRow{};
}

template <class W>
SlotRow slot_row(W& world, Slot slot) {
  for (const SlotRow& row : must(world.leases()->survey()).slots) {
    if (row.slot == slot) return row;
  }
  return SlotRow{};
}

}  // namespace seqd::contract
