// What the examples open: a file of SQLite, or Postgres by its connection string (postgresql://…, or "host=… …").
#pragma once

#include <stop_token>
#include <string>
#include <thread>

#include "adapters/postgres/listener.h"
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

// Where the store says what others change, the runtime is told at once; else it finds out when it asks. To be destroyed
// before the runtime.
inline std::jthread listen_to(const std::string& store, tenure::Runtime& runtime) {
  if (!is_postgres(store)) return {};
  return std::jthread([store, &runtime](const std::stop_token& stop) {
    tenure::PostgresListener listener(store);
    while (!stop.stop_requested())
      for (const auto& what : listener.wait(tenure::Duration::millis(200)).notifications)
        runtime.notify(what);
  });
}
