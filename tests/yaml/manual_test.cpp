// conf/seqd.yaml is the manual: it is held against the table of fields.
#include <set>
#include <sstream>

#include "adapters/yaml/fields.h"
#include "yaml/support.h"

namespace seqd::yaml {
namespace {

std::vector<std::string> manual_lines() {
  std::ifstream in(SEQD_MANUAL);
  REQUIRE(in.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// "section.name: value" of each key in the manual, with the comment above it.
struct Entry {
  std::string key;
  std::string value;
  std::string comment;
};

std::vector<Entry> manual_entries() {
  std::vector<Entry> result;
  std::string section;
  std::string comment;
  for (const std::string& line : manual_lines()) {
    if (line.starts_with("  #")) {
      comment += line + "\n";
    } else if (line.starts_with("  ")) {
      const auto colon = line.find(": ");
      REQUIRE(colon != std::string::npos);
      result.push_back(
          {section + "." + line.substr(2, colon - 2), line.substr(colon + 2), comment});
      comment.clear();
    } else if (!line.empty() && line.front() != '#') {
      section = line.substr(0, line.find(':'));
      comment.clear();
    }
  }
  return result;
}

TEST_CASE("the manual parses without a warning and equals the defaults") {
  const auto loaded = load(SEQD_MANUAL);
  REQUIRE_MESSAGE(loaded, (loaded ? "" : loaded.error().message));
  CHECK(loaded->warnings.empty());
  CHECK(changed(Settings{}, loaded->settings).empty());
}

TEST_CASE("the manual has exactly the table's keys, in its order, with their defaults") {
  const auto entries = manual_entries();
  REQUIRE(entries.size() == fields().size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CHECK(entries[i].key == fields()[i].key);
    CHECK(entries[i].value == value_text(fields()[i], Settings{}));
  }
}

TEST_CASE("the manual explains every key, and says which ones have no effect yet") {
  for (const Entry& entry : manual_entries()) {
    CAPTURE(entry.key);
    CHECK(entry.comment.size() > 30);
    const Field* const field = find_field(entry.key);
    REQUIRE(field != nullptr);
    CHECK(contains(entry.comment, "No effect yet") == (field->effect == Effect::kNone));
  }
}

TEST_CASE("the table is in order: sections stand together, keys once, each with a help sentence") {
  std::set<std::string_view> sections;
  std::set<std::string_view> keys;
  std::string_view last;
  for (const Field& field : fields()) {
    CAPTURE(field.key);
    CHECK(keys.insert(field.key).second);
    CHECK((field.section() == last || sections.insert(field.section()).second));
    last = field.section();
    CHECK(field.help.ends_with('.'));
  }
}

TEST_CASE("every default is accepted as a value") {
  for (const Field& field : fields()) {
    CAPTURE(field.key);
    const std::string text = std::string(field.section()) + ":\n  " + std::string(field.name()) +
                             ": " + value_text(field, Settings{}) + "\n";
    CHECK(errors(text) == "");
  }
}

}  // namespace
}  // namespace seqd::yaml
