// The store, with each answer observed.
//
// Thread rule: as StoreBackend.
#pragma once

#include <memory>

#include "adapters/runtime/store_worker.h"
#include "adapters/store/store_backend.h"
#include "daemon/service/observer.h"

namespace tenure::daemon {

// REQUIRES: the observer outlives every connection.
Connect watched(Connect connect, StoreObserver& observer);

}  // namespace tenure::daemon
