// partition: nothing passes between the target and its peers. Connections hold or lose what they carry.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kPartitionParameters[] = {kDirectionParameter, kPeersParameter};
}

const FaultKind kPartition = {.name = "partition",
                              .summary = "nothing passes between the target and its peers",
                              .acts = FaultKind::Acts::on_links,
                              .family = FaultFamily::network,
                              .harm = {FaultCause::network, Manner::cuts},
                              .lasts = true,
                              .needs_traffic = true,
                              .parameters = kPartitionParameters,
                              .breaks = link_breaks,
                              .begin =
                                  [](World& world, const FaultInjection& strike) {
                                    LinkRule rule;
                                    rule.block = true;
                                    add_link_rules(world, strike, rule);
                                  },
                              .end = remove_link_rules};

}  // namespace tenure::sim
