#include "daemon/config/config.h"

#include <fmt/format.h>

namespace tenure::daemon {

std::string text_of(const Endpoint& endpoint) {
  const bool v6 = endpoint.address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", endpoint.address, v6 ? "]" : "", endpoint.port);
}

bool is_postgres(const std::string& store) {
  return store.starts_with("postgres://") || store.starts_with("postgresql://") ||
         store.find('=') != std::string::npos;
}

}  // namespace tenure::daemon
