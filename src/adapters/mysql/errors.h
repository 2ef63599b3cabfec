// What a MySQL error number means for the caller of a unit.
#pragma once

#include "base/result.h"

namespace seqd::mysql {

inline constexpr int kDuplicateKey = 1062;
inline constexpr int kTlsFailed = 2026;

/// The client library's own errors: the server may or may not have heard us.
constexpr bool is_client_error(int code) { return code <= 0 || (code >= 2000 && code < 3000); }

constexpr bool is_read_only(int code) { return code == 1290 || code == 1836 || code == 1792; }

/// The server is well and answered, but this unit has to be tried again.
constexpr bool is_busy(int code) {
  switch (code) {
    case 1205:  // lock wait timeout
    case 1213:  // deadlock
    case 1969:  // max_statement_time of MariaDB
    case 3024:  // max_execution_time of MySQL
    case 3572:  // NOWAIT
      return true;
    default:
      return false;
  }
}

/// Errors that last until a human changes a grant, a password or a table.
constexpr bool needs_human(int code) {
  switch (code) {
    case 1044:  // no access to the schema
    case 1045:  // wrong user or password
    case 1049:  // no such schema
    case 1054:  // no such column
    case 1064:  // no SQL
    case 1142:  // no grant on the table
    case 1143:  // no grant on the column
    case 1146:  // no such table
    case 1227:  // a privilege is missing
    case 1698:  // wrong user or password
      return true;
    default:
      return false;
  }
}

/// Errors of COMMIT itself after which the server has rolled back for certain. Every other one leaves it open.
constexpr bool commit_was_refused(int code) {
  switch (code) {
    case 1047:  // Galera: the node is not part of the cluster
    case 1205:  // lock wait timeout
    case 1213:  // deadlock; Galera: certification failed
    case 1290:  // read_only was set in between
    case 1792:
    case 1836:
    case 3100:  // Group Replication refused it before the commit
    case 3101:
      return true;
    default:
      return false;
  }
}

}  // namespace seqd::mysql
