// The bearer token.
#pragma once

#include <string_view>

namespace seqd::http {

/// True if `authorization` is "Bearer " and the token. Takes as long for a wrong token as for the right one of its length.
/// REQUIRES: token is not empty.
bool bears_token(std::string_view authorization, std::string_view token) noexcept;

}  // namespace seqd::http
