// The routes: a table of what is served, who may ask, and what answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/answer.h"
#include "adapters/http/api.h"
#include "adapters/http/query.h"
#include "adapters/http/request.h"

namespace seqd::http {

/// True for what must be answered however busy the API is: health and metrics.
bool is_reserved_path(std::string_view path);

/// Any thread. Api outlives it.
class Routes {
 public:
  /// token "" = none is configured: API routes are open, admin routes closed.
  Routes(Api& api, std::string token, std::int64_t max_batch);
  /// REQUIRES: the request passed parse_head().
  Answer answer(const Request& request) const;

 private:
  struct Call;
  struct Route;
  static const Route kRoutes[];

  Answer page(const Call&) const;
  Answer livez(const Call&) const;
  Answer readyz(const Call&) const;
  Answer metrics(const Call&) const;
  Answer status(const Call&) const;
  Answer config(const Call&) const;
  Answer top(const Call&) const;
  Answer reload(const Call&) const;
  Answer conversation(const Call&) const;
  Answer take(const Call&) const;
  Answer floor(const Call&) const;
  Answer msg_ids(const Call&) const;
  Answer msg_id(const Call&) const;

  Answer serve(const Route& route, const Request& request, const std::string& id) const;
  Answer refused(Refusal why) const { return problem(why, api_.refusal_text(why)); }

  Api& api_;
  const std::string token_;
  const std::int64_t max_batch_;
};

}  // namespace seqd::http
