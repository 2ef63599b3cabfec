// A JSON value that is written, never read: objects keep the order in which they were built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace seqd::http {

/// Thread-compatible. Sequence numbers go in as digits(): 2^53-1 and beyond survive every JSON reader as a string.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() : value_(nullptr) {}
  Json(bool value) : value_(value) {}                    // NOLINT(google-explicit-constructor)
  Json(std::string value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}  // NOLINT(google-explicit-constructor)
  Json(Array value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Json(Object value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)

  /// A JSON number: for small things such as a status code.
  static Json number(std::int64_t value);
  /// A string of decimal digits.
  static Json digits(std::int64_t value) { return std::to_string(value); }

  /// One line, without a line end. Text that is not printable UTF-8 has '?' for each doubtful byte.
  std::string text() const;

 private:
  void write(std::string& out) const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::string, Array, Object> value_;
};

}  // namespace seqd::http
