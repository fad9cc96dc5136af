// What the examples open: a file of SQLite, or Postgres by its connection string (postgresql://…, "host=… dbname=…").
#pragma once

#include <memory>
#include <string>

#include "adapters/postgres/listener.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/runtime/runtime.h"
#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/sqlite_store.h"

// The store, or why not.
template <class Store, class Options>
tenure::ConnectionOpened opened(Options options) {
  auto opened = Store::open(std::move(options));
  if (auto* error = std::get_if<tenure::OpenError>(&opened)) return std::move(*error);
  return std::get<std::unique_ptr<Store>>(std::move(opened));
}

inline bool is_postgres(const std::string& store) {
  return store.find("://") != std::string::npos || store.find('=') != std::string::npos;
}

// `zones` only for schedules that are in other zones than UTC.
inline tenure::ConnectionOpened open_store(const std::string& store,
                                           const tenure::TimeZones* zones = nullptr) {
  if (is_postgres(store))
    return opened<tenure::PostgresStore>(tenure::PostgresOptions{.connection = store, .zones = zones});
  return opened<tenure::SqliteStore>(tenure::SqliteOptions{.path = store, .zones = zones});
}

// Hears of leases that are given back, so that nobody waits until they would have expired.
inline std::unique_ptr<tenure::Listener> listen_to(const std::string& store) {
  if (is_postgres(store)) return std::make_unique<tenure::PostgresListener>(store);
  return std::make_unique<tenure::SqliteListener>(store);
}
