#include "adapters/http/query.h"

#include <algorithm>
#include <charconv>

namespace seqd::http {

std::variant<Query, std::string> Query::parse(std::string_view text,
                                              std::initializer_list<std::string_view> known) {
  Query query;
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string wrong = "the query holds a parameter that this route does not know; it knows:";
      for (const std::string_view one : known) (wrong += ' ') += one;
      return known.size() == 0 ? std::string("this route takes no query parameter") : wrong;
    }
    if (query.get(name)) return "the query holds a parameter twice";
    query.parameters_.emplace_back(
        name, equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1));
  }
  return query;
}

std::optional<std::string_view> Query::get(std::string_view name) const {
  for (const auto& [known, value] : parameters_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> plain_number(std::string_view text, std::int64_t low,
                                         std::int64_t high) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::int64_t value = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), digit)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < low || value > high) return std::nullopt;
  return value;
}

}  // namespace seqd::http
