// loss: messages between the target and its peers vanish; connections send again, which takes time.
#include "sim/faults/faults.h"
#include "sim/faults/links.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {
constexpr FaultParameterSpec kLossParameters[] = {{.name = "rate",
                                                   .type = FaultParameterSpec::Type::fraction,
                                                   .required = true,
                                                   .default_text = {},
                                                   .choices = {},
                                                   .doc = "the share that is lost, 0 to 1"},
                                                  kDirectionParameter,
                                                  kPeersParameter};

// A connection only gets slower, unless everything is lost. How much slower does not depend on the rate: any segment
// can be lost as often as it is sent again.
bool delays_beyond_a_timeout(const FaultSetting& fault, const Scenario& scenario, const Bounds& bounds) {
  std::string_view direction = "both";
  for (const FaultParameter& parameter : fault.parameters)
    if (parameter.name == "direction") direction = std::get<std::string>(parameter.value);
  const bool both_ways = direction == "both" || scenario.network.loss_ppm > 0;
  return bounds.request_timeout &&
         slowest_answer(scenario, bounds, both_ways ? 2 : 1) >= *bounds.request_timeout;
}

std::vector<Assumption> loss_breaks(const FaultSetting& fault, const Scenario& scenario,
                                    const Bounds& bounds) {
  std::int64_t rate = 0;
  for (const FaultParameter& parameter : fault.parameters)
    if (parameter.name == "rate") rate = std::get<std::int64_t>(parameter.value);
  if (rate == 0) return {};
  std::vector<Assumption> broken = link_breaks(fault, scenario, bounds);
  if (rate < 1'000'000 && !delays_beyond_a_timeout(fault, scenario, bounds))
    std::erase(broken, Assumption::prompt_store);
  return broken;
}

}  // namespace

const FaultKind kLoss = {
    .name = "loss",
    .summary = "messages between the target and its peers are lost with probability `rate`",
    .acts = FaultKind::Acts::on_links,
    .family = FaultFamily::network,
    .harm = {FaultCause::network, Manner::cuts},
    .lasts = true,
    .needs_target = false,
    .needs_traffic = true,
    .parameters = kLossParameters,
    .breaks = loss_breaks,
    .begin =
        [](World& world, const FaultInjection& strike) {
          LinkRule rule;
          rule.loss_ppm = strike.number("rate");
          add_link_rules(world, strike, rule);
        },
    .end = remove_link_rules};

}  // namespace tenure::sim
