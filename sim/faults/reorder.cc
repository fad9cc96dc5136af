// reorder: packets between the target and its peers overtake each other. A message between instances travels alone, so
// the next one may arrive before it. A connection to a store puts its segments back in order, as TCP does: there one
// that is held back holds back all that is behind it, and nothing is overtaken.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kReorderParameters[] = {
    {.name = "rate",
     .type = FaultParameterSpec::Type::fraction,
     .default_text = "0.5",
     .choices = {},
     .doc = "the share that is held back, 0 to 1"},
    {.name = "by",
     .type = FaultParameterSpec::Type::duration,
     .required = true,
     .default_text = {},
     .choices = {},
     .doc = "it is held back by up to this much, drawn anew for each"},
    kDirectionParameter,
    kPeersParameter};

std::vector<Assumption> reorder_breaks(const FaultSetting& fault, const Scenario& scenario,
                                       const Bounds& bounds) {
  std::vector<Assumption> broken = link_breaks(fault, scenario, bounds);
  if (!may_outlast_a_request(scenario, bounds, longest(fault, "by") * 2))
    std::erase(broken, Assumption::prompt_store);
  return broken;
}

}  // namespace

const FaultKind kReorder = {
    .name = "reorder",
    .summary =
        "messages between the target and its peers overtake each other; a connection to a store keeps its "
        "order, and is slower",
    .acts = FaultKind::Acts::on_links,
    .family = FaultFamily::network,
    .harm = {FaultCause::network, Manner::hinders},
    .lasts = true,
    .needs_target = false,
    .needs_traffic = true,
    .parameters = kReorderParameters,
    .breaks = reorder_breaks,
    .begin =
        [](World& world, const FaultInjection& strike) {
          LinkRule rule;
          rule.held_back_ppm = strike.number("rate");
          rule.held_back = strike.length("by");
          add_link_rules(world, strike, rule);
        },
    .end = remove_link_rules,
    .lingers = [](const FaultSetting& fault) { return longest(fault, "by"); }};

}  // namespace tenure::sim
