// duplicate: messages between the target and its peers arrive twice; connections are not touched.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kDuplicateParameters[] = {{.name = "rate",
                                                        .type = FaultParameterSpec::Type::fraction,
                                                        .required = true,
                                                        .default_text = {},
                                                        .choices = {},
                                                        .doc = "the share that arrives twice, 0 to 1"},
                                                       kDirectionParameter,
                                                       kPeersParameter};

// Connections to a store are not touched, so it answers as promptly as ever.
std::vector<Assumption> duplicate_breaks(const FaultSetting& fault, const Scenario& scenario,
                                         const Bounds& bounds) {
  std::vector<Assumption> broken = link_breaks(fault, scenario, bounds);
  std::erase(broken, Assumption::prompt_store);
  return broken;
}

}  // namespace

const FaultKind kDuplicate = {
    .name = "duplicate",
    .summary = "messages between the target and its peers arrive twice with probability `rate`",
    .acts = FaultKind::Acts::on_links,
    .family = FaultFamily::network,
    .harm = {FaultCause::network, Manner::spares},
    .lasts = true,
    .needs_target = false,
    .needs_traffic = true,
    .parameters = kDuplicateParameters,
    .breaks = duplicate_breaks,
    .begin =
        [](World& world, const FaultInjection& strike) {
          LinkRule rule;
          rule.duplicate_ppm = strike.number("rate");
          add_link_rules(world, strike, rule);
        },
    .end = remove_link_rules};

}  // namespace tenure::sim
