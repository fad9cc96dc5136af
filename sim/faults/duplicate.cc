// duplicate: messages between the target and its peers arrive twice; connections are not touched.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kParameters[] = {{.name = "rate",
                                               .type = FaultParameterSpec::Type::fraction,
                                               .required = true,
                                               .default_text = {},
                                               .choices = {},
                                               .doc = "the share that arrives twice, 0 to 1"},
                                              kDirectionParameter,
                                              kPeersParameter};
}

const FaultKind kDuplicate = {
    .name = "duplicate",
    .summary = "messages between the target and its peers arrive twice with probability `rate`",
    .acts = FaultKind::Acts::on_links,
    .lasts = true,
    .needs_target = false,
    .parameters = kParameters,
    .breaks = link_breaks,
    .begin =
        [](World& world, const Strike& strike) {
          LinkRule rule;
          rule.duplicate_ppm = strike.number("rate");
          add_link_rules(world, strike, rule);
        },
    .end = remove_link_rules};

}  // namespace tenure::sim
