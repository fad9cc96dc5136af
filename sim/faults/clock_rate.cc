// clock-rate: both of a node's clocks run fast or slow (a bad oscillator, a slewing time daemon).
#include <algorithm>
#include <cstdlib>

#include "core/base/int128.h"
#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

constexpr FaultParameterSpec kClockRateParameters[] = {
    {.name = "rate_ppm",
     .type = FaultParameterSpec::Type::ppm,
     .required = true,
     .default_text = {},
     .choices = {},
     .may_be_negative = true,
     .doc = "how much faster the clocks run, on top of their own error"}};

std::int64_t extra_ppm(const FaultSetting& fault) {
  for (const FaultParameter& parameter : fault.parameters)
    if (const auto* rate = std::get_if<Range<std::int64_t>>(&parameter.value))
      return std::max(std::abs(rate->low), std::abs(rate->high));
  return 0;
}

// When the fault may be at work: a timed one from its time to its end, any other at any time.
struct Span {
  Duration begin;
  Duration end;
  bool has(Duration t) const { return begin <= t && t < end; }
};
Span span_of(const FaultSetting& fault) {
  const auto* timed = std::get_if<FaultSetting::At>(&fault.when);
  if (timed == nullptr) return {Duration{}, Duration::max()};
  return {timed->at, fault.duration ? timed->at + fault.duration->high : Duration::max()};
}

// The largest rate error that a node can have while `fault` is at work. Those at work at one time add up, as if all
// struck the same node; one that comes again is over before it does.
std::int64_t worst_ppm(const FaultSetting& fault, const Scenario& scenario) {
  const auto extra_at = [&](Duration t) {
    std::int64_t extra = 0;
    for (const FaultSetting& other : scenario.faults)
      if (other.action == kClockRate.name && span_of(other).has(t)) extra += extra_ppm(other);
    return extra;
  };
  const Span span = span_of(fault);
  std::int64_t extra = extra_at(span.begin);
  for (const FaultSetting& other : scenario.faults)
    if (other.action == kClockRate.name && span.has(span_of(other).begin))
      extra = std::max(extra, extra_at(span_of(other).begin));
  std::int64_t own = 0;
  for (const InstanceSetting& instance : scenario.instances)
    own = std::max({own, std::abs(instance.clock.rate_ppm.low), std::abs(instance.clock.rate_ppm.high)});
  return own + extra;
}

// How far all such faults of the scenario move one clock, beyond what a rate of `bound_ppm` would.
Duration moved_by(const Scenario& scenario, std::int64_t bound_ppm) {
  Duration sum;
  for (const FaultSetting& fault : scenario.faults) {
    if (fault.action != kClockRate.name) continue;
    const std::int64_t ppm = std::max<std::int64_t>(worst_ppm(fault, scenario) - bound_ppm, 0);
    const Duration longest = fault.duration ? fault.duration->high : scenario.duration;
    const auto* on = std::get_if<FaultSetting::On>(&fault.when);
    const bool again =
        std::holds_alternative<FaultSetting::Every>(fault.when) || (on != nullptr && on->every_time);
    sum += Duration::nanos(mul_div_ceil((again ? scenario.duration : longest).ns(), ppm, 1'000'000));
  }
  return sum;
}

std::vector<Assumption> clock_rate_breaks(const FaultSetting& fault, const Scenario& scenario,
                                          const Bounds& bounds) {
  if (moved_by(scenario, 0) < kLeastMove) return {};
  // The wall clock drifts away with the rate, so it does not stay in step either.
  std::vector<Assumption> broken = {Assumption::rates_equal, Assumption::wall_in_step};
  const std::int64_t bound = bounds.max_clock_drift_ppm.value_or(0);
  if (worst_ppm(fault, scenario) > bound && moved_by(scenario, bound) >= kLeastMove)
    broken.push_back(Assumption::rate_bound);
  return broken;
}

}  // namespace

const FaultKind kClockRate = {.name = "clock-rate",
                              .summary = "both clocks of the node run at another rate",
                              .acts = FaultKind::Acts::on_nodes,
                              .family = FaultFamily::clock,
                              .harm = {FaultCause::clock, Manner::hinders},
                              .lasts = true,
                              .parameters = kClockRateParameters,
                              .breaks = clock_rate_breaks,
                              .begin =
                                  [](World& world, const FaultInjection& strike) {
                                    for (const NodeId node : strike.nodes)
                                      world.process(node).disturb_rate(strike.id, strike.number("rate_ppm"));
                                  },
                              .end =
                                  [](World& world, const FaultInjection& strike) {
                                    for (const NodeId node : strike.nodes)
                                      world.process(node).disturb_rate(strike.id, 0);
                                  }};

}  // namespace tenure::sim
