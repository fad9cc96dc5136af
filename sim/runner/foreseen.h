// Which assumptions the settings and the faults of a run can break, by worst cases.
//
// Before a run this is all there is to know: hunts choose their faults by it, and a comparison leaves out what its
// settings may break. In a run it says only where a breach could come from: whether it came, monitors see
// (assumption_monitor.h).
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/parameters.h"
#include "sim/kernel/true_time.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// An assumption that is broken, and by what ("fault clock-step", "a clock in [cluster] or [[instance]]").
struct Broken {
  Assumption assumption = Assumption::rate_bound;
  std::string by;
  TrueTime since = {};               // settings: from the start
  TrueTime until = TrueTime::max();  // when the assumption holds again; max(): never
  std::vector<NodeId> nodes = {};    // whose clocks, process, connections or requests; empty: every node's
  std::optional<Part> part = {};     // by this part's bounds; nullopt: by both parts'
  // How long a wrong may outlast the breach, or may have begun before it: without the breach it would have passed.
  Duration aftermath = {};
  bool unseen = false;  // no monitor can see it: it counts as broken because the file says so
};

// If every fault of the scenario strikes.
std::vector<Broken> may_break(const Scenario& scenario);
// What the settings break, without any fault; it lasts.
std::vector<Broken> broken_at_rest(const Scenario& scenario);
// `plan` is literal; `ran` says how its faults were run.
std::vector<Broken> foreseen_breaches(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                      const std::vector<FaultRun>& ran);

// How long answers may take, by the strictest settings that any instance runs with; max(): as long as they like.
struct AnswerLimits {
  Duration timeout = Duration::max();  // then a request is given up
  Duration at_rest =
      Duration::max();  // if each took that long, a leader would not get on, or would step aside
};
AnswerLimits answer_limits(const Scenario& scenario, Part part);

}  // namespace tenure::sim
