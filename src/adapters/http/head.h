// The head of a request, read strictly: everything that two readers of HTTP could understand differently is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace seqd::http {

inline constexpr std::size_t kMaxTargetBytes = 2048;
inline constexpr std::size_t kMaxHeadBytes = 8192;
inline constexpr std::size_t kMaxFields = 64;
inline constexpr std::size_t kMaxFieldNameBytes = 256;
inline constexpr std::size_t kMaxBodyBytes = 65536;

/// Why bytes are not a request that is served. The connection ends with it: what follows cannot be told apart any more.
struct Fault {
  int status = 400;
  std::string_view detail;  ///< a literal; never what the client sent
};

struct Head {
  enum class Framing : unsigned char { kNone, kLength, kChunked };

  std::string method;  ///< one that HTTP knows
  std::string target;  ///< as it came: "/path?query", or "*" with OPTIONS, or anything with CONNECT
  int minor = 1;       ///< HTTP/1.0 or HTTP/1.1
  bool keep_alive = true;
  bool expects_continue = false;
  Framing framing = Framing::kNone;
  std::size_t length = 0;  ///< with kLength: at most kMaxBodyBytes
  std::string host;
  std::string content_type;
  std::string authorization;

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
};

/// Looks for the end of the head in bytes that may be incomplete, from `scanned` on: nothing before it has to be seen again.
/// A number: the head's bytes, including the empty line. No value: more bytes are needed. A Fault: no more bytes can help.
std::variant<std::optional<std::size_t>, Fault> find_head_end(std::string_view bytes,
                                                              std::size_t& scanned);

/// REQUIRES: `bytes` is what find_head_end() measured.
std::variant<Head, Fault> parse_head(std::string_view bytes);

/// The bytes that %XX stand for, decoded once. No value where a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace seqd::http
