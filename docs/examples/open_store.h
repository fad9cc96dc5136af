// What the examples open: a file of SQLite, or Postgres by its connection string (postgresql://…, "host=… dbname=…").
#pragma once

#include <string>

#include "adapters/postgres/postgres_store.h"
#include "adapters/runtime/runtime.h"
#include "adapters/sqlite/sqlite_store.h"

// The store, or why not.
template <class Store, class Options>
tenure::ConnectionOpened opened(Options options) {
  auto opened = Store::open(std::move(options));
  if (auto* error = std::get_if<tenure::OpenError>(&opened)) return std::move(*error);
  return std::get<std::unique_ptr<Store>>(std::move(opened));
}

// `zones` only for schedules that are in other zones than UTC.
inline tenure::ConnectionOpened open_store(const std::string& store,
                                           const tenure::TimeZones* zones = nullptr) {
  const bool postgres = store.find("://") != std::string::npos || store.find('=') != std::string::npos;
  if (postgres)
    return opened<tenure::PostgresStore>(tenure::PostgresOptions{.connection = store, .zones = zones});
  return opened<tenure::SqliteStore>(tenure::SqliteOptions{.path = store, .zones = zones});
}
