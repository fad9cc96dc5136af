// Connections to a store with something done around each request: it is told of, timed, or held up.
//
// Thread rule: as StoreBackend.
#pragma once

#include <functional>

#include "adapters/runtime/store_worker.h"

namespace tenure {

// Has the store execute the request, and does something besides.
using AroundRequest =
    std::function<Answer(StoreBackend& store, const reference::Request& request, Duration timeout)>;

// REQUIRES: what `around` refers to outlives every connection.
Connect around_each_request(Connect connect, AroundRequest around);

}  // namespace tenure
