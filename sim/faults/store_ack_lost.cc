// store-ack-lost: requests are executed, and their answers are lost: the classic unknown outcome.
#include "sim/faults/faults.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kStoreAckLostParameters[] = {{.name = "rate",
                                                           .type = FaultParameterSpec::Type::fraction,
                                                           .default_text = "1",
                                                           .choices = {},
                                                           .doc = "the share that is lost, 0 to 1"}};
}

const FaultKind kStoreAckLost = {
    .name = "store-ack-lost",
    .summary = "requests are executed, and their answers are lost with probability `rate`",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store,
    .harm = {FaultCause::store, Manner::cuts},
    .lasts = true,
    .needs_traffic = true,
    .parameters = kStoreAckLostParameters,
    .breaks = break_prompt_store,
    .begin =
        [](World& world, const FaultInjection& strike) {
          StoreKnobs knobs;
          knobs.ack_lost_ppm = strike.number("rate");
          turn_stores(world, strike, knobs);
        },
    .end = turn_stores_back};

}  // namespace tenure::sim
