#include "adapters/resp/parser.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "resp/client.h"

namespace seqd::resp {
namespace {

using namespace std::string_literals;

// What a connection would make of these pieces, as text. Each step's bytes lie in a fresh buffer of the exact size, so that
// a read past them is seen by the sanitizers.
std::string parsed(const std::vector<std::string_view>& pieces, bool authenticated = true) {
  Parser parser;
  const auto args = std::make_unique<Args>();
  std::string seen;
  std::string tail;
  for (const std::string_view piece : pieces) {
    const std::string joined = tail + std::string(piece);
    const std::unique_ptr<char[]> exact(new char[joined.size()]);
    std::memcpy(exact.get(), joined.data(), joined.size());
    std::string_view in(exact.get(), joined.size());
    for (;;) {
      const auto status = parser.next(in, authenticated, *args);
      if (status == Parser::Status::kError) return seen + "error: " + std::string(parser.error());
      if (status == Parser::Status::kCommand) {
        seen += "(";
        for (std::size_t i = 0; i < args->size(); ++i) {
          seen += (i == 0 ? "" : "|") + std::string((*args)[i]);
        }
        seen += ")";
      }
      in.remove_prefix(parser.used());
      if (status == Parser::Status::kMore) break;
    }
    tail = in;
  }
  return seen;
}

std::string big_array() {
  std::string text = "*1024\r\n";
  for (int i = 0; i < 1024; ++i) text += "$1\r\nx\r\n";
  return text;
}

struct Case {
  std::string bytes;
  std::string seen;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"PING\r\n", "(PING)"},
      {"PING\n", "(PING)"},
      {"\r\n  \r\n*0\r\n*-1\r\n*-10\r\nPING\r\n", "(PING)"},
      {"*2\r\n$4\r\nINCR\r\n$10\r\nseq:conv:1\r\n", "(INCR|seq:conv:1)"},
      {"*3\r\n$6\r\nINCRBY\r\n$10\r\nseq:conv:1\r\n$1\r\n5\r\n*1\r\n$4\r\nPING\r\n",
       "(INCRBY|seq:conv:1|5)(PING)"},
      {"*2\r\n$0\r\n\r\n$0\r\n\r\n", "(|)"},
      {"*1\r\n$0\r\n\r\n", "()"},
      {"*2\r\n$2\r\n\r\n\r\n$1\r\n\0\r\n"s, "(\r\n|\0)"s},
      {"*1\r\n$120\r\n" + std::string(120, 'k') + "\r\n", "(" + std::string(120, 'k') + ")"},
      {"*12\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne\r\n$1\r\nf\r\n$1\r\ng\r\n$1\r\nh"
       "\r\n$1\r\ni\r\n$1\r\nj\r\n$1\r\nk\r\n$1\r\nl\r\n",
       "(a|b|c|d|e|f|g|h|i|j|k|l)"},
      {"SET q \"a\\x41b\\n\"\r\n", "(SET|q|aAb\n)"},
      {"SET 'it\\'s' \"\" x\"y z\"\n", "(SET|it's||xy z)"},
      {"a \"\\x4\\q\\\"\"\r\n", "(a|x4q\")"},
      {"SET q \"unbal\r\n", "error: Protocol error: unbalanced quotes in request"},
      {"SET q 'a'b\r\n", "error: Protocol error: unbalanced quotes in request"},
      {"*x\r\n", "error: Protocol error: invalid multibulk length"},
      {"*\r\n", "error: Protocol error: invalid multibulk length"},
      {"*+1\r\n", "error: Protocol error: invalid multibulk length"},
      {"*01\r\n", "error: Protocol error: invalid multibulk length"},
      {"* 1\r\n", "error: Protocol error: invalid multibulk length"},
      {"*1.5\r\n", "error: Protocol error: invalid multibulk length"},
      {"*-0\r\n", "error: Protocol error: invalid multibulk length"},
      {"*2147483648\r\n", "error: Protocol error: invalid multibulk length"},
      {"*99999999999999999999\r\n", "error: Protocol error: invalid multibulk length"},
      {"*1048577\r\n", "error: Protocol error: invalid multibulk length"},
      {"*1025\r\n", "error: Protocol error: invalid multibulk length"},
      {"*1\rX", "error: Protocol error: invalid multibulk length"},
      {"*" + std::string(70000, '1'), "error: Protocol error: too big mbulk count string"},
      {"*1\r\n$" + std::string(70000, '1'), "error: Protocol error: too big bulk count string"},
      {"*2\r\n$-1\r\n", "error: Protocol error: invalid bulk length"},
      {"*1\r\n$-5\r\n", "error: Protocol error: invalid bulk length"},
      {"*1\r\n$abc\r\n", "error: Protocol error: invalid bulk length"},
      {"*1\r\n$01\r\n", "error: Protocol error: invalid bulk length"},
      {"*1\r\n$536870913\r\n", "error: Protocol error: invalid bulk length"},
      {"*1\r\n$4097\r\n", "error: Protocol error: invalid bulk length"},
      {"*1\r\n:5\r\n", "error: Protocol error: expected '$', got ':'"},
      {"*1\r\n\x01", "error: Protocol error: expected '$', got '?'"},
      {"*1\r\n$4\r\nPINGXX", "error: Protocol error: expected CR LF after a bulk string"},
      {"*1\r\n$4\r\nPING\rX", "error: Protocol error: expected CR LF after a bulk string"},
      {"*2\r\n$4\r\nINCR\r\n$9\r\nseq:conv:1\r\n",
       "error: Protocol error: expected CR LF after a bulk string"},
      {"*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPINGXX",
       "(PING)error: Protocol error: expected CR LF after a bulk string"},
      {std::string(17000, 'A'), "error: Protocol error: too big inline request"},
      {std::string(17000, 'A') + "\r\n", "error: Protocol error: too big inline request"},
      {"*2\r\n$4\r\nINCR\r\n$10\r\nseq:con", ""},
  };
  return all;
}

}  // namespace

TEST_CASE("a parser reads the usual and the hostile as it should") {
  for (const Case& c : cases()) {
    CAPTURE(c.bytes.substr(0, 60));
    CHECK(parsed({c.bytes}) == c.seen);
  }
}

TEST_CASE("input cut at any byte gives the same commands and errors") {
  for (const Case& c : cases()) {
    CAPTURE(c.bytes.substr(0, 60));
    const std::string whole = parsed({c.bytes});
    const std::string_view bytes = c.bytes;
    const std::size_t step = bytes.size() > 1000 ? 997 : 1;
    for (std::size_t cut = 0; cut <= bytes.size(); cut += step) {
      CHECK(parsed({bytes.substr(0, cut), bytes.substr(cut)}) == whole);
    }
    if (bytes.size() > 1000) continue;
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
    CHECK(parsed(single) == whole);
  }
}

TEST_CASE("random bytes, cut at random, give what they give in one piece") {
  std::mt19937 random(7);
  const std::string alphabet = "*$-0123\r\n\r\n\r\nAB\"' x\\";
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (std::size_t n = random() % 40; n > 0; --n) bytes += alphabet[random() % alphabet.size()];
    const std::string_view view = bytes;
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = 1 + random() % 7;
      pieces.push_back(view.substr(at, n));
      at += n;
    }
    CAPTURE(bytes);
    REQUIRE(parsed(pieces) == parsed({view}));
  }
}

TEST_CASE("before AUTH an array has at most 10 words") {
  CHECK(parsed({"*11\r\n"}, false) == "error: Protocol error: unauthenticated multibulk length");
  CHECK(parsed({"*1\r\n$16385\r\n"}, false) ==
        "error: Protocol error: unauthenticated bulk length");
  CHECK(parsed({"*1\r\n$4\r\nPING\r\n"}, false) == "(PING)");
}

TEST_CASE("a command of many words or bytes is bounded") {
  CHECK(parsed({big_array()}).size() == 2 * 1024 + 1);
  std::string text = "*1024\r\n";
  for (int i = 0; i < 1024; ++i) text += "$4096\r\n" + std::string(4096, 'x') + "\r\n";
  CHECK(parsed({text}) == "error: Protocol error: invalid bulk length");
}

TEST_CASE("partial input is not scanned again and again") {
  // 16 KiB without a newline and a command of 255 KiB, byte by byte: quadratic work would be 10^10 steps.
  const auto begin = std::chrono::steady_clock::now();
  Parser parser;
  const auto args = std::make_unique<Args>();
  const std::string line(kMaxInlineBytes, 'a');
  for (std::size_t n = 1; n <= line.size(); ++n) {
    REQUIRE(parser.next(std::string_view(line).substr(0, n), true, *args) == Parser::Status::kMore);
  }
  std::string text = "*60\r\n";
  for (int i = 0; i < 60; ++i) text += "$4096\r\n" + std::string(4096, 'x') + "\r\n";
  Parser other;
  for (std::size_t n = 1; n < text.size(); ++n) {
    REQUIRE(other.next(std::string_view(text).substr(0, n), true, *args) == Parser::Status::kMore);
  }
  CHECK(other.next(text, true, *args) == Parser::Status::kCommand);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

}  // namespace seqd::resp
