// Claims against faults: what a run may hold a protocol to.
//
// A protocol promises an invariant under assumptions; faults and settings break assumptions. A violation is a failure
// unless something broke an assumption that could have had a part in it: then it is a finding, and only reported. What
// could have had a part is decided by four questions (docs/adr/0021-what-excuses-a-violation.md):
//   when    the breach began before the violation became one; with its aftermath it was not over when the wrong began;
//           a wrong that lasted was kept up by breaches throughout;
//   who     it was a breach of somebody who had a part: who is named by the violation or has believed to lead since the
//           breach began; or of anybody, while nobody else led;
//   how far it had a magnitude at all: clocks moved, answers late, somebody stood still;
//   what    the assumption is one that this promise makes, by the bounds of the part that makes it.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/parameters.h"
#include "sim/checkers/checker.h"
#include "sim/kernel/true_time.h"
#include "sim/runner/led_tracker.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// What a run broke, of what protocols assume; each with who broke it ("fault clock-step", "[cluster] clock").
struct Broken {
  Assumption assumption = Assumption::rate_bound;
  std::string by;
  TrueTime since = {};               // settings: from the start
  TrueTime until = TrueTime::max();  // when the assumption holds again; max(): never
  std::vector<NodeId> nodes = {};    // whose clocks, process or connections; empty: everybody's
  std::optional<Part> part = {};     // by whose bounds; nullopt: both parts'
};
// `plan` is literal, `ran` says what became of it.
std::vector<Broken> broken_assumptions(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                       const std::vector<FaultRun>& ran);
// The same before a run: what is broken if every fault strikes.
std::vector<Broken> may_break(const Scenario& scenario);
// What settings break, without any fault.
std::vector<Broken> broken_at_rest(const Scenario& scenario);

struct Envelope {
  bool claimed = false;  // the protocol or the scheduler promises the invariant at all
  bool inside = false;   // and nothing that the promise assumes is broken here
  std::string why;       // when not inside: "assumes wall-in-step, which fault clock-step breaks"
};
// Of one violation. When the protocol and the scheduler both promise the invariant, both promises must hold. Without
// `led`, everybody had a part in everything.
Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken,
                     const Violation& violation, const LedTracker* led);
// The same at the end of a tail, when all that a heal mends has passed: only what no heal mends still excuses. That is
// what settings break, and of what faults break what stays so (clocks that were moved, commits that were lost).
Envelope envelope_when_healed(std::string_view invariant, const Scenario& scenario,
                              const std::vector<Broken>& broken, const Violation& violation,
                              const LedTracker* led);
// By all that is broken, whenever it was and whoever it was: what may happen inside the claims at all.
Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken);

}  // namespace tenure::sim
