// The listening socket: from "host:port" to a descriptor, or a sentence that says what is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

struct sockaddr;

namespace seqd::resp {

struct Listener {
  int fd = -1;  ///< non-blocking, owned by whoever holds the Listener
  std::uint16_t port = 0;
  std::string address;  ///< as bound: "127.0.0.1:6390", "[::1]:6390"
};

/// `listen` is "host:port"; host is an IPv4 address, an IPv6 address in brackets or a name; port 0 lets the system choose.
/// A name with several addresses takes the first that can be bound. Accepted sockets inherit TCP_NODELAY and keep-alive.
Result<Listener> open_listener(const std::string& listen);

/// "address:port" of an IPv4 or IPv6 socket address.
std::string text_of(const sockaddr* address);

}  // namespace seqd::resp
