// The query of a request, read strictly: a parameter that is not understood is an error, never ignored.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace seqd::http {

/// Parameters as they stand, without any decoding. Views of the text that was parsed.
class Query {
 public:
  /// A string: what is wrong with the query. `known` are the names that may occur, each once.
  static std::variant<Query, std::string> parse(std::string_view text,
                                                std::initializer_list<std::string_view> known);
  std::optional<std::string_view> get(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> parameters_;
};

/// Plain decimal digits within low … high; no value otherwise.
std::optional<std::int64_t> plain_number(std::string_view text, std::int64_t low,
                                         std::int64_t high);

}  // namespace seqd::http
