#include "daemon/config/config.h"

#include <system_error>

namespace tenure::daemon {

bool is_postgres(const std::string& store) {
  return store.starts_with("postgres://") || store.starts_with("postgresql://") ||
         store.find('=') != std::string::npos;
}

std::string shown_store(const std::string& store) { return is_postgres(store) ? "Postgres" : store; }

bool others_may(const std::string& path, std::filesystem::perms what) {
  std::error_code unknown;
  const std::filesystem::file_status file = std::filesystem::status(path, unknown);
  return std::filesystem::exists(file) && (file.permissions() & what) != std::filesystem::perms::none;
}

}  // namespace tenure::daemon
