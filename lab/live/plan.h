// Which scenarios can happen for real, on processes of this machine and a store that they share.
//
// What cannot is found before anything starts, each with its line in the file: a fault that no process, store or
// proxy of ours can be made to have, a design that only the simulator runs, a clock that is nobody's to set. The
// latencies of [store] and [network] and the rate of the store's clock are what the machine has: they are not made, and
// are no objection.
//
// Thread rule: pure functions and values.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.h"

namespace tenure::lab {

// What there is to carry a scenario out with.
struct LiveMeans {
  bool own_instances = true;     // else processes of a command, of which only their journals are known
  bool has_network = false;      // the way to the store can be cut and slowed: a proxy stands there
  bool own_server = false;       // the store's server is started for the run, so that it may fail over
  std::string store = "SQLite";  // for messages
};

struct NotLive {
  int line = 0;         // in the file; 0: of the whole
  std::string subject;  // what to underline there: "store-clock-step"; may be empty
  std::string message;
  std::string hint;  // what to do; may be empty
};

// REQUIRES: a scenario without errors.
std::vector<NotLive> what_cannot_be_live(const sim::Scenario& scenario, const LiveMeans& means);

}  // namespace tenure::lab
