#include "yaml/support.h"

namespace seqd::yaml {
namespace {

std::string secret(std::string_view text) {
  const TempFile file(text);
  const auto result = read_secret(file.path());
  return result ? *result : "refused: " + result.error().message.substr(file.path().size());
}

TEST_CASE("a secret is the file's first line without its end") {
  CHECK(secret("hunter2") == "hunter2");
  CHECK(secret("hunter2\n") == "hunter2");
  CHECK(secret("hunter2\r\nsecond\n") == "hunter2");
  CHECK(secret(" a b \n") == " a b ");
}

TEST_CASE("a secret that is empty, too long or missing is refused") {
  CHECK(contains(secret(""), "refused: : the first line is empty"));
  CHECK(contains(secret("\nsecond"), "refused: : the first line is empty"));
  CHECK(secret(std::string(4096, 'x')).size() == 4096);
  CHECK(contains(secret(std::string(4097, 'x')), "longer than 4096 bytes"));
  CHECK(contains(read_secret("/nonexistent").error().message, "/nonexistent: cannot be read"));
  CHECK(contains(read_secret("/").error().message, "/: is a directory"));
}

TEST_CASE("a secret that everybody may read is warned of, without its content") {
  const TempFile file("hunter2");
  std::vector<std::string> warnings;
  REQUIRE(read_secret(file.path(), &warnings));
  CHECK(warnings.empty());
  std::filesystem::permissions(file.path(), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  REQUIRE(read_secret(file.path(), &warnings));
  REQUIRE(warnings.size() == 1);
  CHECK(contains(warnings[0], file.path()));
  CHECK(!contains(warnings[0], "hunter2"));
}

}  // namespace
}  // namespace seqd::yaml
