// "Did you mean …?" for keys that do not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace seqd::yaml {

/// Insertions, deletions, replacements and swaps of neighbours that make one of the other; texts are cut at 64 bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean section.name?" or, where nothing is near, "; expected one of …".
std::string nearest_key(std::string_view key);
std::string nearest_section(std::string_view name);

}  // namespace seqd::yaml
