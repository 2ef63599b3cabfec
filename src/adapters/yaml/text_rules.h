// What the texts in the configuration must look like. Each answers "" or what was expected (fields.h, Rule).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seqd::yaml {

struct Address {
  std::string host;  ///< without the brackets of an IPv6 address
  int port = 0;
};

/// "host:port" or "[IPv6]:port", port 0 to 65535. No value for anything else; an empty host is one of those.
std::optional<Address> parse_address(std::string_view text);

/// localhost, 127.0.0.0/8 and ::1. Names are not resolved.
bool is_loopback(std::string_view host);

std::string_view one_line(std::string_view text);       ///< "" too; no line breaks, no tabs
std::string_view some_line(std::string_view text);      ///< the same, not ""
std::string_view sql_text(std::string_view text);       ///< "" too; line breaks and tabs are fine
std::string_view history_query(std::string_view text);  ///< "" or SQL with exactly one ?
std::string_view node_name(std::string_view text);   ///< "" or 1 to 64 printable bytes, no spaces
std::string_view key_prefix(std::string_view text);  ///< 1 to 64 printable bytes, no spaces
std::string_view listen_address(std::string_view text);    ///< port 0 = any free one
std::string_view remote_address(std::string_view text);    ///< port from 1
std::string_view optional_address(std::string_view text);  ///< "" or a remote_address
std::string_view host_name(std::string_view text);         ///< "" or a host without a port
std::string_view schema_name(std::string_view text);       ///< letters, digits, _ and $
std::string_view worker_id(std::string_view text);         ///< auto, or 0 to 1023

}  // namespace seqd::yaml
