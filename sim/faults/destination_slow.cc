// destination-slow: a destination takes longer for each event, beyond its time-out perhaps, and so works on more of
// them at a time.
#include "sim/faults/destinations.h"
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kDestinationSlowParameters[] = {kWhichDestination,
                                                             {.name = "latency",
                                                              .type = FaultParameterSpec::Type::duration,
                                                              .required = true,
                                                              .default_text = {},
                                                              .choices = {},
                                                              .doc = "added to its work on each event"}};
}

const FaultKind kDestinationSlow = {.name = "destination-slow",
                                    .summary = "a destination takes `latency` longer for each event",
                                    .acts = FaultKind::Acts::on_destinations,
                                    .family = FaultFamily::network,
                                    .harm = {FaultCause::other, Manner::spares},
                                    .lasts = true,
                                    .needs_target = false,
                                    .needs_traffic = true,
                                    .parameters = kDestinationSlowParameters,
                                    .breaks = break_nothing,
                                    .begin =
                                        [](World& world, const FaultInjection& strike) {
                                          Destinations::Knobs knobs;
                                          knobs.slow = strike.length("latency");
                                          turn_destination(world, strike, knobs);
                                        },
                                    .end = turn_destination_back,
                                    .lingers = longest_latency};

}  // namespace tenure::sim
