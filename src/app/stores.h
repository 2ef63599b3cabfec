// The store that the configuration names, behind core's ports.
#pragma once

#include <memory>
#include <string>

#include "app/log.h"
#include "core/ports/counter_store.h"
#include "core/ports/lease_store.h"
#include "core/settings.h"

namespace seqd::app {

struct Stores {
  std::unique_ptr<CounterStore> counters;
  std::unique_ptr<LeaseStore> leases;
  std::unique_ptr<HistorySource> history;  ///< none without recovery.history_query
};

/// Opens nothing yet: each connects at its first use. `log` outlives the stores.
Stores make_stores(const Settings& settings, const std::string& password, Log& log);

/// DESIGN O3: SQLite has one daemon, so its lease is sole whatever the configuration says.
bool sole_lease(const Settings& settings);

}  // namespace seqd::app
