// The one table of configuration keys (DESIGN 8): the file, --print-config and the manual are held against it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/settings.h"

namespace seqd::yaml {

/// What a text must look like. Empty = it does; otherwise what was expected.
using Rule = std::string_view (*)(std::string_view text);

struct Text {
  std::string& (*of)(Settings&);
  Rule rule;
};
struct Choice {
  std::string& (*of)(Settings&);
  std::string_view names;  ///< "auto|redis|segment"
};
struct Integer {
  std::int64_t& (*of)(Settings&);
  std::int64_t least;
  std::int64_t most;
};
struct Real {
  double& (*of)(Settings&);
  double least;
  double most;
};
struct Flag {
  bool& (*of)(Settings&);
};
struct List {
  std::vector<std::string>& (*of)(Settings&);
  Rule rule;  ///< of each text in it
};

enum class Reload : bool { kNo, kYes };
enum class Effect : bool { kNone, kYes };

struct Field {
  std::string_view key;  ///< "section.name"
  std::variant<Text, Choice, Integer, Real, Flag, List> shape;
  Reload reload;  ///< kYes: a running daemon may take a new value over
  Effect effect;  ///< kNone: DESIGN has the key, and this version reads it without acting on it
  std::string_view help;

  std::string_view section() const { return key.substr(0, key.find('.')); }
  std::string_view name() const { return key.substr(key.find('.') + 1); }
};

/// Every key, grouped by section, in the order of DESIGN 8. Lives for the whole process.
std::span<const Field> fields();

/// The field of that key, or nullptr.
const Field* find_field(std::string_view key);

/// The value of a field as YAML on one line; texts are quoted so that reading it back gives the same value.
std::string value_text(const Field& field, const Settings& settings);

/// Fields whose values differ, in the table's order.
std::vector<const Field*> changed(const Settings& before, const Settings& after);

}  // namespace seqd::yaml
