#include "app/identity.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace seqd::app {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

}  // namespace

std::string node_id(const Settings& settings) {
  constexpr std::size_t kMostBytes = 40;
  return (settings.node.id.empty() ? host_name() : settings.node.id).substr(0, kMostBytes);
}

std::string random_nonce() {
  std::uint64_t bits = 0;
  // At most 256 bytes are never cut short; it fails only before the kernel has gathered entropy once.
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) std::abort();
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

std::string announced_address(const Settings& settings, unsigned port) {
  if (!settings.node.announce.empty()) return settings.node.announce;
  std::string host = settings.resp.listen.substr(0, settings.resp.listen.rfind(':'));
  if (host == "0.0.0.0" || host == "[::]" || host == "*") host = host_name();
  return host + ":" + std::to_string(port);
}

}  // namespace seqd::app
