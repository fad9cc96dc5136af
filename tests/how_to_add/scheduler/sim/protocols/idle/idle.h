// idle: fires nothing. An example of an addition (docs/how-to-add.md).
//
// Thread rule: one instance belongs to one thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/model/instance.h"
#include "core/model/parameters.h"

namespace tenure {

class Idle final : public Scheduler {
 public:
  void step(const Input&, const Leadership&, Env&) override {}
  bool idle() const override { return true; }
  std::unique_ptr<Scheduler> clone() const override;
  void hash(Hasher&, const Canon&) const override {}
};

std::span<const ParameterSpec> idle_parameters();
std::vector<Complaint> validate_idle(const Parameters& parameters);
const std::vector<Claim>& idle_claims();

}  // namespace tenure
