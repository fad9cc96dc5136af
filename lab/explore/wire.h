// What travels between an election and its store: hashed without absolute times, and moved in time.
//
// Knows the requests of elections only. Durations and names stay as they are; of times, replies hold a lock's end,
// and records and heartbeats hold their writer's.
//
// Thread rule: pure functions.
#pragma once

#include "core/model/node.h"
#include "core/store/store_machine.h"

namespace tenure::lab::explore {

void hash(Hasher& hasher, const Canon& canon, const Request& request);
// `now` is what the store's clock shows as it is hashed.
void hash(Hasher& hasher, const Canon& canon, StoreTime now, const Reply& reply);

// The request, or the reply, as it would have been `by` later.
Request shifted(Request request, Duration by);
Reply shifted(Reply reply, Duration by);

}  // namespace tenure::lab::explore
