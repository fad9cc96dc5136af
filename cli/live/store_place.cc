#include "cli/live/store_place.h"

#include "adapters/postgres/listener.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/sqlite_store.h"
#include "cli/load.h"

namespace tenure::cli {

bool is_server(const std::string& place) {
  return place.find("://") != std::string::npos || place.find('=') != std::string::npos;
}

Connect connect_to(const std::string& place) {
  if (is_server(place)) return connect_with<PostgresStore>({.connection = place, .zones = &system_zones()});
  return connect_with<SqliteStore>({.path = place, .zones = &system_zones()});
}

std::unique_ptr<Listener> listen_to(const std::string& place) {
  if (is_server(place)) return std::make_unique<PostgresListener>(place);
  return std::make_unique<SqliteListener>(place);
}

}  // namespace tenure::cli
