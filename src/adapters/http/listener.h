// The listening socket: from "host:port" to a descriptor, or a sentence that says what is wrong.
#pragma once

#include <Poco/Net/ServerSocket.h>

#include <string>

#include "base/result.h"

namespace seqd::http {

/// Port 0 lets the system choose. The socket is non-blocking and shares its port with nobody.
Result<Poco::Net::ServerSocket> open_listener(const std::string& listen);

}  // namespace seqd::http
