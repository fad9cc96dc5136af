// Clusters: how many instances, on which clocks, how far from each other.
#include <algorithm>
#include <vector>

#include "lab/hunt/swarm.h"
#include "lab/testing/draws.h"
#include "sim/runner/claims.h"

namespace tenure::testing {
namespace {

constexpr std::int64_t kInstances = 5;
constexpr std::int64_t kRatePpm = 1'000;
constexpr Duration kOffset = Duration::minutes(5);
constexpr sim::Range<Duration> kLatency{Duration::micros(50), Duration::seconds(1)};

sim::ClockSetting draw_clock(sim::KeyedRng rng) {
  sim::ClockSetting clock;
  if (rng.of("apart").below(2) == 0) {
    Duration offset = lab::draw_magnitude(rng.of("offset"), Duration::millis(1), kOffset);
    if (rng.of("behind").below(2) == 0) offset = Duration{} - offset;
    clock.offset = {offset, offset};
  }
  if (rng.of("drifts").below(2) == 0) {
    const std::int64_t rate = rng.of("rate").between(-kRatePpm, kRatePpm);
    clock.rate_ppm = {rate, rate};
  }
  return clock;
}

sim::Quantiles draw_latency(const std::optional<sim::Range<Duration>>& range, sim::KeyedRng rng) {
  const sim::Range<Duration> within = range.value_or(kLatency);
  const Duration largest = lab::draw_magnitude(rng.of("largest"), within.low, within.high);
  if (rng.of("steady").below(2) == 0) return sim::Quantiles::constant(largest);
  const Duration usual = std::max(largest / 10, Duration::nanos(1));
  return sim::Quantiles::table({{0, std::max(usual / 2, Duration::nanos(1))},
                                {sim::Quantiles::kOne / 2, usual},
                                {sim::Quantiles::kOne, largest}});
}

}  // namespace

void draw_surroundings(format::ScenarioFile& file, sim::KeyedRng rng) {
  sim::Scenario& scenario = file.scenario;
  const format::HuntSetting setting = file.plans.hunt.value_or(format::HuntSetting{});
  const sim::Range<std::int64_t> count = setting.instances.value_or(sim::Range<std::int64_t>{1, kInstances});
  scenario.instances.resize(static_cast<std::size_t>(rng.of("count").between(count.low, count.high)),
                            scenario.instances.front());
  for (std::size_t i = 0; i < scenario.instances.size(); ++i)
    scenario.instances[i].clock = draw_clock(rng.of("clock").of(i));
  scenario.store.clock = draw_clock(rng.of("store clock"));
  scenario.store.latency = draw_latency(setting.store_latency, rng.of("store"));
  scenario.network.latency = draw_latency(setting.network_latency, rng.of("network"));
}

bool within_claims(const sim::Scenario& scenario) {
  if (!lab::inside_claims(scenario)) return false;
  const std::vector<sim::Broken> broken = sim::broken_assumptions(scenario, {}, {});
  return std::none_of(broken.begin(), broken.end(), [&](const sim::Broken& each) {
    return each.assumption != Assumption::steady_leader &&  // no draw can change that
           lab::rests_on(scenario, each.assumption);
  });
}

}  // namespace tenure::testing
