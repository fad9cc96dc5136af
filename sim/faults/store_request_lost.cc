// store-request-lost: requests vanish before they are executed, and nobody is told.
#include "sim/faults/faults.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kStoreRequestLostParameters[] = {{.name = "rate",
                                                               .type = FaultParameterSpec::Type::fraction,
                                                               .default_text = "1",
                                                               .choices = {},
                                                               .doc = "the share that is lost, 0 to 1"}};
}

const FaultKind kStoreRequestLost = {
    .name = "store-request-lost",
    .summary = "requests vanish before they are executed, with probability `rate`",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_traffic = true,
    .parameters = kStoreRequestLostParameters,
    .breaks = break_prompt_store,
    .begin =
        [](World& world, const FaultInjection& strike) {
          StoreKnobs knobs;
          knobs.request_lost_ppm = strike.number("rate");
          turn_stores(world, strike, knobs);
        },
    .end = turn_stores_back};

}  // namespace tenure::sim
