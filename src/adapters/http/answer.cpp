#include "adapters/http/answer.h"

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Timestamp.h>

#include <array>

#include "adapters/http/json.h"

namespace seqd::http {
namespace {

constexpr std::array<std::string_view, kRefusals> kRefusalNames = {
    "starting",      "not_owner",        "lease_lapsed",   "store_down",
    "wait_expired",  "too_many_waiting", "issued_unknown", "exhausted",
    "batch_too_big", "history_down",     "stopping"};

}  // namespace

std::string_view reason_phrase(int status) {
  // Poco's list ends before the younger codes.
  if (status == 431) return "Request Header Fields Too Large";
  static thread_local std::string reason;
  reason = Poco::Net::HTTPResponse::getReasonForStatus(
      static_cast<Poco::Net::HTTPResponse::HTTPStatus>(status));
  return reason;
}

Answer problem(int status, std::string_view detail, std::string_view type) {
  Answer answer;
  answer.status = status;
  answer.type = "application/problem+json";
  answer.body = Json(Json::Object{{"type", type},
                                  {"title", reason_phrase(status)},
                                  {"status", Json::number(status)},
                                  {"detail", detail}})
                    .text() +
                "\n";
  if (status == 503) answer.headers.emplace_back("Retry-After", "1");
  if (status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"seqd\"");
  return answer;
}

Answer problem(Refusal why, std::string_view detail) {
  const bool final = why == Refusal::kExhausted || why == Refusal::kBatchTooBig;
  const std::string_view name = kRefusalNames.at(static_cast<std::size_t>(why));
  return problem(final ? 409 : 503, detail, "urn:seqd:problem:" + std::string(name));
}

std::string bytes_of(const Answer& answer, bool keep_alive, bool with_body) {
  std::string out = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  out += reason_phrase(answer.status);
  const auto field = [&out](std::string_view name, std::string_view value) {
    out += "\r\n";
    out += name;
    out += ": ";
    out += value;
  };
  field("Date",
        Poco::DateTimeFormatter::format(Poco::Timestamp(), Poco::DateTimeFormat::HTTP_FORMAT));
  field("Connection", keep_alive ? "Keep-Alive" : "Close");
  field("Content-Type", answer.type);
  field("Content-Length", std::to_string(answer.body.size()));
  field("Cache-Control", "no-store");
  field("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : answer.headers) field(name, value);
  out += "\r\n\r\n";
  if (with_body) out += answer.body;
  return out;
}

}  // namespace seqd::http
