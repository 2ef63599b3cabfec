// Who this process is: its node, its random name, the address that it announces.
#pragma once

#include <string>

#include "core/settings.h"

namespace seqd::app {

/// node.id, or the host's name; cut to 40 bytes, so that an owner's name fits its column.
std::string node_id(const Settings& settings);

/// 16 hexadecimal digits from the kernel's random source.
std::string random_nonce();

/// node.announce; else resp.listen with its real port, and the host's name where it listens on all addresses.
std::string announced_address(const Settings& settings, unsigned port);

}  // namespace seqd::app
