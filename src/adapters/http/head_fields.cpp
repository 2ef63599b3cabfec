#include "adapters/http/head_fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace seqd::http {
namespace {

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

}  // namespace

bool is_token(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

std::optional<Fault> Fields::add(std::string_view line) {
  if (++count_ > kMaxFields) return Fault{431, "more than 64 header fields"};
  if (line.front() == ' ' || line.front() == '\t') {
    return Fault{400, "a header field is folded over lines"};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return Fault{400, "a header field is not of the form name, colon, value"};
  }
  if (colon > kMaxFieldNameBytes) return Fault{431, "the name of a header field is too long"};
  const std::string_view value = trim(line.substr(colon + 1));
  if (std::any_of(value.begin(), value.end(), is_control)) {
    return Fault{400, "a header field holds a control character"};
  }
  return take(line.substr(0, colon), value);
}

std::optional<Fault> Fields::take(std::string_view name, std::string_view value) {
  const std::array<std::pair<std::string_view, std::optional<std::string>*>, 6> once = {{
      {"Host", &host_},
      {"Content-Length", &length_},
      {"Transfer-Encoding", &coding_},
      {"Content-Type", &type_},
      {"Authorization", &authorization_},
      {"Expect", &expect_},
  }};
  for (const auto& [known, place] : once) {
    if (!equal_ignoring_case(name, known)) continue;
    if (place->has_value()) return Fault{400, "a header field that may stand once stands twice"};
    *place = std::string(value);
    return std::nullopt;
  }
  if (equal_ignoring_case(name, "Content-Encoding")) {
    encoded_ = encoded_ || !equal_ignoring_case(value, "identity");
  } else if (equal_ignoring_case(name, "Connection")) {
    for (bool more = true; more;) {
      const std::size_t comma = value.find(',');
      const std::string_view option = trim(value.substr(0, comma));
      close_ = close_ || equal_ignoring_case(option, "close");
      keep_ = keep_ || equal_ignoring_case(option, "keep-alive");
      more = comma != std::string_view::npos;
      if (more) value.remove_prefix(comma + 1);
    }
  }
  return std::nullopt;
}

std::optional<Fault> Fields::finish() {
  if (!host_ && head_.minor >= 1) return Fault{400, "HTTP/1.1 asks for a Host"};
  if (length_ && coding_) {
    return Fault{400, "Content-Length and Transfer-Encoding exclude each other"};
  }
  if (length_) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (length_->empty() || length_->size() > 18 ||
        !std::all_of(length_->begin(), length_->end(), digit)) {
      return Fault{400, "Content-Length is not a plain number"};
    }
    if (std::stoull(*length_) > kMaxBodyBytes) return Fault{413, "the body is larger than 64 KiB"};
    head_.length = static_cast<std::size_t>(std::stoull(*length_));
    head_.framing = head_.length > 0 ? Head::Framing::kLength : Head::Framing::kNone;
  }
  if (coding_) {
    if (head_.minor == 0) return Fault{400, "HTTP/1.0 has no Transfer-Encoding"};
    if (!equal_ignoring_case(*coding_, "chunked")) {
      return Fault{501, "the only transfer coding that is served is: chunked"};
    }
    head_.framing = Head::Framing::kChunked;
  }
  const bool has_body = head_.framing != Head::Framing::kNone;
  if (has_body && encoded_) return Fault{415, "a body must come without Content-Encoding"};
  if (expect_ && head_.minor >= 1) {
    if (!equal_ignoring_case(*expect_, "100-continue")) {
      return Fault{417, "the only expectation that is met is: 100-continue"};
    }
    head_.expects_continue = has_body;
  }
  head_.keep_alive = !close_ && (head_.minor >= 1 || keep_);
  head_.host = host_.value_or("");
  head_.content_type = type_.value_or("");
  head_.authorization = authorization_.value_or("");
  return std::nullopt;
}

}  // namespace seqd::http
