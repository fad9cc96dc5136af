// loss: messages between the target and its peers vanish; connections send again, which takes time.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kParameters[] = {{.name = "rate",
                                               .type = FaultParameterSpec::Type::fraction,
                                               .required = true,
                                               .default_text = {},
                                               .choices = {},
                                               .doc = "the share that is lost, 0 to 1"},
                                              kDirectionParameter,
                                              kPeersParameter};
}

const FaultKind kLoss = {
    .name = "loss",
    .summary = "messages between the target and its peers are lost with probability `rate`",
    .acts = FaultKind::Acts::on_links,
    .lasts = true,
    .needs_target = false,
    .parameters = kParameters,
    .breaks = link_breaks,
    .begin =
        [](World& world, const Strike& strike) {
          LinkRule rule;
          rule.loss_ppm = strike.number("rate");
          add_link_rules(world, strike, rule);
        },
    .end = remove_link_rules};

}  // namespace tenure::sim
