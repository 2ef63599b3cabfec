// The routes of numbers.
#include <limits>

#include "adapters/http/awaited_answer.h"
#include "adapters/http/route_table.h"

namespace seqd::http {
namespace {

constexpr std::int64_t kMaxNumber = 9'007'199'254'740'991;  // 2^53-1

Answer json_answer(const Json& json) {
  Answer answer;
  answer.body = json.text() + "\n";
  return answer;
}

Answer not_served() { return problem(501, "this daemon does not serve this route yet"); }

/// Answers with the numbers of the parameter, or with the problem that it is.
std::variant<std::int64_t, Answer> number_of(const Query& query, std::string_view name,
                                             std::optional<std::int64_t> otherwise,
                                             std::int64_t high) {
  const auto text = query.get(name);
  if (!text && otherwise) return *otherwise;
  const auto number = text ? plain_number(*text, 1, high) : std::nullopt;
  if (number) return *number;
  return problem(400, "the parameter " + std::string(name) + " must be a plain number from 1 to " +
                          std::to_string(high));
}

}  // namespace

Answer Routes::take(const Call& call) const {
  const auto count = number_of(call.query, "count", 1, max_batch_);
  if (const auto* wrong = std::get_if<Answer>(&count)) return *wrong;
  const std::int64_t n = std::get<std::int64_t>(count);
  AwaitedAnswer sink;
  TakeResult result = api_.take(*ConvId::parse(call.id), n, &sink, 0);
  if (result.kind == TakeResult::Kind::kWaiting) result = sink.wait_taken();
  if (result.kind != TakeResult::Kind::kTaken) return refused(result.why);
  return json_answer(Json::Object{{"conv_id", call.id},
                                  {"first", Json::digits(result.first)},
                                  {"last", Json::digits(result.last)},
                                  {"count", Json::digits(n)},
                                  {"route", api_.route()}});
}

Answer Routes::floor(const Call& call) const {
  const auto wanted = number_of(call.query, "at_least", std::nullopt, kMaxNumber);
  if (const auto* wrong = std::get_if<Answer>(&wanted)) return *wrong;
  const FloorResult result =
      api_.raise_floor(*ConvId::parse(call.id), std::get<std::int64_t>(wanted));
  switch (result.kind) {
    case FloorResult::Kind::kRaised:
      return json_answer(Json::Object{{"conv_id", call.id},
                                      {"issued", Json::digits(result.issued)},
                                      {"reserved", Json::digits(result.reserved)}});
    case FloorResult::Kind::kRefused:
      return refused(result.why);
    case FloorResult::Kind::kFailed:
      return problem(503, result.text);
    case FloorResult::Kind::kUnsupported:
      break;
  }
  return not_served();
}

Answer Routes::conversation(const Call& call) const {
  const ConvId conv = *ConvId::parse(call.id);
  AwaitedAnswer sink;
  PeekResult result = api_.peek(conv, &sink, 0);
  if (result.kind == PeekResult::Kind::kWaiting) result = sink.wait_peeked();
  if (result.kind == PeekResult::Kind::kNever) {
    return problem(404, "no number of this conversation was ever issued");
  }
  const bool known = result.kind == PeekResult::Kind::kKnown;
  // A last number that nobody knows since a crash is an answer, not a failure: null.
  if (!known && result.why != Refusal::kIssuedUnknown) return refused(result.why);
  const Placement at = api_.placement(conv);
  const auto number = [](std::optional<std::int64_t> value) {
    return value ? Json::digits(*value) : Json();
  };
  return json_answer(Json::Object{
      {"conv_id", call.id},
      {"issued", known ? Json::digits(result.issued) : Json()},
      {"reserved", known ? Json::digits(result.reserved) : Json()},
      {"redis", number(at.redis)},
      {"route", at.route},
      {"slot", Json::digits(at.slot)},
      {"owner", at.owner.empty() ? Json() : Json(at.owner)},
      {"epoch", number(at.epoch)},
  });
}

Answer Routes::msg_ids(const Call& call) const {
  const auto count = number_of(call.query, "count", 1, max_batch_);
  if (const auto* wrong = std::get_if<Answer>(&count)) return *wrong;
  const auto ids = api_.msg_ids(std::get<std::int64_t>(count));
  if (!ids) return not_served();
  return json_answer(Json::Object{{"msg_ids", Json::Array(ids->begin(), ids->end())}});
}

Answer Routes::msg_id(const Call& call) const {
  const auto id = plain_number(call.id, 0, std::numeric_limits<std::int64_t>::max());
  if (!id) return problem(400, "a message id is a plain number of at most 63 bits");
  const auto parts = api_.msg_id_parts(*id);
  return parts ? json_answer(*parts) : not_served();
}

Answer Routes::status(const Call&) const { return json_answer(api_.status()); }

Answer Routes::config(const Call&) const { return json_answer(api_.config()); }

Answer Routes::top(const Call& call) const {
  const auto n = number_of(call.query, "n", 20, 1000);
  if (const auto* wrong = std::get_if<Answer>(&n)) return *wrong;
  const auto top = api_.top(std::get<std::int64_t>(n));
  return top ? json_answer(*top) : not_served();
}

}  // namespace seqd::http
