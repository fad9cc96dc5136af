#include "sim/protocols/idle/idle.h"

#include "sim/stores/registry.h"

namespace tenure {
namespace {

const std::vector<Claim>& idle_claims() {
  static const std::vector<Claim> kClaims = {{"no-duplicate-fire", {}}};
  return kClaims;
}

}  // namespace

constinit const SchedulerKind kIdle = {.name = "idle",
                                       .summary = "fires nothing",
                                       .store = &kReferenceStore,
                                       .claims = idle_claims,
                                       .make = make_scheduler<Idle>};

}  // namespace tenure
