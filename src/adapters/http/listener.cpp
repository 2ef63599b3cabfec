#include "adapters/http/listener.h"

#include <Poco/Exception.h>
#include <Poco/Net/SocketAddress.h>

#include <system_error>

namespace seqd::http {

Result<Poco::Net::ServerSocket> open_listener(const std::string& listen) {
  constexpr int kBacklog = 1024;
  try {
    if (listen.find(':') == std::string::npos) {
      return Error{Code::kRefused, "cannot listen on '" + listen + "': expected host:port"};
    }
    const Poco::Net::SocketAddress address(listen);
    Poco::Net::ServerSocket socket;
    // Without the second `false` two daemons would share the port.
    if (address.family() == Poco::Net::SocketAddress::IPv6) {
      socket.bind6(address, true, false, true);
    } else {
      socket.bind(address, true, false);
    }
    socket.listen(kBacklog);
    socket.setBlocking(false);
    return socket;
  } catch (const Poco::Exception& e) {
    const std::string why =
        e.code() > 0 ? std::generic_category().message(e.code()) : e.displayText();
    return Error{Code::kRefused, "cannot listen on " + listen + ": " + why};
  }
}

}  // namespace seqd::http
