// store-clock-step: the store's clock jumps and stays; a jump back is a fault of its own.
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kStoreClockStepParameters[] = {
    {.name = "by",
     .type = FaultParameterSpec::Type::duration,
     .required = true,
     .default_text = {},
     .choices = {},
     .may_be_negative = true,
     .doc = "how far the store's clock jumps; negative is back"}};
}

const FaultKind kStoreClockStep = {
    .name = "store-clock-step",
    .summary = "the store's clock jumps by `by`, and stays there",
    .acts = FaultKind::Acts::on_store,
    .family = FaultFamily::store_clock,
    .harm = {FaultCause::clock, Manner::takes_away},
    .parameters = kStoreClockStepParameters,
    .breaks =
        [](const FaultSetting& fault, const Scenario& scenario, const Bounds&) {
          return moves_a_clock(fault, scenario)
                     ? std::vector{Assumption::no_store_step, Assumption::wall_in_step}
                     : std::vector<Assumption>{};
        },
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const StoreId store : strike.stores) world.store(store).step_clock(strike.length("by"));
        },
    .end = nullptr};

}  // namespace tenure::sim
