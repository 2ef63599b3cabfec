#include "adapters/resp/text.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>

#include "adapters/resp/command.h"

namespace seqd::resp {

TEST_CASE("integers are read in the one spelling that Redis takes") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-1") == -1);
  CHECK(parse_integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  for (const char* bad :
       {"", "-", "+1", "01", "-0", " 1", "1 ", "1e3", "x", "9223372036854775808",
        "-9223372036854775809", "99999999999999999999", "999999999999999999999"}) {
    CAPTURE(bad);
    CHECK(!parse_integer(bad));
  }
}

TEST_CASE("integers are written as they are read") {
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{9}, std::int64_t{10}, std::int64_t{99}, std::int64_t{100},
        std::int64_t{12345}, std::int64_t{-7}, std::int64_t{9007199254740991},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    std::array<char, kMaxIntegerBytes> out;
    const char* end = write_integer(out.data(), v);
    CHECK(std::string(out.data(), static_cast<std::size_t>(end - out.data())) == std::to_string(v));
  }
}

TEST_CASE("patterns match as in CONFIG GET") {
  CHECK(matches("*", "save"));
  CHECK(matches("SA*", "save"));
  CHECK(matches("*a?e", "save"));
  CHECK(matches("****", ""));
  CHECK(!matches("sav", "save"));
  CHECK(!matches("", "save"));
  CHECK(!matches("s*x", "save"));
}

TEST_CASE("every command is found by its name in any case, and no name stands twice") {
  for (const auto table : {served_commands(), refused_commands()}) {
    for (const Command& command : table) {
      CHECK(command.name.size() <= kMaxNameBytes);
      std::string upper(command.name);
      for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
      CHECK(find_command(upper) == &command);
      CHECK(!command.text.empty());
    }
  }
  CHECK(find_command("nope") == nullptr);
  CHECK(find_command("") == nullptr);
  CHECK(find_command("incrincrincrincrincr") == nullptr);
}

}  // namespace seqd::resp
