#include "adapters/yaml/load.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "adapters/yaml/document.h"
#include "adapters/yaml/fields.h"
#include "adapters/yaml/nearest.h"
#include "adapters/yaml/rules.h"
#include "adapters/yaml/value.h"

namespace seqd::yaml {
namespace {

std::string line_of(std::string_view file, const Place& place, std::string_view text) {
  return std::string(file) + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
         ": " + std::string(text);
}

bool is_section(std::string_view name) {
  return std::ranges::any_of(fields(), [&](const Field& f) { return f.section() == name; });
}

/// One pass over a document.
class Reading {
 public:
  explicit Reading(std::string_view file) : file_(file) {}

  Result<Loaded> read(const Node& root) {
    if (root.kind == Node::Kind::kMap) {
      each_pair(root, "", [&](const Node& name, const Node& body) { read_section(name, body); });
    } else if (root.kind != Node::Kind::kNull) {
      problem(root.place,
              "expected sections with keys, such as 'resp:' and below it '  listen: …'");
    }
    judge();
    if (!problems_.empty()) return Error{Code::kRefused, joined()};
    return Loaded{std::move(settings_), std::move(warnings_)};
  }

 private:
  /// Calls `take` for each key that is a text and stands there for the first time.
  template <class Take>
  void each_pair(const Node& map, const std::string& prefix, Take take) {
    std::map<std::string_view, Place> seen;
    for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
      const Node& key = map.items[i];
      if (key.kind != Node::Kind::kPlain && key.kind != Node::Kind::kQuoted) {
        problem(key.place, "this key is not a text; expected 'name: value'");
      } else if (const auto [at, fresh] = seen.emplace(key.text, key.place); !fresh) {
        problem(key.place, prefix + shown_key(key.text) + ": stands in line " +
                               std::to_string(at->second.line) + " already; expected once");
      } else {
        take(key, map.items[i + 1]);
      }
    }
  }

  void read_section(const Node& name, const Node& body) {
    if (!is_section(name.text)) {
      problem(name.place, shown_key(name.text) + ": unknown section" + nearest_section(name.text));
    } else if (body.kind == Node::Kind::kMap) {
      each_pair(body, name.text + ".", [&](const Node& key, const Node& value) {
        read_value(name.text + "." + key.text, key, value);
      });
    } else if (body.kind != Node::Kind::kNull) {  // a section whose keys are all commented out
      problem(body.place, name.text + ": expected a map of keys");
    }
  }

  void read_value(const std::string& full, const Node& key, const Node& value) {
    const Field* const field = find_field(full);
    if (field == nullptr) {
      problem(key.place, shown_key(full) + ": unknown key" + nearest_key(full));
      return;
    }
    places_[field->key] = value.place;
    if (const auto wrong = assign(*field, value, settings_)) {
      bad_.insert(field->key);
      problem(value.kind == Node::Kind::kNull ? key.place : wrong->place,
              full + ": " + wrong->text);
    }
  }

  /// A rule over a key that is wrong by itself would only repeat the complaint.
  void judge() {
    for (const Finding& f : broken_rules(settings_)) {
      if (std::ranges::none_of(f.keys, [&](auto key) { return bad_.contains(key); })) {
        problem(place_of(f), std::string(f.keys.front()) + ": " + f.text);
      }
    }
    for (const Finding& f : doubtful(settings_)) {
      warnings_.push_back(line_of(file_, place_of(f), std::string(f.keys.front()) + ": " + f.text));
    }
  }

  /// Of the first key that the file has.
  Place place_of(const Finding& finding) const {
    for (const auto key : finding.keys) {
      if (const auto at = places_.find(key); at != places_.end()) return at->second;
    }
    return {};
  }

  /// A key as it can be printed; good ones as they are.
  static std::string shown_key(std::string_view key) {
    const std::string text = shown(key);
    return text.substr(1, text.size() - 2) == key ? std::string(key) : text;
  }

  void problem(const Place& place, std::string text) {
    problems_.push_back({place, std::move(text)});
  }

  std::string joined() {
    std::ranges::stable_sort(problems_,
                             [](const Problem& a, const Problem& b) { return a.place < b.place; });
    std::string result;
    for (const Problem& p : problems_) {
      result += (result.empty() ? "" : "\n") + line_of(file_, p.place, p.text);
    }
    return result;
  }

  std::string_view file_;
  Settings settings_;
  std::vector<Problem> problems_;
  std::vector<std::string> warnings_;
  std::map<std::string_view, Place> places_;
  std::set<std::string_view> bad_;
};

}  // namespace

Result<Loaded> parse(std::string_view text, std::string_view file_name) {
  const auto document = read_document(text);
  if (const auto* const problem = std::get_if<Problem>(&document)) {
    return Error{Code::kRefused, line_of(file_name, problem->place, problem->text)};
  }
  return Reading(file_name).read(std::get<Node>(document));
}

}  // namespace seqd::yaml
