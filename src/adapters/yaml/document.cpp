#include "adapters/yaml/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>
#include <utility>

namespace seqd::yaml {
namespace {

Place place_of(const YAML::Mark& mark) {
  return mark.is_null() ? Place{} : Place{mark.line + 1, mark.column + 1};
}

/// Thrown through yaml-cpp's recursion, which is the only way to end it early.
struct Stop {
  Problem problem;
};

/// Events instead of YAML::Load: they come before the parser descends, so that depth can be bounded; and duplicate keys
/// and aliases, which YAML::Node hides, are still there to be seen.
class TreeBuilder final : public YAML::EventHandler {
 public:
  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw Stop{{place_of(mark), "a second document begins here; expected one document"}};
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(Node::Kind::kNull, mark, {});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw Stop{{place_of(mark), "aliases (*name) are not used here; write the value out"}};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    if (tag != "?" && tag != "!") refuse_tag(mark);
    add(tag == "?" ? Node::Kind::kPlain : Node::Kind::kQuoted, mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      throw Stop{{place_of(mark), "anchors (&name) are not used here; write the value out"}};
    }
  }
  static void refuse_tag(const YAML::Mark& mark) {
    throw Stop{{place_of(mark), "tags (!name) are not used here; write the value alone"}};
  }

  Node& add(Node::Kind kind, const YAML::Mark& mark, std::string text) {
    Node node{kind, place_of(mark), std::move(text), {}};
    if (open_.empty()) {
      root_ = std::move(node);
      return root_;
    }
    return open_.back()->items.emplace_back(std::move(node));
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    if (tag != "?" && !tag.empty()) refuse_tag(mark);
    if (open_.size() == kMaxDepth) {
      throw Stop{{place_of(mark),
                  "nested more than " + std::to_string(kMaxDepth) + " levels deep; expected 2"}};
    }
    open_.push_back(&add(kind, mark, {}));
  }

  Node root_;
  std::vector<Node*> open_;  // stay valid: only the innermost open node's items grow
  int documents_ = 0;
};

/// yaml-cpp takes byte 0x04 for the end of the file, and NUL for the start of UTF-16.
std::optional<Problem> find_control_byte(std::string_view text) {
  Place place;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') {
      return Problem{place, "control character (byte " + std::to_string(byte) +
                                "); expected a text file in UTF-8"};
    }
    if (c == '\n') {
      place = {place.line + 1, 1};
    } else {
      ++place.column;
    }
  }
  return std::nullopt;
}

}  // namespace

std::variant<Node, Problem> read_document(std::string_view text) {
  if (text.size() > kMaxFileBytes) {
    return Problem{{}, "larger than 1 MiB; expected a configuration file"};
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (auto problem = find_control_byte(text)) return *std::move(problem);
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    return stop.problem;
  } catch (const YAML::Exception& e) {
    return Problem{place_of(e.mark), "not valid YAML: " + e.msg};
  }
  return builder.take_root();
}

}  // namespace seqd::yaml
