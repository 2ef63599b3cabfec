// Shorthand of the configuration's tests.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "adapters/yaml/load.h"

namespace seqd::yaml {

/// The error lines of a text under the name "f", or "" if it is good.
inline std::string errors(std::string_view text) {
  const auto loaded = parse(text, "f");
  return loaded ? "" : loaded.error().message;
}

/// REQUIRES: the text is good.
inline Settings good(std::string_view text) {
  const auto loaded = parse(text, "f");
  REQUIRE_MESSAGE(loaded, errors(text));
  return loaded->settings;
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A file of its own that is gone afterwards.
class TempFile {
 public:
  explicit TempFile(std::string_view text) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("seqd-yaml-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
    std::ofstream(path_, std::ios::binary) << text;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace seqd::yaml
