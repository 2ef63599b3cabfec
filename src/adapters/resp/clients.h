// Who is connected, over all event loops: for CLIENT LIST and CLIENT KILL. Touched on connect, close and naming only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"

namespace seqd::resp {

struct ClientRow {
  int fd = -1;
  std::string address;
  std::string name;
  int protocol = 2;
  BootTime since;
};

/// Any thread.
class Clients {
 public:
  void add(std::uint64_t id, ClientRow row);
  /// Removes the row and closes its socket, in one step, so that cut() never meets a reused descriptor.
  void remove_and_close(std::uint64_t id, int fd);
  void describe(std::uint64_t id, const std::string& name, int protocol);

  /// One line each, as CLIENT LIST has them; only one client if `only` is not 0.
  std::string list(std::uint64_t only) const;

  /// Shuts down the sockets of the chosen clients; their loops then close them. Returns how many.
  int cut(const std::function<bool(std::uint64_t, const ClientRow&)>& chosen);

 private:
  Guarded<std::map<std::uint64_t, ClientRow>> rows_;
};

}  // namespace seqd::resp
