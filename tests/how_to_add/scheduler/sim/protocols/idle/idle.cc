#include "sim/protocols/idle/idle.h"

namespace tenure {

std::unique_ptr<Scheduler> Idle::clone() const { return std::make_unique<Idle>(*this); }

std::span<const ParameterSpec> idle_parameters() { return {}; }
std::vector<Complaint> validate_idle(const Parameters&) { return {}; }
const std::vector<Claim>& idle_claims() {
  static const std::vector<Claim> kClaims = {{"no-duplicate-fire", {}}};
  return kClaims;
}

}  // namespace tenure
