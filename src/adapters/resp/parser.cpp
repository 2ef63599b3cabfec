#include "adapters/resp/parser.h"

#include <algorithm>
#include <cstring>

#include "adapters/resp/text.h"

namespace seqd::resp {
namespace {

bool is_crlf(const char* p) { return p[0] == '\r' && p[1] == '\n'; }

// The common form: a whole array of at most 9 arguments of at most 99 bytes. Anything else, wrong or unfinished, is left to
// the careful path, so this one needs no errors and no state.
std::size_t whole_small_array(std::string_view in, Args& args) {
  const char* p = in.data();
  const char* const end = p + in.size();
  if (in.size() < 10 || p[0] != '*' || !is_crlf(p + 2)) return 0;
  const unsigned count = static_cast<unsigned char>(p[1]) - unsigned{'0'};
  if (count - 1U > 8U) return 0;
  p += 4;
  for (unsigned i = 0; i < count; ++i) {
    if (end - p < 6 || p[0] != '$') return 0;
    unsigned size = static_cast<unsigned char>(p[1]) - unsigned{'0'};
    if (size > 9U) return 0;
    p += 2;
    if (*p != '\r') {
      const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
      if (digit > 9U || size == 0U) return 0;
      size = size * 10U + digit;
      ++p;
    }
    if (static_cast<std::size_t>(end - p) < size + 4U || !is_crlf(p)) return 0;
    p += 2;
    args.v[i] = std::string_view(p, size);
    p += size;
    if (!is_crlf(p)) return 0;
    p += 2;
  }
  args.n = count;
  return static_cast<std::size_t>(p - in.data());
}

}  // namespace

Parser::Status Parser::next(std::string_view in, bool authenticated, Args& args) {
  if (at_ == 0) {
    used_ = whole_small_array(in, args);
    if (used_ != 0) return Status::kCommand;
  }
  used_ = 0;
  for (;;) {
    const std::string_view rest = in.substr(used_);
    if (rest.empty()) return Status::kMore;
    const Step step = rest.front() == '*' ? array(rest, authenticated, args) : line(rest, args);
    if (step == Step::kMore) return Status::kMore;
    if (step == Step::kError) return Status::kError;
    used_ += at_;
    at_ = 0;
    if (step == Step::kCommand) return Status::kCommand;
  }
}

Parser::Step Parser::fail(std::string_view why) {
  at_ = 0;
  error_ = "Protocol error: ";
  error_ += why;
  return Step::kError;
}

// The number behind the first byte of a line. kError: longer than any number can be.
Parser::Header Parser::header(std::string_view in) {
  const std::size_t cr = in.substr(0, kMaxHeaderBytes + 1).find('\r');
  if (cr == std::string_view::npos) {
    return {in.size() > kMaxHeaderBytes ? Step::kError : Step::kMore, 0, 0};
  }
  if (cr + 1 == in.size()) return {};
  const auto value = parse_integer(in.substr(1, cr - 1));
  if (!value || in[cr + 1] != '\n') return {Step::kNothing, 0, 0};
  return {Step::kCommand, *value, cr + 2};
}

Parser::Step Parser::array(std::string_view in, bool authenticated, Args& args) {
  if (at_ == 0) {
    const Header head = header(in);
    if (head.step == Step::kMore) return Step::kMore;
    if (head.step == Step::kError) return fail("too big mbulk count string");
    if (head.step == Step::kNothing || head.value > static_cast<std::int64_t>(kMaxArgs)) {
      return fail("invalid multibulk length");
    }
    if (head.value > static_cast<std::int64_t>(kMaxArgsBeforeAuth) && !authenticated) {
      return fail("unauthenticated multibulk length");
    }
    at_ = head.bytes;
    if (head.value <= 0) return Step::kNothing;
    count_ = static_cast<std::size_t>(head.value);
    pieces_.clear();
  }
  while (pieces_.size() < count_) {
    const std::string_view rest = in.substr(at_);
    if (rest.empty()) return Step::kMore;
    if (rest.front() != '$') {
      const char got = rest.front() >= ' ' && rest.front() <= '~' ? rest.front() : '?';
      return fail(std::string("expected '$', got '") + got + "'");
    }
    const Header head = header(rest);
    if (head.step == Step::kMore) return Step::kMore;
    if (head.step == Step::kError) return fail("too big bulk count string");
    if (head.step == Step::kNothing || head.value < 0) return fail("invalid bulk length");
    const auto size = static_cast<std::uint64_t>(head.value);
    if (size > kMaxBulkBeforeAuth && !authenticated) return fail("unauthenticated bulk length");
    if (size > kMaxBulkBytes || at_ + head.bytes + size + 2 > kMaxCommandBytes) {
      return fail("invalid bulk length");
    }
    const std::size_t end = head.bytes + size;
    if ((rest.size() > end && rest[end] != '\r') ||
        (rest.size() > end + 1 && rest[end + 1] != '\n')) {
      return fail("expected CR LF after a bulk string");
    }
    if (rest.size() < end + 2) return Step::kMore;
    pieces_.push_back(
        {static_cast<std::uint32_t>(at_ + head.bytes), static_cast<std::uint32_t>(size)});
    at_ += end + 2;
  }
  args.n = count_;
  for (std::size_t i = 0; i < count_; ++i) args.v[i] = in.substr(pieces_[i].at, pieces_[i].size);
  if (pieces_.capacity() > 64) pieces_ = {};
  return Step::kCommand;
}

Parser::Step Parser::line(std::string_view in, Args& args) {
  const std::size_t newline = in.find('\n', at_);
  if (std::min(newline, in.size()) > kMaxInlineBytes) return fail("too big inline request");
  if (newline == std::string_view::npos) {
    at_ = in.size();
    return Step::kMore;
  }
  at_ = newline + 1;
  const std::size_t end = newline > 0 && in[newline - 1] == '\r' ? newline - 1 : newline;
  if (!split_inline(in.substr(0, end), args)) return fail("unbalanced quotes in request");
  return args.n == 0 ? Step::kNothing : Step::kCommand;
}

}  // namespace seqd::resp
