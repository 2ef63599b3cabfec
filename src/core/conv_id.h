// A conversation id that has passed the one check there is; equal bytes are the same conversation everywhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace seqd {

inline constexpr std::size_t kMaxConvIdBytes = 64;

/// A view of 1 to 64 bytes of valid UTF-8 without control characters (C0, DEL, C1). Bytes are identity: no case folding,
/// no normalisation, no trimming (DESIGN S6, H40). The viewed bytes must outlive the ConvId.
class ConvId {
 public:
  /// No value if the bytes are not a conversation id.
  static std::optional<ConvId> parse(std::string_view bytes);
  std::string_view bytes() const { return bytes_; }

 private:
  explicit ConvId(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

}  // namespace seqd
