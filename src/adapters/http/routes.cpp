#include "adapters/http/routes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "adapters/http/head.h"
#include "adapters/http/route_table.h"
#include "adapters/http/token.h"

namespace seqd::http {

const Routes::Route Routes::kRoutes[] = {
    {"GET", "/", Route::Guard::kOpen, "*", &Routes::page},
    {"GET", "/livez", Route::Guard::kOpen, "*", &Routes::livez},
    {"GET", "/healthz", Route::Guard::kOpen, "*", &Routes::livez},
    {"GET", "/readyz", Route::Guard::kOpen, "*", &Routes::readyz},
    {"GET", "/metrics", Route::Guard::kOpen, "*", &Routes::metrics},
    {"POST", "/v1/conversations/{conv}/seq", Route::Guard::kToken, "count", &Routes::take},
    {"POST", "/v1/conversations/{conv}/floor", Route::Guard::kAdmin, "at_least", &Routes::floor},
    {"GET", "/v1/conversations/{conv}", Route::Guard::kToken, "", &Routes::conversation},
    {"POST", "/v1/msg-ids", Route::Guard::kToken, "count", &Routes::msg_ids},
    {"GET", "/v1/msg-ids/{id}", Route::Guard::kToken, "", &Routes::msg_id},
    {"GET", "/v1/status", Route::Guard::kToken, "", &Routes::status},
    {"GET", "/v1/config", Route::Guard::kToken, "", &Routes::config},
    {"GET", "/v1/top", Route::Guard::kToken, "n", &Routes::top},
    {"POST", "/-/reload", Route::Guard::kAdmin, "", &Routes::reload},
};

namespace {

/// True if the path is one of the pattern's; `id` is then the segment that the braces stand for, still encoded.
bool matches(std::string_view pattern, std::string_view path, std::string_view& id) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == path;
  const std::string_view tail = pattern.substr(pattern.find('}') + 1);
  if (!path.starts_with(pattern.substr(0, open)) || path.size() < open + tail.size() ||
      !path.ends_with(tail)) {
    return false;
  }
  id = path.substr(open, path.size() - open - tail.size());
  return id.find('/') == std::string_view::npos;
}

bool serves(std::string_view route_method, std::string_view method) {
  return method == route_method || (method == "HEAD" && route_method == "GET");
}

std::optional<Answer> check_body(const Request& request) {
  if (request.method != "POST" || request.body.empty()) return std::nullopt;
  const std::string_view type = std::string_view(request.content_type);
  std::string_view media = type.substr(0, type.find(';'));
  while (media.ends_with(' ')) media.remove_suffix(1);
  if (!equal_ignoring_case(media, "application/json")) {
    return problem(415,
                   "no route needs a body, and one that comes must be application/json; "
                   "parameters belong in the query");
  }
  std::string bare = request.body;
  std::erase_if(bare, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  if (bare != "{}") {
    return problem(400,
                   "no route needs a body, and one that comes must be an empty JSON object; "
                   "parameters belong in the query");
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace

bool is_reserved_path(std::string_view path) {
  return path == "/livez" || path == "/readyz" || path == "/healthz" || path == "/metrics";
}

Routes::Routes(Api& api, std::string token, std::int64_t max_batch)
    : api_(api), token_(std::move(token)), max_batch_(max_batch) {}

Answer Routes::answer(const Request& request) const {
  std::vector<std::string_view> allowed;
  for (const Route& route : kRoutes) {
    std::string_view id;
    if (!matches(route.pattern, request.path, id)) continue;
    if (serves(route.method, request.method)) {
      return serve(route, request, percent_decode(id).value_or(""));
    }
    allowed.push_back(route.method);
    if (route.method == "GET") allowed.emplace_back("HEAD");
  }
  const bool whole_server = request.path == "*";
  if (whole_server) allowed = {"GET", "HEAD", "POST"};
  const bool asks_methods = request.method == "OPTIONS";
  if (asks_methods && !allowed.empty()) {
    if (!whole_server) allowed.emplace_back("OPTIONS");
    return Answer{200, "text/plain", "", {{"Allow", joined(allowed)}}};
  }
  if (request.method == "CONNECT") allowed = {"GET", "HEAD", "POST"};
  if (allowed.empty()) return problem(404, "nothing is served at this path");
  Answer answer = problem(405, "this path serves other methods; see Allow");
  answer.headers.emplace_back("Allow", joined(allowed));
  return answer;
}

Answer Routes::serve(const Route& route, const Request& request, const std::string& id) const {
  if (route.guard == Route::Guard::kAdmin && token_.empty()) {
    return problem(403,
                   "this route needs a token and none is configured: write one into a file and "
                   "name it in http.token_file");
  }
  if (route.guard != Route::Guard::kOpen && !token_.empty() &&
      !bears_token(request.authorization, token_)) {
    return problem(401, "the token of http.token_file is asked for: Authorization: Bearer TOKEN");
  }
  if (route.pattern.find("{conv}") != std::string_view::npos && !ConvId::parse(id)) {
    return problem(400, "a conversation id is 1 to 64 bytes of UTF-8 without control characters");
  }
  if (const auto wrong = check_body(request)) return *wrong;
  if (route.parameter == "*") return (this->*route.call)(Call{request, Query{}, id});
  const auto parsed = route.parameter.empty() ? Query::parse(request.query, {})
                                              : Query::parse(request.query, {route.parameter});
  if (const auto* wrong = std::get_if<std::string>(&parsed)) return problem(400, *wrong);
  return (this->*route.call)(Call{request, std::get<Query>(parsed), id});
}

}  // namespace seqd::http
