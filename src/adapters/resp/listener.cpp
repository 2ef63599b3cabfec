#include "adapters/resp/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

constexpr int kBacklog = 4096;
constexpr int kQuietSeconds = 300;  // before a dead peer is probed for

struct HostPort {
  std::string host;
  std::string port;
};

std::optional<HostPort> split(std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = listen.substr(0, colon);
  const std::string_view port = listen.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || (!bracketed && host.find(':') != std::string_view::npos)) return std::nullopt;
  const auto number = parse_integer(port);
  if (!number || *number < 0 || *number > 65535) return std::nullopt;
  return HostPort{std::string(host), std::string(port)};
}

Error failure(const std::string& listen, const std::string& why) {
  return Error{Code::kRefused, "resp.listen: cannot listen on " + listen + ": " + why};
}

int open_at(const addrinfo& at) {
  const int fd = ::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  const int quiet = kQuietSeconds;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &quiet, sizeof quiet);
  if (at.ai_family == AF_INET6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(fd, at.ai_addr, at.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

sockaddr* as_address(sockaddr_storage& storage) {
  return reinterpret_cast<sockaddr*>(&storage);  // the cast that the socket interface asks for
}

std::uint16_t port_of(const sockaddr* address) {
  return ntohs(address->sa_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(address)->sin_port);
}

}  // namespace

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> host{};
  const bool six = address->sa_family == AF_INET6;
  if (six) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, host.data(),
                host.size());
  } else {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, host.data(),
                host.size());
  }
  const std::string port = std::to_string(port_of(address));
  return six ? "[" + std::string(host.data()) + "]:" + port : std::string(host.data()) + ":" + port;
}

Result<Listener> open_listener(const std::string& listen) {
  const auto wanted = split(listen);
  if (!wanted) {
    return failure("'" + listen + "'", "expected host:port, with an IPv6 address in brackets");
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(wanted->host.c_str(), wanted->port.c_str(), &hints, &found);
  if (failed != 0) return failure(listen, ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int fd = open_at(*at);
    if (fd < 0) {
      error = errno;
      continue;
    }
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    ::getsockname(fd, as_address(bound), &size);
    return Listener{fd, port_of(as_address(bound)), text_of(as_address(bound))};
  }
  return failure(listen, std::generic_category().message(error));
}

}  // namespace seqd::resp
