#include "daemon/config/config.h"

namespace tenure::daemon {

bool is_postgres(const std::string& store) {
  return store.starts_with("postgres://") || store.starts_with("postgresql://") ||
         store.find('=') != std::string::npos;
}

std::string shown_store(const std::string& store) { return is_postgres(store) ? "Postgres" : store; }

}  // namespace tenure::daemon
