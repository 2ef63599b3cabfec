// An OS lock file with an identity: at most one process on this host holds it (DESIGN O3).
#pragma once

#include <string>

#include "base/result.h"

namespace seqd {

/// Holds flock(2) on a file until it is destroyed or the process ends, however it ends. One thread at a time.
/// The file keeps a random token from its first holder: the same token is the same file, so the same host. A file that
/// was deleted and made anew has another token, so nobody takes its old holder for dead.
class LockFile {
 public:
  explicit LockFile(std::string path) : path_(std::move(path)) {}
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Tries once, without waiting. True if this object holds the lock now. kRefused: the file cannot be opened or written.
  Result<bool> hold();
  /// The token in the file; empty if there is none yet. Does not need the lock.
  std::string id() const;

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace seqd
