#include "adapters/http/token.h"

#include <cstddef>

#include "adapters/http/head.h"

namespace seqd::http {

bool bears_token(std::string_view authorization, std::string_view token) noexcept {
  constexpr std::string_view kScheme = "Bearer ";
  if (!equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  // As many steps as the given text is long, whatever the token is.
  volatile unsigned difference = given.size() == token.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto x = static_cast<unsigned char>(given[i]);
    const auto y = static_cast<unsigned char>(token[i % token.size()]);
    difference = difference | static_cast<unsigned>(x ^ y);
  }
  return difference == 0;
}

}  // namespace seqd::http
