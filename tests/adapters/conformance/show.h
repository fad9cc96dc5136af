// Requests, replies and what is stored as text that leaves nothing out: what is compared, and what a failure shows.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "adapters/store/store_backend.h"
#include "core/store/store_machine.h"

namespace tenure::conformance {

std::string show(const reference::Request& request);
std::string show(const reference::Reply& reply);
std::string show(const std::vector<Notification>& notifications);
std::string show(const reference::Lease& lease);
std::string show(const reference::Ledger& ledger);

}  // namespace tenure::conformance
