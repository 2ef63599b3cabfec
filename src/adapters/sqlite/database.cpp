#include "adapters/sqlite/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

namespace seqd::sqlite {
namespace {

Code code_of(int extended, bool at_commit) {
  const int code = extended & 0xff;
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_AUTH) return Code::kRefused;
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return Code::kBusy;
  // What is written but not synced may still be there after a crash.
  if (at_commit && code != SQLITE_FULL && code != SQLITE_READONLY) {
    return Code::kUnknown;
  }
  return Code::kUnavailable;
}

void bind(sqlite3_stmt* statement, int at, const Value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, at, *n);
  } else if (const auto* blob = std::get_if<std::string>(&value)) {
    sqlite3_bind_blob64(statement, at, blob->data(), blob->size(), SQLITE_TRANSIENT);
    if (blob->empty()) sqlite3_bind_zeroblob(statement, at, 0);
  } else if (const auto* text = std::get_if<Text>(&value)) {
    sqlite3_bind_text64(statement, at, text->bytes.data(), text->bytes.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  } else {
    sqlite3_bind_null(statement, at);
  }
}

Row row_of(sqlite3_stmt* statement) {
  Row row;
  const int columns = sqlite3_column_count(statement);
  for (int i = 0; i < columns; ++i) {
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_NULL:
        row.emplace_back();
        break;
      case SQLITE_INTEGER:
        row.emplace_back(std::int64_t{sqlite3_column_int64(statement, i)});
        break;
      default: {
        const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, i));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
        row.emplace_back(data != nullptr ? std::string(data, size) : std::string());
      }
    }
  }
  return row;
}

}  // namespace

Database::~Database() { close(); }

void Database::close() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  if (db_ != nullptr) sqlite3_close(db_);
  db_ = nullptr;
}

bool Database::same_file() const {
  struct stat file {};
  return ::stat(path_.c_str(), &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

Result<Done> Database::check_path() const {
  const std::filesystem::path parent = std::filesystem::absolute(path_).parent_path();
  std::error_code ignored;
  if (std::filesystem::is_directory(parent, ignored)) return Done{};
  return Error{Code::kRefused, "store.path is " + path_ + ", and the directory " + parent.string() +
                                   " does not exist: create it"};
}

Result<Done> Database::open() {
  if (db_ != nullptr && same_file()) return Done{};
  close();
  if (Result<Done> fit = check_path(); !fit) return fit;
  const int code = sqlite3_open_v2(
      path_.c_str(), &db_,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  if (code != SQLITE_OK) return failed("open", code);
  sqlite3_busy_timeout(db_, static_cast<int>(timeout_.count()));
  Result<Done> fit = check_pragmas();
  if (!fit) {
    close();
    return fit;
  }
  struct stat file {};
  if (::stat(path_.c_str(), &file) != 0) return failed("open", SQLITE_CANTOPEN);
  device_ = file.st_dev;
  inode_ = file.st_ino;
  return Done{};
}

Result<Done> Database::check_pragmas() {
  Result<Rows> mode = run("PRAGMA journal_mode=WAL");
  if (!mode) return mode.error();
  if (mode->empty() || bytes(mode->front()[0]) != "wal") {
    return Error{Code::kRefused, path_ +
                                     ": journal_mode cannot be set to WAL (is it on a network " +
                                     "filesystem?); it is '" +
                                     (mode->empty() ? "" : bytes(mode->front()[0])) + "'"};
  }
  if (Result<Rows> set = run("PRAGMA synchronous=FULL"); !set) return set.error();
  Result<Rows> sync = run("PRAGMA synchronous");
  if (!sync) return sync.error();
  if (sync->empty() || number(sync->front()[0]) != 2) {
    return Error{Code::kRefused, path_ + ": synchronous cannot be set to FULL"};
  }
  return Done{};
}

Result<Done> Database::begin() {
  if (Result<Done> opened = open(); !opened) return opened;
  Result<Rows> begun = run("BEGIN IMMEDIATE");
  if (!begun) return begun.error();
  return Done{};
}

Result<Done> Database::send_commit() {
  Result<sqlite3_stmt*> statement = prepared("COMMIT");
  if (!statement) return statement.error();
  const int code = sqlite3_step(*statement);
  sqlite3_reset(*statement);
  if (code != SQLITE_DONE) return failed("COMMIT", code, true);
  return Done{};
}

Result<Done> Database::send_rollback() {
  Result<Rows> undone = run("ROLLBACK");
  if (!undone) return undone.error();
  return Done{};
}

Result<sqlite3_stmt*> Database::prepared(const std::string& sql) {
  if (db_ == nullptr) return Error{Code::kUnavailable, path_ + " is closed"};
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(db_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return failed(sql, code);
  statements_[sql] = statement;
  return statement;
}

Result<Rows> Database::run(const std::string& sql, std::initializer_list<Value> values) {
  Result<sqlite3_stmt*> statement = prepared(sql);
  if (!statement) return statement.error();
  int at = 0;
  for (const Value& value : values) bind(*statement, ++at, value);
  Rows rows;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(*statement)) == SQLITE_ROW) rows.push_back(row_of(*statement));
  sqlite3_reset(*statement);
  sqlite3_clear_bindings(*statement);
  if (code != SQLITE_DONE) return failed(sql, code);
  return rows;
}

std::int64_t Database::changes() const { return sqlite3_changes64(db_); }

Error Database::failed(const std::string& what, int code, bool at_commit) {
  const std::string text = db_ != nullptr ? sqlite3_errmsg(db_) : sqlite3_errstr(code);
  Error error{code_of(code, at_commit), "SQLite " + path_ + ": " + text + " (" +
                                            std::to_string(code) + ") at " + what.substr(0, 60)};
  close();  // which rolls back
  return error;
}

}  // namespace seqd::sqlite
