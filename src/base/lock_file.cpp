#include "base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace seqd {
namespace {

constexpr std::size_t kTokenBytes = 16;
using Token = std::array<char, 2 * kTokenBytes>;

std::string read_token(int fd) {
  Token text{};
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  return n == static_cast<ssize_t>(text.size()) ? std::string(text.data(), text.size())
                                                : std::string();
}

bool write_token(int fd) {
  std::array<unsigned char, kTokenBytes> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return false;
  }
  Token text{};
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < kTokenBytes; ++i) {
    text[2 * i] = kDigits[random[i] >> 4];
    text[2 * i + 1] = kDigits[random[i] & 15];
  }
  return ::ftruncate(fd, 0) == 0 &&
         ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::fsync(fd) == 0;
}

bool same_file(int fd, const std::string& path) {
  struct stat open_file {};
  struct stat named_file {};
  return ::fstat(fd, &open_file) == 0 && ::lstat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

}  // namespace

LockFile::~LockFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<bool> LockFile::hold() {
  const auto refused = [this](const char* what) {
    const std::string why = std::generic_category().message(errno);
    return Error{Code::kRefused, "the lock file " + path_ + " cannot be " + what + ": " + why};
  };
  if (fd_ >= 0) {
    if (same_file(fd_, path_)) return true;
    ::close(fd_);  // somebody deleted it: a lock that nobody can find is none
    fd_ = -1;
  }
  const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return refused("opened");
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    const Error error = refused("locked");
    ::close(fd);
    if (taken) return false;
    return error;
  }
  if (!same_file(fd, path_)) {
    ::close(fd);
    return false;
  }
  if (read_token(fd).empty() && !write_token(fd)) {
    const Error error = refused("written");
    ::close(fd);
    return error;
  }
  fd_ = fd;
  return true;
}

std::string LockFile::id() const {
  const int fd = ::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return {};
  std::string token = read_token(fd);
  ::close(fd);
  return token;
}

}  // namespace seqd
