// A request whose head and body have been checked, as the routes see it.
#pragma once

#include <string>

namespace seqd::http {

struct Request {
  std::string method;
  std::string path;   ///< raw: '/' separates, each segment is still percent-encoded
  std::string query;  ///< raw, without the '?'
  std::string authorization;
  std::string content_type;
  std::string body;
};

}  // namespace seqd::http
