// Records the faults as they were run.
//
// Thread rule: one log belongs to one run.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "sim/faults/engine.h"
#include "sim/runner/plan_index.h"
#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class FaultLog final : public Observer {
 public:
  // `plan` is what the run was given; it must outlive the log.
  explicit FaultLog(const std::vector<FaultSetting>& plan) : plan_(plan), by_id_(plan) {}
  std::uint32_t wants() const override { return record_mask<FaultBegan, FaultSkipped>(); }
  void see(TrueTime now, const Record& record) override;
  // In the order in which they struck or were skipped. Faults whose time never came are last, as skipped.
  std::vector<FaultRun> take(const FaultEngine& engine) const;

 private:
  // What the plan says about `setting`, for its strike with this id and number. Both zero: `setting` is the strike
  // itself.
  FaultRun described(std::uint64_t id, std::uint64_t setting, std::uint64_t strike) const;

  const std::vector<FaultSetting>& plan_;
  PlanIndex by_id_;
  std::vector<FaultRun> runs_;
  std::set<std::uint64_t> seen_;  // ids of the plan's faults
};

}  // namespace tenure::sim
