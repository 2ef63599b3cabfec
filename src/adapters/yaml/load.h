// The configuration file: settings and warnings, or everything that is wrong with it at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/settings.h"

namespace seqd::yaml {

struct Loaded {
  Settings settings;                  ///< the file's values; defaults where it has none
  std::vector<std::string> warnings;  ///< "file:line:column: key: …", one sentence each
};

/// The error's message has one line for each problem, "file:line:column: key: what is wrong; expected what", in the
/// file's order; its code is kRefused. Relative paths stay as they are written. An empty text gives the defaults.
/// Thread-safe.
Result<Loaded> parse(std::string_view text, std::string_view file_name);

/// parse() of a file of at most 1 MiB.
Result<Loaded> load(const std::string& path);

/// Every key with its value, as a text that parse() reads back to the same settings. Secrets appear as file names only.
std::string print(const Settings& settings);

/// The file's first line without its line end. kRefused if the file cannot be read or that line is empty or too long.
/// A file that everybody on the host may read adds a warning where `warnings` is given.
Result<std::string> read_secret(const std::string& path,
                                std::vector<std::string>* warnings = nullptr);

}  // namespace seqd::yaml
