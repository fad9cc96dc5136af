// What happens to clocks: those of nodes jump, run at another rate, or stand still; the store's jumps.
#include <algorithm>
#include <cstdlib>

#include "sim/faults/faults.h"
#include "sim/faults/settings.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

using enum FaultParameterSpec::Type;

constexpr FaultParameterSpec kClockStepParameters[] = {
    {.name = "by",
     .type = duration,
     .may_be_negative = true,
     .doc = "how far the wall clock jumps; negative is back"}};

}  // namespace

// The monotonic clock does not notice. A jump back is a fault of its own.
const FaultKind kClockStep = {.name = "clock-step",
                              .summary = "the wall clock jumps by `by`, and stays there",
                              .family = FaultFamily::clock,
                              .harm = {FaultCause::clock, Manner::hinders},
                              .moves_wall_clock_alone = true,
                              .parameters = kClockStepParameters,
                              .breaks = breaking<Assumption::wall_in_step>,
                              .begin = [](World& world, const FaultInjection& strike) {
                                for (const NodeId node : strike.nodes)
                                  world.process(node).step_wall(strike.length("by"));
                              }};

constexpr FaultParameterSpec kStoreClockStepParameters[] = {
    {.name = "by",
     .type = duration,
     .may_be_negative = true,
     .doc = "how far the store's clock jumps; negative is back"}};

const FaultKind kStoreClockStep = {.name = "store-clock-step",
                                   .summary = "the store's clock jumps by `by`, and stays there",
                                   .acts = FaultKind::Acts::on_store,
                                   .family = FaultFamily::store_clock,
                                   .harm = {FaultCause::clock, Manner::takes_away},
                                   .parameters = kStoreClockStepParameters,
                                   .breaks = breaking<Assumption::no_store_step, Assumption::wall_in_step>,
                                   .begin = [](World& world, const FaultInjection& strike) {
                                     for (const StoreId store : strike.stores)
                                       world.store(store).step_clock(strike.length("by"));
                                   }};

namespace {

// FaultKind::end of what disturbs the rate of a node's clocks.
void run_as_before(World& world, const FaultInjection& strike) {
  for (const NodeId node : strike.nodes) world.process(node).disturb_rate(strike.id, 0);
}

constexpr FaultParameterSpec kClockRateParameters[] = {
    {.name = "rate_ppm",
     .type = ppm,
     .may_be_negative = true,
     .doc = "how much faster the clocks run, on top of their own error"}};

std::int64_t extra_ppm(const FaultSetting& fault) {
  const auto& rate = value_of<Range<std::int64_t>>(fault, "rate_ppm");
  return std::max(std::abs(rate.low), std::abs(rate.high));
}

// The largest rate error that a node can have while `fault` is at work. Those that may be at work with it add up, as if
// all struck the same node; one that comes again is over before it does.
std::int64_t worst_ppm(const FaultSetting& fault, const Scenario& scenario) {
  const Range<Duration> at_work = may_be_at_work(fault);
  std::int64_t extra = 0;
  for (const FaultSetting& other : scenario.faults)
    if (const Range<Duration> others = may_be_at_work(other);
        other.action == kClockRate.name && others.low < at_work.high && at_work.low < others.high)
      extra += extra_ppm(other);
  std::int64_t own = 0;
  for (const InstanceSetting& instance : scenario.instances)
    own = std::max({own, std::abs(instance.clock.rate_ppm.low), std::abs(instance.clock.rate_ppm.high)});
  return own + extra;
}

std::vector<Assumption> clock_rate_breaks(const FaultSetting& fault, const Scenario& scenario,
                                          const Bounds& bounds) {
  // The wall clock drifts away with the rate, so it does not stay in step either.
  std::vector<Assumption> broken = {Assumption::rates_equal, Assumption::wall_in_step};
  if (worst_ppm(fault, scenario) > bounds.max_clock_drift_ppm.value_or(0))
    broken.push_back(Assumption::rate_bound);
  return broken;
}

}  // namespace

// A bad oscillator, a slewing time daemon.
const FaultKind kClockRate = {.name = "clock-rate",
                              .summary = "both clocks of the node run at another rate",
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
                              .end = run_as_before};

// A broken clock source. Afterwards the clocks run on from where they stood: what they lost stays lost, as every offset
// does.
const FaultKind kClockFreeze = {
    .name = "clock-freeze",
    .summary = "both clocks of the node stand still while its process runs on",
    .family = FaultFamily::clock,
    .harm = {FaultCause::clock, Manner::hinders},
    .lasts = true,
    // A rate of nothing at all is beyond any bound. The process does not stand still: no_mono_freeze is not about this.
    .breaks = breaking<Assumption::rate_bound, Assumption::rates_equal, Assumption::wall_in_step>,
    .begin =
        [](World& world, const FaultInjection& strike) {
          for (const NodeId node : strike.nodes)
            world.process(node).disturb_rate(strike.id, RateClock::kStill);
        },
    .end = run_as_before,
    .in_vain = [](const World& world, const FaultInjection&, NodeId node) -> const char* {
      return world.process(node).clock().stands_still() ? "its target's clocks stand still already" : nullptr;
    }};

}  // namespace tenure::sim
