// store-slow: each execution takes longer, and so holds its place longer.
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/faults/stores.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kStoreSlowParameters[] = {{.name = "latency",
                                                        .type = FaultParameterSpec::Type::duration,
                                                        .required = true,
                                                        .default_text = {},
                                                        .choices = {},
                                                        .doc = "added to the execution of each request"}};
}

const FaultKind kStoreSlow = {.name = "store-slow",
                              .summary = "each execution takes `latency` longer",
                              .acts = FaultKind::Acts::on_store,
                              .family = FaultFamily::store,
                              .harm = {FaultCause::store, Manner::hinders},
                              .lasts = true,
                              .needs_traffic = true,
                              .parameters = kStoreSlowParameters,
                              .breaks =
                                  [](const FaultSetting& fault, const Scenario&, const Bounds& bounds) {
                                    std::vector<Assumption> broken;
                                    // Each of them holds its place, and the ones behind it wait: how many,
                                    // nobody knows beforehand.
                                    if (may_be_noticed(bounds, longest_latency(fault)))
                                      broken.push_back(Assumption::prompt_store);
                                    return broken;
                                  },
                              .begin =
                                  [](World& world, const FaultInjection& strike) {
                                    StoreKnobs knobs;
                                    knobs.slow = strike.length("latency");
                                    turn_stores(world, strike, knobs);
                                  },
                              .end = turn_stores_back,
                              .lingers = longest_latency};

}  // namespace tenure::sim
