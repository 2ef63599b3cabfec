// One connection to the server: opened, checked, used, and thrown away at the first error (DESIGN S4).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "core/settings.h"

namespace sql {
class Connection;
class PreparedStatement;
}  // namespace sql

namespace seqd::mysql {

/// Where the store is and who we are there. The password never appears in a message.
struct Access {
  StoreSettings store;
  std::string password;
  std::chrono::milliseconds ttl{10000};  ///< lease.ttl_ms: the server's wait_timeout is half of it
  std::function<void(std::string_view)> log;
};

/// A value as text; no value is SQL NULL.
using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;
using Rows = std::vector<Row>;

/// One thread at a time. Vendor exceptions do not leave it.
///
/// Opens on first use. The session is READ COMMITTED, autocommit, strict, with lock waits of 1 s; every variable is set and
/// then read back. A writing connection refuses a read-only server with kUnavailable, so that the next open may find
/// another one (H36). Any error closes the connection, which rolls back on the server; a connection whose server did not
/// answer is killed there by its id before the next one is used (H24).
class Connection {
 public:
  enum class Use : unsigned char { kWrite, kRead };

  Connection(Access access, Use use);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Opens if it is closed, or has been idle so long that the server may have closed it.
  Result<Done> open();
  /// START TRANSACTION. A connection that turns out to be dead here is replaced once: nothing was sent on it before.
  Result<Done> begin();
  /// A query outside a unit; replaced like begin().
  Result<Rows> read(const std::string& sql);
  /// A writing statement outside a unit: kUnknown if its reply was lost.
  Result<std::int64_t> write(const std::string& sql);

  /// Inside a unit: before COMMIT was sent nothing can be applied, so errors are kUnavailable, kBusy or kRefused.
  Result<Rows> query(const std::string& sql);
  /// Answers the affected rows.
  Result<std::int64_t> exec(const std::string& sql);
  /// kUnknown unless the server said that it rolled back (DESIGN S1, H38).
  Result<Done> send_commit();
  /// Takes back a unit that went well; the connection stays.
  Result<Done> send_rollback();

  /// A query with one `?`, bound as a string of the session's character set, prepared once.
  Result<Rows> query_bound(const std::string& sql, const std::string& value);

  void close();

  /// The server's or the client library's number of the last error; 0 = none.
  int last_error() const { return last_error_; }
  /// A variable as it was read when the connection was opened; empty if the server has none of that name.
  std::string variable(const std::string& name) const;
  /// The server's id of this connection; 0 = closed.
  std::int64_t id() const { return connection_ ? id_ : 0; }
  bool is_mariadb() const;

 private:
  enum class Stage : unsigned char { kConnect, kUnit, kWrite, kCommit };

  Result<Done> connect();
  Result<Done> set_session();
  Result<Done> check_session();
  Result<Done> check_tls();
  void kill_zombie();
  template <class T, class F>
  Result<T> run(Stage stage, F&& body);
  Error failed(Stage stage, int code, const std::string& text);
  bool died_idle(bool reused, BootTime since) const;
  std::string where() const;
  void log(const std::string& text) const;

  Access access_;
  Use use_;
  std::unique_ptr<sql::Connection> connection_;
  std::unique_ptr<sql::PreparedStatement> prepared_;
  std::string prepared_sql_;
  std::map<std::string, std::string> variables_;
  std::int64_t id_ = 0;
  std::string peer_;  ///< our end of the connection as the server's process list names it
  struct Zombie {
    std::int64_t id = 0;
    std::string peer;
  };
  std::optional<Zombie> zombie_;
  BootTime used_;
  int last_error_ = 0;
};

}  // namespace seqd::mysql
