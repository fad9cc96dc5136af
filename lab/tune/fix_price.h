// What it would cost to outlast the fault that made two lead, where theory knows it: a longer lease, and with it a
// longer failover whenever a leader dies.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>

#include "sim/scenario/scenario.h"

namespace tenure::lab {

struct FixPrice {
  std::string_view key;  // of [election]: "lease_duration"
  Duration now;
  Duration
      enough;  // with this, and the other settings as they are, the fault does not make two lead; rounded up
  // The mean, from a crash to the next leader.
  Duration failover_now;
  Duration failover_then;
};

// Of a fault of the scenario that lasted for `strength`. None: no form knows it, or no lease is long enough.
std::optional<FixPrice> price_of_outlasting(const sim::Scenario& scenario, std::size_t fault,
                                            Duration strength);

}  // namespace tenure::lab
