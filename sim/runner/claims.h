// Claims against what happened: which violations of a run are failures.
//
// A protocol promises an invariant under assumptions; faults and settings break assumptions, and monitors see when and
// where (assumption_monitor.h). A violation is a failure, unless the breach of an assumption could have contributed to
// it: then it is a finding, and only reported. Four questions decide whether it could
// (docs/adr/0021-what-excuses-a-violation.md):
//   when    the breach began before the violation became one; with its aftermath it was not over when the wrong began;
//           a wrong that lasted was kept up by breaches throughout;
//   who     it was a breach of somebody who had a part: who is named by the violation or has believed to lead since the
//           breach began; or of anybody, while nobody else led;
//   how far it was seen: a clock moved, an answer was late, somebody stood still;
//   what    the assumption is one that this promise makes, by the bounds of the part that makes it.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/runner/assumption_monitor.h"
#include "sim/runner/foreseen.h"
#include "sim/runner/led_tracker.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// What broke in a run: of what its settings and faults can break, what `seen` saw; null: all of it. `plan` is literal;
// `ran` says how its faults were run.
std::vector<Broken> broken_assumptions(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                       const std::vector<FaultRun>& ran,
                                       const AssumptionMonitor* seen = nullptr);

struct Envelope {
  bool claimed = false;  // the protocol or the scheduler promises the invariant at all
  bool inside = false;   // and nothing that the promise assumes is broken here
  std::string why;       // when not inside: "assumes wall-in-step, which fault clock-step breaks"
};
// For one violation. If the protocol and the scheduler both promise the invariant, both promises must hold. Without
// `led`, every node counts as involved.
Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken,
                     const Violation& violation, const LedTracker* led);
// The same at the end of a tail, when all that a heal mends has passed: only what no heal mends still excuses. That is
// what settings break, and of what faults break what stays so (clocks that were moved, commits that were lost).
Envelope envelope_when_healed(std::string_view invariant, const Scenario& scenario,
                              const std::vector<Broken>& broken, const Violation& violation,
                              const LedTracker* led);
// By all breaches, at any time and node: whether a violation inside the claims is possible at all.
Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken);

}  // namespace tenure::sim
