#include "app/stores.h"

#include "adapters/mysql/counter_store.h"
#include "adapters/mysql/history.h"
#include "adapters/mysql/lease_store.h"
#include "adapters/sqlite/counter_store.h"
#include "adapters/sqlite/history.h"
#include "adapters/sqlite/lease_store.h"

namespace seqd::app {

bool sole_lease(const Settings& settings) {
  return settings.lease.sole || settings.store.driver == "sqlite";
}

Stores make_stores(const Settings& settings, const std::string& password, Log& log) {
  Stores stores;
  const std::string& query = settings.recovery.history_query;
  const std::string& prefix = settings.resp.key_prefix;
  if (settings.store.driver == "sqlite") {
    const std::string& path = settings.store.path;
    const std::chrono::milliseconds timeout(settings.store.timeout_ms);
    stores.counters = std::make_unique<sqlite::SqliteCounterStore>(path, timeout);
    stores.leases = std::make_unique<sqlite::SqliteLeaseStore>(path, timeout, prefix);
    if (!query.empty()) {
      stores.history = std::make_unique<sqlite::SqliteHistory>(path, timeout, query);
    }
    return stores;
  }
  mysql::Access access;
  access.store = settings.store;
  access.password = password;
  access.ttl = std::chrono::milliseconds(settings.lease.ttl_ms);
  access.log = [&log](std::string_view text) { log.write(Level::kWarning, "store.session", text); };
  stores.counters = std::make_unique<mysql::MysqlCounterStore>(access);
  stores.leases = std::make_unique<mysql::MysqlLeaseStore>(access, prefix);
  if (!query.empty()) stores.history = std::make_unique<mysql::MysqlHistory>(access, query);
  return stores;
}

}  // namespace seqd::app
