// Finds commands in a contiguous run of bytes: RESP arrays of bulk strings, and inline commands as people type them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seqd::resp {

inline constexpr std::size_t kMaxArgs = 1024;
inline constexpr std::size_t kMaxBulkBytes = 4096;
inline constexpr std::size_t kMaxInlineBytes = 16 * 1024;
inline constexpr std::size_t kMaxHeaderBytes = 32;  ///< of a "*n" or "$n" line, without its CR LF
inline constexpr std::size_t kMaxCommandBytes = 256 * 1024;
inline constexpr std::size_t kMaxArgsBeforeAuth = 10;
inline constexpr std::size_t kMaxBulkBeforeAuth = 16 * 1024;

/// The words of one command. They view the input, or `unquoted` for inline commands: valid until either changes.
/// Large, so one for each event loop, not for each connection.
struct Args {
  std::size_t n = 0;
  std::array<std::string_view, kMaxArgs> v;
  std::string unquoted;

  std::string_view operator[](std::size_t i) const { return v[i]; }
  std::size_t size() const { return n; }
};

/// Splits an inline command as a shell would: "…" with \n \r \t \b \a \xHH, '…' with \', and bare words.
/// False: a quote is not closed, is followed by a letter, or there are more than kMaxArgs words.
bool split_inline(std::string_view line, Args& args);

/// One for each connection. Thread-compatible. After kMore call next() again with the same unused bytes and more behind them,
/// at any address: work already done is not repeated, so the time is linear however the input is cut. The results do not
/// depend on how it is cut either.
class Parser {
 public:
  enum class Status : unsigned char {
    kCommand,  ///< args hold it; ENSURES args.n >= 1; the first used() bytes are done with
    kMore,     ///< no whole command yet; the first used() bytes are done with (empty commands)
    kError,    ///< error() says why; what follows cannot be understood, so close after the reply
  };
  Status next(std::string_view in, bool authenticated, Args& args);

  std::size_t used() const { return used_; }
  /// REQUIRES: the last next() gave kError. As Redis words it: "Protocol error: …".
  std::string_view error() const { return error_; }

 private:
  enum class Step : unsigned char { kCommand, kMore, kError, kNothing };
  struct Header {
    Step step = Step::kMore;
    std::int64_t value = 0;
    std::size_t bytes = 0;  // with its CR LF
  };
  struct Piece {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
  };

  Step array(std::string_view in, bool authenticated, Args& args);
  Step line(std::string_view in, Args& args);
  Step fail(std::string_view why);
  static Header header(std::string_view in);

  std::size_t used_ = 0;
  std::size_t at_ = 0;     // where the unfinished command goes on; 0 = no command was begun
  std::size_t count_ = 0;  // arguments of the array
  std::vector<Piece> pieces_;
  std::string error_;
};

}  // namespace seqd::resp
