#include "adapters/yaml/text_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace seqd::yaml {
namespace {

constexpr std::size_t kMaxTextBytes = 4096;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }

bool is_printable_word(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte >= 0x7f;
  });
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<int> small_number(std::string_view text, int most) {
  int value = 0;
  if (!is_digits(text) || text.size() > 6 || (text.size() > 1 && text.front() == '0')) return {};
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (value > most) return {};
  return value;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  const auto port = small_number(text.substr(colon + 1), 65535);
  auto host = text.substr(0, colon);
  if (!port || host.empty() || host.size() > 255 || !is_printable_word(host)) return {};
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  in6_addr six{};
  const bool is_six = ::inet_pton(AF_INET6, std::string(host).c_str(), &six) == 1;
  if (brackets != is_six) return {};
  if (host.find_first_of(":[]/") != std::string_view::npos && !is_six) return {};
  return Address{std::string(host), *port};
}

bool is_loopback(std::string_view host) {
  if (host == "localhost") return true;
  const std::string text(host);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24U) == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::string_view one_line(std::string_view text) {
  const bool good = text.size() <= kMaxTextBytes && std::ranges::none_of(text, is_control);
  return good ? "" : "one line of at most 4096 bytes without tabs";
}

std::string_view some_line(std::string_view text) {
  return text.empty() ? "a text that is not empty" : one_line(text);
}

std::string_view sql_text(std::string_view text) {
  const bool good = text.size() <= kMaxTextBytes && std::ranges::none_of(text, [](char c) {
                      return is_control(c) && c != '\n' && c != '\t';
                    });
  return good ? "" : "at most 4096 bytes of SQL without control characters";
}

std::string_view history_query(std::string_view text) {
  if (!text.empty() && std::ranges::count(text, '?') != 1) {
    return "SQL with exactly one ? for the conversation's id, or \"\"";
  }
  return sql_text(text);
}

std::string_view node_name(std::string_view text) {
  return text.size() <= 64 && is_printable_word(text)
             ? ""
             : "at most 64 printable ASCII bytes without spaces, or \"\"";
}

std::string_view key_prefix(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_printable_word(text)
             ? ""
             : "1 to 64 printable ASCII bytes without spaces";
}

std::string_view listen_address(std::string_view text) {
  return parse_address(text) ? "" : "host:port, such as 127.0.0.1:6390, 0.0.0.0:6390 or [::1]:6390";
}

std::string_view remote_address(std::string_view text) {
  const auto address = parse_address(text);
  return address && address->port > 0 ? "" : "host:port, such as 10.0.0.7:6379 or [::1]:6379";
}

std::string_view optional_address(std::string_view text) {
  if (text.empty() || remote_address(text).empty()) return "";
  return "host:port, such as 10.0.0.7:6379 or [::1]:6379, or \"\"";
}

std::string_view host_name(std::string_view text) {
  const bool good = text.size() <= 255 && is_printable_word(text) &&
                    (text.find_first_of(":[]/") == std::string_view::npos ||
                     parse_address("[" + std::string(text) + "]:1"));
  return good ? "" : "a host name or an IP address without port";
}

std::string_view schema_name(std::string_view text) {
  const bool good = !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
  });
  return good ? "" : "1 to 64 letters, digits, _ or $";
}

std::string_view worker_id(std::string_view text) {
  return text == "auto" || small_number(text, 1023) ? "" : "auto, or a whole number from 0 to 1023";
}

}  // namespace seqd::yaml
