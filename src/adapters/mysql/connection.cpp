#include "adapters/mysql/connection.h"

#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>

#include <algorithm>
#include <utility>

#include "adapters/mysql/errors.h"

namespace seqd::mysql {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

sql::Driver& driver() {
  // The library's own registry is not synchronised; a local static is.
  static sql::Driver* const instance = get_driver_instance();
  return *instance;
}

/// The library counts whole seconds, and so do the server's lock waits (1 s), which must end first.
int socket_timeout_s(const StoreSettings& store) {
  return static_cast<int>(std::max<std::int64_t>(2, (store.timeout_ms + 999) / 1000));
}

std::string wait_timeout_s(const Access& access) {
  return std::to_string(std::max<std::int64_t>(1, access.ttl.count() / 2000));
}

/// Less than the socket's timeout, so that the server gives up before we do.
std::string statement_limit_s(const StoreSettings& store) {
  const std::int64_t tenths = std::int64_t{9} * socket_timeout_s(store);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

Rows fetch(sql::ResultSet& result) {
  Rows rows;
  const unsigned columns = result.getMetaData()->getColumnCount();
  while (result.next()) {
    Row row;
    row.reserve(columns);
    for (unsigned i = 1; i <= columns; ++i) {
      std::string text = result.getString(i);
      if (result.wasNull()) {
        row.emplace_back();
      } else {
        row.emplace_back(std::move(text));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Connection::Connection(Access access, Use use) : access_(std::move(access)), use_(use) {}

Connection::~Connection() { close(); }

Result<Done> Connection::open() {
  if (connection_) {
    const seconds wait_timeout(std::max<std::int64_t>(1, access_.ttl.count() / 2000));
    if (boot_now() - used_ < wait_timeout * 3 / 4) return Done{};
    close();
  }
  Result<Done> done = connect();
  if (done) done = check_tls();
  if (done) kill_zombie();
  if (done) done = set_session();
  if (done) done = check_session();
  if (!done) close();
  return done;
}

Result<Done> Connection::connect() {
  return run<Done>(Stage::kConnect, [this]() -> Done {
    const StoreSettings& store = access_.store;
    const std::string host = store.host.empty() ? "127.0.0.1" : store.host;
    const int timeout = socket_timeout_s(store);
    sql::ConnectOptionsMap options;
    // The tcp:// keeps the library from taking "localhost" for a Unix socket.
    options["hostName"] = sql::SQLString(host.front() == '/' ? "unix://" + host : "tcp://" + host);
    if (host.front() != '/') options["port"] = static_cast<int>(store.port);
    options["userName"] = sql::SQLString(store.user);
    options["password"] = sql::SQLString(access_.password);
    options["schema"] = sql::SQLString(store.schema);
    options["OPT_CONNECT_TIMEOUT"] = timeout;
    options["OPT_READ_TIMEOUT"] = timeout;
    options["OPT_WRITE_TIMEOUT"] = timeout;
    options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
    options["OPT_LOCAL_INFILE"] = 0;
    if (!store.tls_ca_file.empty()) {
      options["sslCA"] = sql::SQLString(store.tls_ca_file);
      options["sslVerify"] = true;
    }
    connection_.reset(driver().connect(options));
    return Done{};
  });
}

Result<Done> Connection::check_tls() {
  if (access_.store.tls_ca_file.empty()) return Done{};
  Result<Rows> rows = query("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
  if (!rows) return rows.error();
  if (rows->empty() || rows->front().size() < 2 || rows->front()[1].value_or("").empty()) {
    return Error{Code::kRefused,
                 where() + ": store.tls_ca_file is set, but the connection is not encrypted"};
  }
  return Done{};
}

void Connection::kill_zombie() {
  if (!zombie_) return;
  const Zombie zombie = *std::exchange(zombie_, std::nullopt);
  const std::string id = std::to_string(zombie.id);
  try {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    // After a restart of the server the id may be somebody else's: the client's port tells.
    const std::unique_ptr<sql::ResultSet> found(statement->executeQuery(
        "SELECT HOST AS host FROM information_schema.PROCESSLIST WHERE ID = " + id));
    if (!found->next() || std::string(found->getString(1)) != zombie.peer) return;
    statement->execute("KILL CONNECTION " + id);
    log(where() + ": killed connection " + id + ", which did not answer");
  } catch (const std::exception&) {
    // It ended by itself (1094), or will: its wait_timeout is short.
  }
}

Result<Done> Connection::set_session() {
  for (const std::string& sql :
       {std::string("SET NAMES utf8mb4"),
        std::string("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"),
        "SET SESSION autocommit=1, sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
        "innodb_lock_wait_timeout=1, lock_wait_timeout=1, wait_timeout=" +
            wait_timeout_s(access_) +
            " /*M!, max_statement_time=" + statement_limit_s(access_.store) + " */"}) {
    if (Result<std::int64_t> done = exec(sql); !done) return done.error();
  }
  return Done{};
}

Result<Done> Connection::check_session() {
  Result<Rows> rows = query(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('autocommit','sql_mode','tx_isolation',"
      "'transaction_isolation','innodb_lock_wait_timeout','lock_wait_timeout','wait_timeout',"
      "'character_set_client','read_only','super_read_only','max_statement_time','version',"
      "'version_comment','innodb_flush_log_at_trx_commit','log_bin','sync_binlog')");
  if (!rows) return rows.error();
  variables_.clear();
  for (const Row& row : *rows) {
    if (row.size() >= 2 && row[0]) variables_[*row[0]] = row[1].value_or("");
  }
  const std::string isolation =
      variables_.contains("transaction_isolation") ? "transaction_isolation" : "tx_isolation";
  const std::pair<std::string, std::string> wanted[] = {
      {"autocommit", "ON"},
      {isolation, "READ-COMMITTED"},
      {"lock_wait_timeout", "1"},
      {"innodb_lock_wait_timeout", "1"},
      {"wait_timeout", wait_timeout_s(access_)},
      {"character_set_client", "utf8mb4"},
  };
  for (const auto& [name, value] : wanted) {
    if (variable(name) != value) {
      return Error{Code::kRefused, where() + ": the session's " + name + " is '" + variable(name) +
                                       "' although it was set to '" + value + "'"};
    }
  }
  const std::string mode = variable("sql_mode");
  if (mode.find("STRICT_ALL_TABLES") == std::string::npos ||
      mode.find("NO_ENGINE_SUBSTITUTION") == std::string::npos) {
    return Error{Code::kRefused,
                 where() + ": sql_mode is '" + mode + "' although it was set to be strict"};
  }
  if (use_ == Use::kWrite) {
    for (const char* name : {"read_only", "super_read_only"}) {
      const std::string value = variable(name);
      if (!value.empty() && value != "OFF") {
        return Error{Code::kUnavailable, where() + " is read-only (" + name + "=" + value + ")"};
      }
    }
  }
  const std::string limit = statement_limit_s(access_.store);
  if (variables_.contains("max_statement_time") &&
      variable("max_statement_time").substr(0, limit.size()) != limit) {
    return Error{Code::kRefused, where() + ": the session's max_statement_time is '" +
                                     variable("max_statement_time") + "' although it was set to '" +
                                     limit + "'"};
  }
  Result<Rows> self = query(
      "SELECT CONNECTION_ID() AS id, (SELECT HOST FROM information_schema.PROCESSLIST "
      "WHERE ID = CONNECTION_ID()) AS host");
  if (!self) return self.error();
  id_ = std::stoll(self->front()[0].value_or("0"));
  peer_ = self->front()[1].value_or("");
  return Done{};
}

Result<Done> Connection::begin() {
  const bool reused = connection_ != nullptr;
  if (Result<Done> opened = open(); !opened) return opened;
  const BootTime since = boot_now();
  Result<std::int64_t> done = exec("START TRANSACTION");
  if (!done && died_idle(reused, since)) {
    if (Result<Done> opened = open(); !opened) return opened;
    done = exec("START TRANSACTION");
  }
  if (!done) return done.error();
  return Done{};
}

Result<Rows> Connection::read(const std::string& sql) {
  const bool reused = connection_ != nullptr;
  if (Result<Done> opened = open(); !opened) return opened.error();
  const BootTime since = boot_now();
  Result<Rows> rows = query(sql);
  if (!rows && died_idle(reused, since)) {
    if (Result<Done> opened = open(); !opened) return opened.error();
    rows = query(sql);
  }
  return rows;
}

bool Connection::died_idle(bool reused, BootTime since) const {
  // A peer that is silent, not gone, has used up the caller's time already.
  return reused && (is_client_error(last_error_) || last_error_ == 1927 || last_error_ == 1053) &&
         boot_now() - since < milliseconds(access_.store.timeout_ms) / 4;
}

Result<std::int64_t> Connection::write(const std::string& sql) {
  if (Result<Done> opened = open(); !opened) return opened.error();
  return run<std::int64_t>(Stage::kWrite, [&]() -> std::int64_t {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    return statement->executeUpdate(sql);
  });
}

Result<Rows> Connection::query(const std::string& sql) {
  return run<Rows>(Stage::kUnit, [&] {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    const std::unique_ptr<sql::ResultSet> result(statement->executeQuery(sql));
    return fetch(*result);
  });
}

Result<std::int64_t> Connection::exec(const std::string& sql) {
  return run<std::int64_t>(Stage::kUnit, [&]() -> std::int64_t {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    return statement->executeUpdate(sql);
  });
}

Result<Done> Connection::send_commit() {
  return run<Done>(Stage::kCommit, [&]() -> Done {
    // Connection::commit() of this library hides a failed COMMIT (DESIGN S2).
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    statement->execute("COMMIT");
    return Done{};
  });
}

Result<Done> Connection::send_rollback() {
  return run<Done>(Stage::kUnit, [&]() -> Done {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    statement->execute("ROLLBACK");
    return Done{};
  });
}

Result<Rows> Connection::query_bound(const std::string& sql, const std::string& value) {
  return run<Rows>(Stage::kUnit, [&] {
    if (!prepared_ || prepared_sql_ != sql) {
      prepared_.reset(connection_->prepareStatement(sql));
      prepared_sql_ = sql;
    }
    prepared_->setString(1, value);
    const std::unique_ptr<sql::ResultSet> result(prepared_->executeQuery());
    return fetch(*result);
  });
}

template <class T, class F>
Result<T> Connection::run(Stage stage, F&& body) {
  if (!connection_ && stage != Stage::kConnect) {
    return Error{Code::kUnavailable, where() + ": the connection is closed"};
  }
  last_error_ = 0;
  try {
    Result<T> done = body();
    used_ = boot_now();
    return done;
  } catch (const sql::SQLException& e) {
    return failed(stage, e.getErrorCode(), e.what());
  } catch (const std::exception& e) {
    return failed(stage, 0, e.what());
  }
}

Error Connection::failed(Stage stage, int code, const std::string& text) {
  last_error_ = code;
  const std::string at_commit = stage == Stage::kCommit ? " at COMMIT" : "";
  Error error{Code::kUnavailable,
              where() + at_commit + ": " + text + " (" + std::to_string(code) + ")"};
  if (stage == Stage::kCommit && !commit_was_refused(code)) {
    error.code = Code::kUnknown;
  } else if (stage == Stage::kWrite && (is_client_error(code) || code == 1927)) {
    error.code = Code::kUnknown;
  } else if (stage == Stage::kConnect && code == kTlsFailed) {
    error.code = Code::kRefused;
    error.message += ": store.tls_ca_file is set, and this server cannot be verified with it";
  } else if (is_busy(code)) {
    error.code = Code::kBusy;
  } else if (needs_human(code)) {
    error.code = Code::kRefused;
  } else if (is_read_only(code)) {
    error.message = where() + " is read-only: " + text + " (" + std::to_string(code) + ")";
  }
  if (connection_ && is_client_error(code) && id_ != 0) {
    zombie_ = Zombie{id_, peer_};
  } else if (connection_ && stage == Stage::kUnit) {
    // 1205 takes back only its statement; what went before must go too, and now, not when the server sees us leave.
    try {
      const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
      statement->execute("ROLLBACK");
    } catch (const std::exception&) {
    }
  }
  close();
  return error;
}

void Connection::close() {
  prepared_.reset();
  prepared_sql_.clear();
  connection_.reset();
  id_ = 0;
}

std::string Connection::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::string() : found->second;
}

bool Connection::is_mariadb() const {
  return variable("version").find("MariaDB") != std::string::npos ||
         variable("version_comment").find("MariaDB") != std::string::npos;
}

std::string Connection::where() const {
  return "MySQL " + access_.store.host + ":" + std::to_string(access_.store.port) + "/" +
         access_.store.schema;
}

void Connection::log(const std::string& text) const {
  if (access_.log) access_.log(text);
}

}  // namespace seqd::mysql
