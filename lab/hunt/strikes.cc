#include "lab/hunt/strikes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/check.h"
#include "lab/hunt/swarm.h"
#include "sim/faults/settings.h"
#include "sim/scenario/worker_processes.h"
#include "sim/world/record.h"

namespace tenure::lab {
namespace {

constexpr Duration kShortest = Duration::millis(1);
constexpr Duration kLargestStep = Duration::hours(1);
constexpr std::int64_t kLargestPpm = 500'000;

sim::FaultParameter draw_parameter(const sim::FaultParameterSpec& spec, const sim::Scenario& scenario,
                                   sim::KeyedRng rng) {
  sim::FaultParameter parameter;
  parameter.name = std::string(spec.name);
  const bool negative = spec.may_be_negative && rng.of("sign").below(2) == 0;
  switch (spec.type) {
    case sim::FaultParameterSpec::Type::duration: {
      const Duration high = spec.may_be_negative ? kLargestStep : longest_strike(scenario);
      Duration length = draw_magnitude(rng, spec.drawn_from, std::max(high, spec.drawn_from));
      if (negative) length = Duration{} - length;
      parameter.value = sim::Range<Duration>{length, length};
      break;
    }
    case sim::FaultParameterSpec::Type::ppm: {
      const std::int64_t size = draw_magnitude(rng, Duration::nanos(1), Duration::nanos(kLargestPpm)).ns();
      parameter.value = sim::Range<std::int64_t>{negative ? -size : size, negative ? -size : size};
      break;
    }
    case sim::FaultParameterSpec::Type::fraction: {
      constexpr std::int64_t kShares[] = {10'000, 100'000, 300'000, 500'000, 900'000, 1'000'000};
      parameter.value = kShares[rng.below(std::size(kShares))];
      break;
    }
    case sim::FaultParameterSpec::Type::destination:
      parameter.value = scenario.destinations[rng.below(scenario.destinations.size())].name;
      break;
    case sim::FaultParameterSpec::Type::worker: {
      const std::vector<sim::WorkerProcess> workers = sim::worker_processes(scenario.workers);
      parameter.value = workers[rng.below(workers.size())].name;
      break;
    }
    case sim::FaultParameterSpec::Type::choice:
      parameter.value = std::string(spec.name == "peers" && !sim::uses_store(scenario)
                                        ? "instances"
                                        : spec.choices[rng.below(spec.choices.size())]);
      break;
  }
  return parameter;
}

}  // namespace

Duration draw_magnitude(sim::KeyedRng rng, Duration low, Duration high) {
  CHECK(Duration{} < low && low <= high);
  int doublings = 0;
  for (std::int64_t ns = low.ns(); ns <= high.ns() / 2; ns *= 2) ++doublings;
  const auto steps = static_cast<int>(rng.of("magnitude").below(static_cast<std::uint64_t>(doublings) + 1));
  const std::int64_t from = low.ns() << steps;
  const std::int64_t to = steps == doublings ? high.ns() : from * 2;
  return Duration::nanos(rng.of("length").between(from, to));
}

bool can_strike(const sim::FaultKind& kind, const sim::Scenario& scenario) {
  if (kind.acts == sim::FaultKind::Acts::on_workers) return !scenario.workers.empty();
  if (kind.acts == sim::FaultKind::Acts::on_destinations) return !scenario.destinations.empty();
  if (!sim::uses_store(scenario)) return kind.acts != sim::FaultKind::Acts::on_store && !kind.needs_store;
  if (kind.needs_redelivery) return sim::delivers_again(scenario);
  if (kind.needs_cluster) return sim::can_part(scenario);
  if (kind.family == sim::FaultFamily::failover) return sim::has_replica(scenario);
  return kind.family != sim::FaultFamily::store_clock || sim::reads_wall_clock(scenario);
}

Duration longest_strike(const sim::Scenario& scenario) {
  Duration longest = Duration::seconds(1);
  const Parameters& election = scenario.instances.front().election;
  for (std::size_t i = 0; i < election.specs().size(); ++i)
    if (election.specs()[i].type == ParameterSpec::Type::duration)
      longest = std::max(longest, Duration::nanos(election.value(static_cast<int>(i))));
  return std::clamp(longest * 4, kShortest, std::max(scenario.duration / 2, kShortest));
}

void draw_when(sim::FaultSetting& fault, const sim::Scenario& scenario, sim::KeyedRng rng) {
  if (rng.of("timed").below(2) == 0) {
    const std::int64_t last = std::max<std::int64_t>(scenario.duration.ns() / 1'000 - 1, 0);
    fault.when = sim::FaultSetting::At{Duration::micros(rng.of("at").between(0, last))};
    return;
  }
  sim::FaultSetting::On on;
  on.event = std::string(sim::kEventNames[rng.of("event").below(std::size(sim::kEventNames))]);
  // Mostly one of the first few times: later ones may never come.
  on.nth = 1 + static_cast<std::int64_t>(rng.of("nth").below(std::uint64_t{1} << rng.of("late").below(6)));
  if (rng.of("waits").below(3) != 0)
    on.after = draw_magnitude(rng.of("after"), Duration::micros(1), longest_strike(scenario));
  fault.when = on;
}

void draw_target(sim::FaultSetting& fault, const sim::FaultKind& kind, sim::KeyedRng rng) {
  if (!sim::strikes_nodes(kind)) return;
  using enum sim::Target::Kind;
  constexpr sim::Target::Kind kKinds[] = {leader,  leader, leader, leader,   believer, believer,
                                          standby, one,    one,    minority, majority, all};
  fault.target = {kKinds[rng.below(std::size(kKinds))], {}};
}

void draw_duration(sim::FaultSetting& fault, const sim::FaultKind& kind, const sim::Scenario& scenario,
                   sim::KeyedRng rng) {
  fault.duration.reset();
  if (!kind.lasts || rng.of("for ever").below(16) == 0) return;
  const Duration length = draw_magnitude(rng, kShortest, longest_strike(scenario));
  fault.duration = sim::Range<Duration>{length, length};
}

void draw_parameters(sim::FaultSetting& fault, const sim::FaultKind& kind, const sim::Scenario& scenario,
                     sim::KeyedRng rng) {
  fault.parameters.clear();
  for (const sim::FaultParameterSpec& spec : kind.parameters)
    fault.parameters.push_back(draw_parameter(spec, scenario, rng.of(spec.name)));
}

sim::FaultSetting draw_strike(const sim::FaultKind& kind, const sim::Scenario& scenario, sim::KeyedRng rng) {
  sim::FaultSetting fault;
  fault.id = rng.of("id").bits();
  fault.action = std::string(kind.name);
  draw_when(fault, scenario, rng.of("when"));
  draw_target(fault, kind, rng.of("target"));
  draw_duration(fault, kind, scenario, rng.of("duration"));
  draw_parameters(fault, kind, scenario, rng.of("parameters"));
  return fault;
}

}  // namespace tenure::lab
