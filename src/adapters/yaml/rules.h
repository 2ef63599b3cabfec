// What must hold between keys, and what a person should be told about a configuration that is valid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/settings.h"

namespace seqd::yaml {

struct Finding {
  std::vector<std::string_view> keys;  ///< that take part; the first is the one to name
  std::string text;
};

/// REQUIRES: each value is good by itself.
std::vector<Finding> broken_rules(const Settings& settings);
std::vector<Finding> doubtful(const Settings& settings);

}  // namespace seqd::yaml
