// Builds replies in RESP2 or RESP3, one after the other, in one growing run of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "adapters/resp/text.h"

namespace seqd::resp {

/// One for each event loop; a connection's protocol is set before its replies are built. Thread-compatible.
class Reply {
 public:
  int protocol = 2;  ///< 2 or 3

  void integer(std::int64_t v) {
    char* p = room(kMaxIntegerBytes + 3);
    *p++ = ':';
    p = write_integer(p, v);
    *p++ = '\r';
    *p++ = '\n';
    size_ = static_cast<std::size_t>(p - data_.get());
  }
  void bulk(std::string_view text);
  void simple(std::string_view text);
  /// "ERR something": the code comes with the text. CR and LF are shown as spaces, so no text can break the framing.
  void error(std::string_view text) { error(text, {}); }
  void error(std::string_view code, std::string_view text);
  void null();
  void null_array();
  void array(std::size_t n) { head('*', n); }
  /// n pairs follow.
  void map(std::size_t n) { protocol == 3 ? head('%', n) : head('*', 2 * n); }
  void set(std::size_t n) { head(protocol == 3 ? '~' : '*', n); }
  /// Bytes that are a reply already.
  void raw(std::string_view bytes);

  std::string_view bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  void clear();
  /// REQUIRES: size <= size()
  void cut(std::size_t size) { size_ = size; }

 private:
  char* room(std::size_t n) {
    if (capacity_ - size_ < n) grow(n);
    return data_.get() + size_;
  }
  void grow(std::size_t n);
  void head(char type, std::size_t n);
  void line(char type, std::string_view a, std::string_view b);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace seqd::resp
