// Connections to the store for what a program asks besides its nodes: for its clients, for example. What is changed on
// them is in the journal, so that an audit finds no change that nobody tells of (docs/adr/0073).
//
// Thread rule: as StoreBackend.
#pragma once

#include <optional>

#include "adapters/runtime/runtime.h"

namespace tenure {

// REQUIRES: the runtime outlives every connection, and one of its nodes has_clients.
Connect told(Connect connect, Runtime& runtime);

// What the journal is told; nullopt: nothing was changed, nor will be. `asked`: when the request was sent.
std::optional<journal::ClientChange> client_change(const reference::Request& request, const Answer& answer,
                                                   MonoTime asked);

}  // namespace tenure
