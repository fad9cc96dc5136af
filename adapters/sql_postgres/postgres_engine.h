// The SQL of designs on a real Postgres, as an engine of stores with sessions (sim/stores/session_store.h).
//
// A statement runs when the simulated store executes it, at the store's time. Where it waits for a lock, it goes on
// when the lock is free, in the order in which the waiting began. now() is the time at which its transaction began:
// before any wait. Time-outs of Postgres' own (lock_timeout, deadlock_timeout, …) go off in the store's time.
//
// Thread rule: kinds are made by any thread, and live as long as the program. A store belongs to one thread; each has a
// server for itself while it lives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/store/store_kind.h"

namespace tenure::sql_postgres {

// Gives a statement parameters as Postgres has them, $1 and so on; nullopt: `problem` says why it cannot.
using NumberParameters = std::optional<std::string> (*)(std::string_view sql, std::string& problem);

// The kind of store that has this schema; the same one for the same text. Its stores throw HostFailure.
const StoreKind* store_kind(std::string_view schema, NumberParameters number);

}  // namespace tenure::sql_postgres
