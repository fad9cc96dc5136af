// What the examples open: a file of SQLite, or Postgres by its connection string (postgresql://…, "host=… dbname=…").
#pragma once

#include <memory>
#include <string>

#include "adapters/postgres/listener.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/runtime/runtime.h"
#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/sqlite_store.h"

inline bool is_postgres(const std::string& store) {
  return store.find("://") != std::string::npos || store.find('=') != std::string::npos;
}

// `zones` only for schedules that are in other zones than UTC.
inline tenure::Connect connect_to(const std::string& store, const tenure::TimeZones* zones = nullptr) {
  if (is_postgres(store))
    return tenure::connect_with<tenure::PostgresStore>({.connection = store, .zones = zones});
  return tenure::connect_with<tenure::SqliteStore>({.path = store, .zones = zones});
}

// Hears of leases that are given back, so that nobody waits until they would have expired.
inline std::unique_ptr<tenure::Listener> listen_to(const std::string& store) {
  if (is_postgres(store)) return std::make_unique<tenure::PostgresListener>(store);
  return std::make_unique<tenure::SqliteListener>(store);
}
