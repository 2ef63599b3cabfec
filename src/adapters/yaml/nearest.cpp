#include "adapters/yaml/nearest.h"

#include <algorithm>
#include <vector>

#include "adapters/yaml/fields.h"

namespace seqd::yaml {
namespace {

constexpr std::size_t kMostBytes = 64;

bool is_near(std::size_t distance, std::string_view text) {
  return distance <= std::max<std::size_t>(1, text.size() / 4);
}

std::string did_you_mean(const Field& field) {
  return "; did you mean " + std::string(field.key) + "?";
}

/// The names of a section, or the sections where it is "".
std::string choices(std::string_view section) {
  std::string result;
  std::string_view last;
  for (const Field& field : fields()) {
    if (!section.empty() && field.section() != section) continue;
    const auto name = section.empty() ? field.section() : field.name();
    if (name == last) continue;
    result += (result.empty() ? "" : ", ") + std::string(name);
    last = name;
  }
  return "; expected one of " + result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMostBytes);
  b = b.substr(0, kMostBytes);
  const auto width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return cost.back();
}

std::string nearest_key(std::string_view key) {
  const auto dot = key.find('.');
  const auto section = key.substr(0, dot);
  const auto name = key.substr(dot + 1);
  const Field* best = nullptr;
  std::size_t least = kMostBytes;
  for (const Field& field : fields()) {
    if (field.section() != section) continue;
    if (const auto distance = edit_distance(name, field.name()); distance < least) {
      best = &field;
      least = distance;
    }
  }
  if (best != nullptr && is_near(least, name)) return did_you_mean(*best);
  // The right name in the wrong section.
  const auto same = std::ranges::find(fields(), name, &Field::name);
  return same != fields().end() ? did_you_mean(*same) : choices(section);
}

std::string nearest_section(std::string_view name) {
  for (const Field& field : fields()) {
    if (field.key == name || field.name() == name) {
      return "; write '" + std::string(field.name()) + "' below '" + std::string(field.section()) +
             ":'";
    }
  }
  for (const Field& field : fields()) {
    if (is_near(edit_distance(name, field.section()), name)) {
      return "; did you mean " + std::string(field.section()) + "?";
    }
  }
  return choices("");
}

}  // namespace seqd::yaml
