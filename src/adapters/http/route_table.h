// How a route is written down. Only for the sources of Routes.
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/routes.h"

namespace seqd::http {

struct Routes::Call {
  const Request& request;
  const Query& query;
  const std::string& id;  ///< decoded; valid as a ConvId where the pattern holds a {conv}
};

struct Routes::Route {
  enum class Guard : unsigned char { kOpen, kToken, kAdmin };

  std::string_view method;   ///< GET stands for HEAD too
  std::string_view pattern;  ///< {conv} and {id} are one segment
  Guard guard;
  std::string_view parameter;  ///< the one that the query may hold; "*" = whatever
  Answer (Routes::*call)(const Call&) const;
};

}  // namespace seqd::http
