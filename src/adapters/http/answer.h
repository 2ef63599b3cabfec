// What goes back to a client, before it becomes bytes; and problems, the one form that errors have.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/answer.h"

namespace seqd::http {

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// application/problem+json with type, title, status and detail. A 503 has Retry-After: 1, a 401 says how to authenticate.
Answer problem(int status, std::string_view detail, std::string_view type = "about:blank");
/// The problem of a refusal; its type is "urn:seqd:problem:" and the refusal's name. All but exhausted and batch_too_big are
/// retryable, so 503.
Answer problem(Refusal why, std::string_view detail);

std::string_view reason_phrase(int status);

/// The bytes of an answer that is given without a worker.
std::string bytes_of(const Answer& answer, bool keep_alive, bool with_body);

}  // namespace seqd::http
