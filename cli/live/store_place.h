// How the processes of a live run reach their store: a file of SQLite, or Postgres by its connection string
// ("postgres://…", "host=… dbname=…").
//
// Thread rule: values; connections as StoreBackend.
#pragma once

#include <memory>
#include <string>

#include "adapters/runtime/runtime.h"
#include "adapters/store/listener.h"

namespace tenure::cli {

bool is_server(const std::string& place);
Connect connect_to(const std::string& place);
std::unique_ptr<Listener> listen_to(const std::string& place);

}  // namespace tenure::cli
