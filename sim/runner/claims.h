// Claims against faults: what a run may hold a protocol to.
//
// A protocol promises an invariant under assumptions; faults and clock settings break assumptions. A violation while
// all of a claim's assumptions stand is a failure; otherwise it is a finding, and only reported.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/parameters.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// What this scenario breaks, of what protocols assume; each with who breaks it ("fault clock-step", "[cluster] clock").
struct Broken {
  Assumption assumption = Assumption::rate_bound;
  std::string by;
};
std::vector<Broken> broken_assumptions(const Scenario& scenario);

struct Envelope {
  bool claimed = false;  // the protocol or the scheduler promises the invariant at all
  bool inside = false;   // and nothing that the promise assumes is broken here
  std::string why;       // when not inside: "assumes wall-in-step, which fault clock-step breaks"
};
// When the protocol and the scheduler both promise it, both promises must hold.
Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken);

}  // namespace tenure::sim
