// destination-down: a destination refuses whatever is sent to it; what it has begun goes on.
#include "sim/faults/destinations.h"
#include "sim/faults/faults.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kDestinationDownParameters[] = {kWhichDestination};
}

const FaultKind kDestinationDown = {.name = "destination-down",
                                    .summary = "a destination refuses whatever is sent to it",
                                    .acts = FaultKind::Acts::on_destinations,
                                    .family = FaultFamily::network,
                                    .harm = {FaultCause::other, Manner::spares},
                                    .lasts = true,
                                    .needs_target = false,
                                    .needs_traffic = true,
                                    .parameters = kDestinationDownParameters,
                                    .breaks = break_nothing,
                                    .begin =
                                        [](World& world, const FaultInjection& strike) {
                                          Destinations::Knobs knobs;
                                          knobs.down = true;
                                          turn_destination(world, strike, knobs);
                                        },
                                    .end = turn_destination_back};

}  // namespace tenure::sim
