#include "adapters/http/head.h"

#include <algorithm>
#include <array>

#include "adapters/http/head_fields.h"
#include "base/utf8.h"

namespace seqd::http {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";
// A request line of the longest target that is served; anything longer is its target's fault.
constexpr std::size_t kMaxLineBytes = kMaxTargetBytes + 64;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_known_method(std::string_view method) {
  static constexpr std::array<std::string_view, 9> kMethods = {
      "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

std::optional<Fault> check_target(std::string_view method, std::string_view target) {
  if (target.size() > kMaxTargetBytes)
    return Fault{414, "the request target is longer than 2048 bytes"};
  const auto odd = [](char c) { return c <= 0x20 || c >= 0x7f || c == '#'; };
  if (std::any_of(target.begin(), target.end(), odd)) {
    return Fault{400, "the request target holds bytes that must be percent-encoded"};
  }
  if (method == "CONNECT" || (method == "OPTIONS" && target == "*")) return std::nullopt;
  if (!target.starts_with('/')) return Fault{400, "the request target must begin with a slash"};
  const auto path = percent_decode(target.substr(0, target.find('?')));
  if (!path || !percent_decode(target)) {
    return Fault{400, "a '%' in the request target is not followed by two hexadecimal digits"};
  }
  if (!is_printable_utf8(*path)) {
    return Fault{400, "the path is not valid UTF-8 without control characters"};
  }
  // Proxies take these out of a path, encoded or not: whoever asked for them was answered for something else.
  std::string_view rest = target.substr(1, target.find('?') - 1);
  for (bool more = true; more;) {
    const std::size_t slash = rest.find('/');
    const auto segment = percent_decode(rest.substr(0, slash));
    if (segment == "." || segment == "..") return Fault{400, "the path holds a dot segment"};
    more = slash != std::string_view::npos;
    if (more) rest.remove_prefix(slash + 1);
  }
  return std::nullopt;
}

std::optional<Fault> parse_line(std::string_view line, Head& head) {
  const Fault malformed{400, "the request line must be: method, space, target, space, HTTP/1.1"};
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return malformed;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || target.empty()) return malformed;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' ||
      !digit(version[5]) || !digit(version[7])) {
    return malformed;
  }
  if (!is_known_method(method)) return Fault{501, "this method is not served here"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Fault{505, "HTTP/1.1 and HTTP/1.0 are served here"};
  }
  if (const auto fault = check_target(method, target)) return fault;
  head.method = method;
  head.target = target;
  head.minor = version[7] - '0';
  return std::nullopt;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex(text[i + 1]);
    const int low = hex(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::variant<std::optional<std::size_t>, Fault> find_head_end(std::string_view bytes,
                                                              std::size_t& scanned) {
  const std::size_t until = std::min(bytes.size(), kMaxHeadBytes);
  for (std::size_t& i = scanned; i < until; ++i) {
    const char c = bytes[i];
    if (c == '\0') return Fault{400, "the head of the request holds a NUL"};
    if (c == '\n' && (i == 0 || bytes[i - 1] != '\r')) {
      return Fault{400, "lines of the head must end in CR LF"};
    }
    if (c != '\n' && i > 0 && bytes[i - 1] == '\r') {
      return Fault{400, "the head of the request holds a CR without LF"};
    }
    if (c == '\n' && bytes.substr(0, i + 1).ends_with(kEnd)) return std::optional(++i);
  }
  if (until > kMaxLineBytes &&
      bytes.substr(0, kMaxLineBytes).find('\n') == std::string_view::npos) {
    return Fault{414, "the request target is longer than 2048 bytes"};
  }
  if (until == kMaxHeadBytes) return Fault{431, "the head of the request is longer than 8 KiB"};
  return std::optional<std::size_t>();
}

std::variant<Head, Fault> parse_head(std::string_view bytes) {
  Head head;
  bytes.remove_suffix(2);
  std::size_t end = bytes.find("\r\n");
  if (const auto fault = parse_line(bytes.substr(0, end), head)) return *fault;
  bytes.remove_prefix(end + 2);
  Fields fields(head);
  while (!bytes.empty()) {
    end = bytes.find("\r\n");
    if (const auto fault = fields.add(bytes.substr(0, end))) return *fault;
    bytes.remove_prefix(end + 2);
  }
  if (const auto fault = fields.finish()) return *fault;
  return head;
}

}  // namespace seqd::http
