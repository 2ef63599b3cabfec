// The routes of those who watch and run the daemon.
#include <algorithm>

#include "adapters/http/route_table.h"

namespace seqd::http {
namespace {

constexpr std::string_view kPlain = "text/plain; charset=utf-8";

Answer plain(int status, std::string text) {
  Answer answer;
  answer.status = status;
  answer.type = kPlain;
  answer.body = std::move(text);
  return answer;
}

/// One line of text, whatever the detail holds.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

Answer Routes::page(const Call&) const {
  Answer answer;
  answer.type = "text/html; charset=utf-8";
  answer.body =
      "<!doctype html>\n<html lang=\"en\"><head><meta "
      "charset=\"utf-8\"><title>seqd</title></head>\n"
      "<body><h1>seqd</h1><p>This daemon hands out sequence numbers.</p><ul>\n"
      "<li><a href=\"/v1/status\">status</a></li>\n"
      "<li><a href=\"/readyz?verbose\">readiness</a></li>\n"
      "<li><a href=\"/metrics\">metrics</a></li>\n"
      "<li><a href=\"/v1/config\">configuration</a></li>\n</ul></body></html>\n";
  return answer;
}

Answer Routes::livez(const Call&) const { return plain(200, "ok\n"); }

Answer Routes::readyz(const Call& call) const {
  const std::vector<Check> checks = api_.ready_checks();
  const bool ready = std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.ok; });
  const std::string_view query = call.request.query;
  const bool verbose = query.substr(0, query.find_first_of("=&")) == "verbose";
  if (ready && !verbose) return plain(200, "ok\n");
  std::string text;
  for (const Check& check : checks) {
    text += check.ok ? "[+]" + check.name + " ok\n"
                     : "[-]" + check.name + " failed: " + one_line(check.detail) + "\n";
  }
  text += ready ? "readyz check passed\n" : "readyz check failed\n";
  Answer answer = plain(ready ? 200 : 503, text);
  if (!ready) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

Answer Routes::metrics(const Call&) const {
  Answer answer;
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  answer.body = api_.metrics_text();
  return answer;
}

Answer Routes::reload(const Call&) const {
  const ReloadOutcome outcome = api_.reload();
  if (outcome.ok) {
    Answer answer;
    answer.body = Json(Json::Object{{"reloaded", true}, {"detail", outcome.text}}).text() + "\n";
    return answer;
  }
  return problem(422, outcome.text);
}

}  // namespace seqd::http
