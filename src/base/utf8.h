// Strict UTF-8, without control characters.
#pragma once

#include <string_view>

namespace seqd {

/// True if the bytes are valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF) and hold no control character
/// (U+0000-U+001F, U+007F-U+009F). The empty string is. Any thread.
bool is_printable_utf8(std::string_view bytes) noexcept;

}  // namespace seqd
