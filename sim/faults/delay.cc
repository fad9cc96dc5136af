// delay: everything between the target and its peers takes longer.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kDelayParameters[] = {{.name = "latency",
                                                    .type = FaultParameterSpec::Type::duration,
                                                    .required = true,
                                                    .default_text = {},
                                                    .choices = {},
                                                    .doc = "added to each message's own latency"},
                                                   kDirectionParameter,
                                                   kPeersParameter};

std::vector<Assumption> delay_breaks(const FaultSetting& fault, const Scenario& scenario,
                                     const Bounds& bounds) {
  std::vector<Assumption> broken = link_breaks(fault, scenario, bounds);
  if (!may_be_noticed(bounds, longest_latency(fault) * 2)) std::erase(broken, Assumption::prompt_store);
  return broken;
}

}  // namespace

const FaultKind kDelay = {.name = "delay",
                          .summary = "everything between the target and its peers takes longer",
                          .acts = FaultKind::Acts::on_links,
                          .family = FaultFamily::network,
                          .harm = {FaultCause::network, Manner::hinders},
                          .lasts = true,
                          .needs_target = false,
                          .needs_traffic = true,
                          .parameters = kDelayParameters,
                          .breaks = delay_breaks,
                          .begin =
                              [](World& world, const FaultInjection& strike) {
                                LinkRule rule;
                                rule.delay = strike.length("latency");
                                add_link_rules(world, strike, rule);
                              },
                          .end = remove_link_rules,
                          .lingers = longest_latency};

}  // namespace tenure::sim
