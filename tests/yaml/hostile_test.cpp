#include "adapters/yaml/document.h"
#include "yaml/support.h"

namespace seqd::yaml {
namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += part;
  return result;
}

TEST_CASE("what is not YAML is an error with its place") {
  const auto text = errors("resp:\n  threads: [1\nlog: {}\n");
  CHECK(contains(text, "f:3:"));
  CHECK(contains(text, "not valid YAML: "));
  CHECK(contains(errors("resp:\n\tthreads: 1\n"), "f:2:9: not valid YAML: "));
  CHECK(contains(errors("a: \"never closed"), "not valid YAML: "));
  CHECK(contains(errors("a: b: c"), "f:1:5: not valid YAML: "));
}

TEST_CASE("depth is bounded before the parser's stack is") {
  CHECK(!contains(errors(repeated("[", 16) + repeated("]", 16)), "nested"));
  CHECK(contains(errors(repeated("[", 17) + repeated("]", 17)),
                 "nested more than 16 levels deep; expected 2"));
  for (const std::string level : {"[", "{a: ", "- ", "? ", "{", "[{? ", ": "}) {
    CAPTURE(level);
    const auto text = errors(repeated(level, kMaxFileBytes / 8));
    CHECK(contains(text, "f:1:"));
  }
}

TEST_CASE("a file beyond 1 MiB is refused, one of 1 MiB is read") {
  const std::string comment = "#" + repeated("x", kMaxFileBytes - 2) + "\n";
  CHECK(comment.size() == kMaxFileBytes);
  CHECK(errors(comment).empty());
  CHECK(errors(comment + "\n") == "f:1:1: larger than 1 MiB; expected a configuration file");
  const TempFile file(comment + comment);
  const auto loaded = load(file.path());
  REQUIRE(!loaded);
  CHECK(loaded.error().message ==
        file.path() + ":1:1: larger than 1 MiB; expected a configuration file");
}

TEST_CASE("anchors, aliases and tags are refused, so nothing can multiply") {
  CHECK(errors("a: &x [1]\nb: [*x, *x]\n") ==
        "f:1:4: anchors (&name) are not used here; write the value out");
  CHECK(contains(errors("a: &x {b: 1}"), "anchors"));
  CHECK(contains(errors("a: &x 1"), "anchors"));
  CHECK(contains(errors("a: &x\n"), "anchors"));
  CHECK(contains(errors("a: *x"), "f:1:4: "));
  CHECK(errors("resp: {listen: !!str x}") ==
        "f:1:16: tags (!name) are not used here; write the value alone");
  CHECK(contains(errors("resp: !map {}"), "tags"));
}

TEST_CASE("a second document is refused, not skipped") {
  CHECK(contains(errors("resp: {threads: 1}\n---\nresp: {threads: 2}\n"),
                 "a second document begins here"));
}

TEST_CASE("bytes that the parser takes for the end of the file are refused") {
  CHECK(errors("log: {}\na\x04: 1\n") ==
        "f:2:2: control character (byte 4); expected a text file in UTF-8");
  CHECK(contains(errors(std::string_view("\xFF\xFEl\0o\0", 6)), "control character (byte 0)"));
}

TEST_CASE("no text of odd bytes does more than fail") {
  std::string text = "resp: {threads: 1, listen: \"[::1]:1\"}\nlog:\n  - a\n? |\n  b\n: 'c'\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    CHECK(!errors(text.substr(0, i) + "\xC3" + text.substr(i) + "\n]").empty());
    static_cast<void>(errors(text.substr(i)));
    static_cast<void>(errors(text.substr(0, i)));
    for (const char c : {'\t', ':', '-', '[', '"', '%', '&', '\r', '\x80'}) {
      std::string other = text;
      other[i] = c;
      static_cast<void>(errors(other));
    }
  }
}

TEST_CASE("a configuration file that is not there is an error that names it") {
  const auto missing = load("/nonexistent/seqd.yaml");
  REQUIRE(!missing);
  CHECK(missing.error().code == Code::kRefused);
  CHECK(missing.error().message ==
        "/nonexistent/seqd.yaml: cannot be read: No such file or directory");
  CHECK(contains(load("/").error().message, "/: is a directory"));
}

}  // namespace
}  // namespace seqd::yaml
