// The body of a request, taken off the connection byte by byte as its head announced it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/head.h"

namespace seqd::http {

/// One body. Thread-compatible.
class BodyReader {
 public:
  explicit BodyReader(const Head& head);

  /// Takes what belongs to the body from the beginning of `bytes`; says how much that was. A Fault: the rest of the
  /// connection has no meaning any more.
  std::optional<Fault> feed(std::string_view bytes, std::size_t& used);
  bool done() const { return state_ == State::kDone; }
  /// REQUIRES: done()
  const std::string& body() const { return body_; }

 private:
  enum class State : unsigned char { kLength, kSizeLine, kData, kDataEnd, kTrailer, kDone };

  std::optional<Fault> size_line();

  State state_;
  std::size_t left_ = 0;  // of the body, or of the chunk
  std::size_t framing_ =
      0;  // bytes of sizes, extensions and trailers: bounded like the body itself
  std::string line_;
  std::string body_;
};

}  // namespace seqd::http
