// The store as the scheduler is shown it: each answer is observed, and events that wait to be polled are none of its
// business.
//
// An event of a schedule without a destination waits in the outbox until a client acknowledges it. The scheduler would
// begin its work, hold a worker for it, and acknowledge it. So it is shown an outbox without such events, and its
// acknowledgements of them end here.
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
Connect for_scheduler(Connect connect, StoreObserver& observer);

}  // namespace tenure::daemon
