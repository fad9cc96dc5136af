// The closed form of each protocol.
//
// Thread rule: pure functions.
#pragma once

#include "lab/tune/closed_form.h"

namespace tenure::sim {

// A time that latency draws: at least, on average, at most.
struct Spread {
  Duration least;
  Duration mean;
  Duration most;
  Duration width() const { return most - least; }
};

// What is not the protocol's: how long requests take, and who is there.
struct Surroundings {
  Spread trip;         // a request, from the step that asks to its answer: departure, network, store, network
  Spread back;         // the answer's part of it
  Duration departure;  // the longest: until a request has left, a crash or a pause still takes it back
  std::int64_t standbys = 0;
};

ClosedForm form_of_fenced_lease(const Parameters& election, const Surroundings& around);
ClosedForm form_of_db_lease(const Parameters& election, const Surroundings& around);
ClosedForm form_of_heartbeat_lock(const Parameters& election, const Surroundings& around);
ClosedForm form_of_client_go(const Parameters& election, const Surroundings& around);

}  // namespace tenure::sim
