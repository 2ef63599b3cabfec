#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "adapters/yaml/document.h"
#include "adapters/yaml/fields.h"
#include "adapters/yaml/load.h"

namespace seqd::yaml {
namespace {

constexpr std::size_t kMaxSecretBytes = 4096;

/// At most `most` + 1 bytes, so that the caller sees a file that is too large.
Result<std::string> read_file(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{Code::kRefused, path + ": is a directory; expected a file"};
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(most + 1, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad()) {
    return Error{Code::kRefused,
                 path + ": cannot be read: " + std::generic_category().message(errno)};
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

Result<Loaded> load(const std::string& path) {
  const auto text = read_file(path, kMaxFileBytes);
  return text ? parse(*text, path) : Result<Loaded>(text.error());
}

std::string print(const Settings& settings) {
  std::string result;
  std::string_view section;
  for (const Field& field : fields()) {
    if (field.section() != section) {
      section = field.section();
      result += std::string(section) + ":\n";
    }
    result += "  " + std::string(field.name()) + ": " + value_text(field, settings) + "\n";
  }
  return result;
}

Result<std::string> read_secret(const std::string& path, std::vector<std::string>* warnings) {
  auto text = read_file(path, kMaxSecretBytes);
  if (!text) return text;
  std::string secret = text->substr(0, text->find_first_of("\r\n"));
  if (secret.size() > kMaxSecretBytes) {
    return Error{Code::kRefused, path +
                                     ": the first line is longer than 4096 bytes; expected a "
                                     "password or token"};
  }
  if (secret.empty()) {
    return Error{Code::kRefused, path + ": the first line is empty; expected a password or token"};
  }
  struct stat status {};
  if (warnings != nullptr && ::stat(path.c_str(), &status) == 0 &&
      (status.st_mode & S_IROTH) != 0 && S_ISREG(status.st_mode)) {
    warnings->push_back(path + ": everybody on this host may read this secret; better: chmod o-r");
  }
  return secret;
}

}  // namespace seqd::yaml
