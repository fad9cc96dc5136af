// The store of a live run: where it is, how its clients reach it.
//
// Thread rule: values; connections as StoreBackend.
#pragma once

#include <memory>
#include <string>

#include "adapters/runtime/runtime.h"
#include "adapters/store/listener.h"

namespace tenure::cli {

// A file of SQLite, or Postgres by its connection string ("postgres://…", "host=… dbname=…").
struct LiveStore {
  std::string place;

  bool is_postgres() const;
  Connect connect() const;
  std::unique_ptr<Listener> listen() const;
};

}  // namespace tenure::cli
