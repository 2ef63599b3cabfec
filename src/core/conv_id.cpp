#include "core/conv_id.h"

#include "base/utf8.h"

namespace seqd {

std::optional<ConvId> ConvId::parse(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kMaxConvIdBytes || !is_printable_utf8(bytes)) {
    return std::nullopt;
  }
  return ConvId(bytes);
}

}  // namespace seqd
