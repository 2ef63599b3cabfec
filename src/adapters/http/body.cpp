#include "adapters/http/body.h"

#include <algorithm>

namespace seqd::http {
namespace {

constexpr Fault kBadChunk{400, "the chunks of the body are malformed"};
constexpr Fault kTooLarge{413, "the body is larger than 64 KiB"};
constexpr std::size_t kMaxFraming = kMaxBodyBytes;
constexpr std::size_t kMaxLine = 256;

}  // namespace

BodyReader::BodyReader(const Head& head)
    : state_(head.framing == Head::Framing::kLength    ? State::kLength
             : head.framing == Head::Framing::kChunked ? State::kSizeLine
                                                       : State::kDone),
      left_(head.length) {}

std::optional<Fault> BodyReader::size_line() {
  std::size_t digits = 0;
  std::size_t size = 0;
  for (; digits < line_.size() && line_[digits] != ';' && line_[digits] != ' '; ++digits) {
    const char c = line_[digits];
    const char* known = "0123456789abcdefABCDEF";
    const std::size_t at = std::string_view(known).find(c);
    if (c == '\0' || at == std::string_view::npos || digits == 8) return kBadChunk;
    size = size * 16 + (at < 16 ? at : at - 6);
  }
  if (digits == 0) return kBadChunk;
  if (size > kMaxBodyBytes - body_.size()) return kTooLarge;
  left_ = size;
  state_ = size > 0 ? State::kData : State::kTrailer;
  return std::nullopt;
}

std::optional<Fault> BodyReader::feed(std::string_view bytes, std::size_t& used) {
  used = 0;
  while (used < bytes.size() && state_ != State::kDone) {
    if (state_ == State::kLength || state_ == State::kData) {
      const std::size_t n = std::min(left_, bytes.size() - used);
      body_.append(bytes, used, n);
      used += n;
      left_ -= n;
      if (left_ == 0) state_ = state_ == State::kLength ? State::kDone : State::kDataEnd;
      continue;
    }
    // A line: a chunk's size, the end of a chunk, a trailer. Its only end is CR LF.
    if (++framing_ > kMaxFraming) return kTooLarge;
    const char c = bytes[used++];
    const bool after_cr = line_.ends_with('\r');
    if ((c == '\n') != after_cr || c == '\0') return kBadChunk;
    if (c != '\n') {
      line_ += c;
      if (line_.size() > kMaxLine) return kBadChunk;
      if (state_ == State::kDataEnd && line_ != "\r") return kBadChunk;
      continue;
    }
    line_.pop_back();
    if (state_ == State::kDataEnd) {
      state_ = State::kSizeLine;
    } else if (state_ == State::kTrailer) {
      if (line_.empty()) state_ = State::kDone;
    } else if (const auto fault = size_line()) {
      return fault;
    }
    line_.clear();
  }
  return std::nullopt;
}

}  // namespace seqd::http
