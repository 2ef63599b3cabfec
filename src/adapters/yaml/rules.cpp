#include "adapters/yaml/rules.h"

#include "adapters/yaml/fields.h"
#include "adapters/yaml/text_rules.h"

namespace seqd::yaml {
namespace {

bool is_open(const std::string& listen, const std::string& secret_file) {
  const auto address = parse_address(listen);
  return address && !is_loopback(address->host) && secret_file.empty();
}

}  // namespace

std::vector<Finding> broken_rules(const Settings& s) {
  std::vector<Finding> result;
  const auto unless = [&](bool good, std::vector<std::string_view> keys, std::string text) {
    if (!good) result.push_back({std::move(keys), std::move(text)});
  };
  unless(!is_open(s.resp.listen, s.resp.password_file), {"resp.listen", "resp.password_file"},
         s.resp.listen +
             " can be reached from other hosts; expected resp.password_file as well, "
             "or a loopback address such as 127.0.0.1");
  unless(!is_open(s.http.listen, s.http.token_file), {"http.listen", "http.token_file"},
         s.http.listen +
             " can be reached from other hosts; expected http.token_file as well, "
             "or a loopback address such as 127.0.0.1");
  const bool mysql = s.store.driver == "mysql";
  unless(!mysql || !s.store.host.empty(), {"store.driver", "store.host"},
         "mysql needs a server; expected store.host as well");
  unless(!mysql || !s.store.user.empty(), {"store.driver", "store.user"},
         "mysql needs an account; expected store.user as well");
  unless(s.segment.step <= s.segment.max_step, {"segment.step", "segment.max_step"},
         std::to_string(s.segment.step) + " is more than segment.max_step, which is " +
             std::to_string(s.segment.max_step) + "; expected at most that");
  unless(s.redis.sentinels.empty() || !s.redis.master_name.empty(),
         {"redis.sentinels", "redis.master_name"},
         "Sentinels are asked by name; expected redis.master_name as well");
  return result;
}

std::vector<Finding> doubtful(const Settings& s) {
  std::vector<Finding> result;
  for (const Field* field : changed(Settings{}, s)) {
    if (field->effect == Effect::kNone) {
      result.push_back({{field->key}, "is read but has no effect in this version"});
    }
  }
  if (s.store.driver == "mysql" && s.store.timeout_ms >= s.lease.ttl_ms) {
    result.push_back(
        {{"store.timeout_ms", "lease.ttl_ms"},
         "one slow answer may outlast the lease; better below lease.ttl_ms, which is " +
             std::to_string(s.lease.ttl_ms)});
  }
  return result;
}

}  // namespace seqd::yaml
