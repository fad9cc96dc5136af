#include "core/scheduler/idle/idle.h"

namespace tenure {

std::unique_ptr<Scheduler> Idle::clone() const { return std::make_unique<Idle>(*this); }

std::span<const ParameterSpec> idle_parameters() { return {}; }
std::vector<Complaint> validate_idle(const Parameters&) { return {}; }
std::vector<Claim> idle_claims() { return {{"no-duplicate-fire", {}}}; }

}  // namespace tenure
