// Claims against faults: what a run may hold a protocol to.
//
// A protocol promises an invariant under assumptions; faults and clock settings break assumptions. A violation while
// all of a claim's assumptions stand is a failure; otherwise it is a finding, and only reported. A fault breaks what it
// breaks from the moment at which it strikes: one that never struck, or struck later, excuses nothing.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/parameters.h"
#include "sim/kernel/true_time.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// What a run broke, of what protocols assume; each with who broke it ("fault clock-step", "[cluster] clock"), and since
// when: settings from the start.
struct Broken {
  Assumption assumption = Assumption::rate_bound;
  std::string by;
  TrueTime since = {};
};
// `plan` is literal, `ran` says what became of it.
std::vector<Broken> broken_assumptions(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                       const std::vector<FaultRun>& ran);
// The same before a run: what is broken if every fault strikes.
std::vector<Broken> may_break(const Scenario& scenario);
// And what no heal mends: what settings break, without any fault.
std::vector<Broken> broken_at_rest(const Scenario& scenario);

struct Envelope {
  bool claimed = false;  // the protocol or the scheduler promises the invariant at all
  bool inside = false;   // and nothing that the promise assumes is broken here
  std::string why;       // when not inside: "assumes wall-in-step, which fault clock-step breaks"
};
// By what was broken at `at` or before. When the protocol and the scheduler both promise it, both promises must hold.
Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken,
                     TrueTime at);

}  // namespace tenure::sim
