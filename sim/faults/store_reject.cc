// store-reject: the store refuses requests as overloaded, at once: they are certainly not executed.
#include "sim/faults/faults.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kStoreRejectParameters[] = {{.name = "rate",
                                                          .type = FaultParameterSpec::Type::fraction,
                                                          .default_text = "1",
                                                          .choices = {},
                                                          .doc = "the share that is refused, 0 to 1"}};
}

const FaultKind kStoreReject = {
    .name = "store-reject",
    .summary = "the store refuses requests as overloaded with probability `rate`, and executes none of those",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_traffic = true,
    .parameters = kStoreRejectParameters,
    // It answers promptly, and not to the purpose: whoever has to renew cannot.
    .breaks = break_prompt_store,
    .begin =
        [](World& world, const FaultInjection& strike) {
          StoreKnobs knobs;
          knobs.rejected_ppm = strike.number("rate");
          turn_stores(world, strike, knobs);
        },
    .end = turn_stores_back};

}  // namespace tenure::sim
