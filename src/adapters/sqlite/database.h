// One connection to the SQLite file: WAL, synchronous=FULL, checked when it is opened, closed at the first error.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace seqd::sqlite {

/// A text is bound as TEXT and nothing else is: ids are BLOBs.
struct Text {
  std::string bytes;
};
using Value = std::variant<std::monostate, std::int64_t, std::string, Text>;
using Row = std::vector<Value>;
using Rows = std::vector<Row>;

inline std::int64_t number(const Value& value) {
  const std::int64_t* n = std::get_if<std::int64_t>(&value);
  return n != nullptr ? *n : 0;
}
/// BLOB and TEXT alike; empty for NULL.
inline std::string bytes(const Value& value) {
  const std::string* s = std::get_if<std::string>(&value);
  return s != nullptr ? *s : std::string();
}
inline bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

/// One thread at a time; many of them may share a file, in one process or several.
///
/// Opens on first use, and again when the file's name leads to another file than before (a restored backup). Errors before
/// COMMIT are kBusy (locked), kUnavailable (disk full, I/O) or kRefused (no database, no directory); an I/O error of COMMIT is kUnknown.
class Database {
 public:
  Database(std::string path, std::chrono::milliseconds timeout)
      : path_(std::move(path)), timeout_(timeout) {}
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<Done> open();
  /// BEGIN IMMEDIATE: from here nobody else writes. A deferred BEGIN would fail at its first write (H29's cousin).
  Result<Done> begin();
  Result<Done> send_commit();
  Result<Done> send_rollback();
  void close();

  /// Runs one statement, prepared once for each text. REQUIRES: open.
  Result<Rows> run(const std::string& sql, std::initializer_list<Value> values = {});
  /// Rows that the last statement changed.
  std::int64_t changes() const;

  const std::string& path() const { return path_; }

 private:
  Result<Done> check_path() const;
  Result<Done> check_pragmas();
  Result<sqlite3_stmt*> prepared(const std::string& sql);
  Error failed(const std::string& what, int code, bool at_commit = false);
  bool same_file() const;

  std::string path_;
  std::chrono::milliseconds timeout_;
  sqlite3* db_ = nullptr;
  std::map<std::string, sqlite3_stmt*> statements_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace seqd::sqlite
