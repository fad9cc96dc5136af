// [[destination]] of tenured.toml: where webhooks go; internal to this room.
//
// Thread rule: one thread. Reads the environment and files, where keys are.
#pragma once

#include <vector>

#include "adapters/webhook/destination.h"
#include "daemon/config/table_reader.h"

namespace tenure::daemon {

// Those that are right; errors say what is wrong with the others.
std::vector<webhook::WebhookDestination> read_destinations(TableReader& top, format::Diagnostics& diagnostics,
                                                           std::vector<std::string>& warnings);

}  // namespace tenure::daemon
