// A private mariadbd for tests and benches: own directory, own free port, ended by its pid.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace seqd::support {

/// A TCP port on 127.0.0.1 that was free a moment ago. Below the kernel's ephemeral range, so that no outgoing connection takes
/// it while a server is down for a moment.
inline int free_port() {
  std::random_device random;
  for (int i = 0; i < 200; ++i) {
    const int port = 12000 + static_cast<int>(random() % 20000);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool bound =
        fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (fd >= 0) ::close(fd);
    if (bound) return port;
  }
  throw std::runtime_error("no free port on 127.0.0.1");
}

/// Connects to 127.0.0.1:port; the socket, or -1.
inline int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return fd;
  }
  if (fd >= 0) ::close(fd);
  return -1;
}

/// Starts in the constructor and accepts when that returns; throws with the server's log if it does not.
/// Accounts: admin (all rights, password "admin") and seqd (password "se%cret:@/", rows and tables of the schema seqd only).
/// One thread at a time. A crash of the test process ends the server too (PR_SET_PDEATHSIG).
class MariadbServer {
 public:
  static constexpr const char* kPassword = "se%cret:@/";

  explicit MariadbServer(std::vector<std::string> extra_args = {})
      : extra_args_(std::move(extra_args)) {
    std::string name = "/tmp/seqd-mariadb-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    dir_ = name;
    try {
      install();
      start();
    } catch (...) {
      remove();
      throw;
    }
  }
  ~MariadbServer() { remove(); }
  MariadbServer(const MariadbServer&) = delete;
  MariadbServer& operator=(const MariadbServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::filesystem::path& dir() const { return dir_; }

  /// SIGTERM, then SIGKILL after 20 s.
  void terminate() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGCONT);
    ::kill(pid_, SIGTERM);
    if (!ended_within(std::chrono::seconds(20))) kill9();
    pid_ = -1;
  }
  void kill9() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void stop() const { ::kill(pid_, SIGSTOP); }
  void cont() const { ::kill(pid_, SIGCONT); }
  /// On the same port and directory; ends the running server first.
  void restart() {
    terminate();
    start();
  }
  void restart(std::vector<std::string> extra_args) {
    extra_args_ = std::move(extra_args);
    restart();
  }

 private:
  static std::string program(const char* name) {
    for (const char* dir :
         {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/", "/usr/libexec/"}) {
      if (::access((dir + std::string(name)).c_str(), X_OK) == 0) return dir + std::string(name);
    }
    throw std::runtime_error(std::string(name) +
                             " is not installed, and these tests need it: mariadb-server");
  }

  /// A server that starts clears its tmpdir of temporary tables: shared with another server, that one crashes when it drops its own.
  std::filesystem::path tmp() const { return dir_ / "tmp"; }

  pid_t spawn(const std::vector<std::string>& args) const {
    std::vector<char*> argv;
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    const std::string output = (dir_ / "output.log").string();
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid > 0) return pid;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("TMPDIR", tmp().c_str(), 1);
    const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(log, 1);
    ::dup2(log, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  static std::vector<std::string> as_root(std::vector<std::string> args) {
    if (::geteuid() == 0) args.push_back("--user=root");
    return args;
  }

  void install() {
    std::filesystem::create_directories(tmp());
    std::ofstream init(dir_ / "init.sql");
    init << "CREATE DATABASE IF NOT EXISTS seqd;\n"
            "CREATE USER IF NOT EXISTS 'admin'@'%' IDENTIFIED BY 'admin';\n"
            "GRANT ALL ON *.* TO 'admin'@'%' WITH GRANT OPTION;\n"
            "CREATE USER IF NOT EXISTS 'seqd'@'%' IDENTIFIED BY '"
         << kPassword
         << "';\n"
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON seqd.* TO "
            "'seqd'@'%';\n";
    init.close();
    pid_ = spawn(as_root({program("mariadb-install-db"), "--no-defaults",
                          "--datadir=" + (dir_ / "data").string(), "--skip-test-db",
                          "--auth-root-authentication-method=normal"}));
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    if (status != 0) throw std::runtime_error("mariadb-install-db failed: " + logs());
  }

  void start() {
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (port_ == 0) port_ = free_port();
      std::vector<std::string> args = {program("mariadbd"),
                                       "--no-defaults",
                                       "--datadir=" + (dir_ / "data").string(),
                                       "--tmpdir=" + tmp().string(),
                                       "--socket=" + (dir_ / "socket").string(),
                                       "--pid-file=" + (dir_ / "pid").string(),
                                       "--init-file=" + (dir_ / "init.sql").string(),
                                       "--bind-address=127.0.0.1",
                                       "--skip-networking=0",
                                       "--port=" + std::to_string(port_),
                                       "--skip-name-resolve",
                                       "--innodb-buffer-pool-size=64M",
                                       "--innodb-log-file-size=32M",
                                       "--max-connections=200"};
      args.insert(args.end(), extra_args_.begin(), extra_args_.end());
      pid_ = spawn(as_root(args));
      if (accepts_within(std::chrono::seconds(60))) return;
      kill9();
      if (logs().find("in use") == std::string::npos) break;
      port_ = 0;
    }
    throw std::runtime_error("mariadbd does not start: " + logs());
  }

  /// True once the server greets. False as soon as its process has ended.
  bool accepts_within(std::chrono::seconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < until) {
      if (const int fd = connect_to(port_); fd >= 0) {
        pollfd wait{fd, POLLIN, 0};
        char greeting[5] = {};
        const bool greeted =
            ::poll(&wait, 1, 5000) == 1 && ::read(fd, greeting, 5) == 5 && greeting[4] == 10;
        ::close(fd);
        if (greeted) return true;
      }
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  bool ended_within(std::chrono::seconds limit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < until) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  std::string logs() const {
    std::ifstream file(dir_ / "output.log");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  void remove() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      std::cerr << "mariadbd ended by itself with status " << status << ":\n" << logs() << "\n";
    }
    terminate();
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }

  std::vector<std::string> extra_args_;
  std::filesystem::path dir_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace seqd::support
