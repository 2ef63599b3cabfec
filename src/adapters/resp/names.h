// Naming a connection, which HELLO and CLIENT both do.
#pragma once

#include <string_view>

#include "adapters/resp/command.h"

namespace seqd::resp {

/// False: the name has a space, a control or a non-ASCII byte, and the error was answered. "" takes the name away.
bool set_name(Call& call, std::string_view name);

}  // namespace seqd::resp
