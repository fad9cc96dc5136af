// The faults as they were run.
//
// Thread rule: one log belongs to one run.
#pragma once

#include <vector>

#include "sim/runner/result.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class FaultLog final : public Observer {
 public:
  // `plan` is what the run was given; it must outlive the log.
  explicit FaultLog(const std::vector<FaultSetting>& plan) : plan_(plan) {}
  std::uint32_t wants() const override { return record_mask<FaultBegan, FaultSkipped>(); }
  void see(TrueTime now, const Record& record) override;
  // In the order in which they struck or were skipped; those that never got there last, as skipped.
  std::vector<FaultRun> take() const;

 private:
  // What the plan says of a fault.
  FaultRun described(std::uint64_t id) const;

  const std::vector<FaultSetting>& plan_;
  std::vector<FaultRun> runs_;
};

}  // namespace tenure::sim
