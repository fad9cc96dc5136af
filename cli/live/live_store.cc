#include "cli/live/live_store.h"

#include "adapters/postgres/listener.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/sqlite_store.h"
#include "cli/load.h"

namespace tenure::cli {

bool LiveStore::is_postgres() const {
  return place.find("://") != std::string::npos || place.find('=') != std::string::npos;
}

Connect LiveStore::connect() const {
  if (is_postgres()) return connect_with<PostgresStore>({.connection = place, .zones = &system_zones()});
  return connect_with<SqliteStore>({.path = place, .zones = &system_zones()});
}

std::unique_ptr<Listener> LiveStore::listen() const {
  if (is_postgres()) return std::make_unique<PostgresListener>(place);
  return std::make_unique<SqliteListener>(place);
}

}  // namespace tenure::cli
