#include "lab/hunt/strikes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/check.h"
#include "lab/hunt/swarm.h"
#include "sim/faults/settings.h"
#include "sim/scenario/worker_processes.h"
#include "sim/world/record.h"

namespace tenure::sim {
namespace {

constexpr Duration kShortest = Duration::millis(1);
constexpr Duration kLargestStep = Duration::hours(1);
constexpr std::int64_t kLargestPpm = 500'000;

FaultParameter draw_parameter(const FaultParameterSpec& spec, const Scenario& scenario, KeyedRng rng) {
  FaultParameter parameter;
  parameter.name = std::string(spec.name);
  const bool negative = spec.may_be_negative && rng.of("sign").below(2) == 0;
  switch (spec.type) {
    case FaultParameterSpec::Type::duration: {
      const Duration high = spec.may_be_negative ? kLargestStep : longest_strike(scenario);
      Duration length = draw_magnitude(rng, spec.drawn_from, std::max(high, spec.drawn_from));
      if (negative) length = Duration{} - length;
      parameter.value = Range<Duration>{length, length};
      break;
    }
    case FaultParameterSpec::Type::ppm: {
      const std::int64_t size = draw_magnitude(rng, Duration::nanos(1), Duration::nanos(kLargestPpm)).ns();
      parameter.value = Range<std::int64_t>{negative ? -size : size, negative ? -size : size};
      break;
    }
    case FaultParameterSpec::Type::fraction: {
      constexpr std::int64_t kShares[] = {10'000, 100'000, 300'000, 500'000, 900'000, 1'000'000};
      parameter.value = kShares[rng.below(std::size(kShares))];
      break;
    }
    case FaultParameterSpec::Type::destination:
      parameter.value = scenario.destinations[rng.below(scenario.destinations.size())].name;
      break;
    case FaultParameterSpec::Type::worker: {
      const std::vector<WorkerProcess> workers = worker_processes(scenario.workers);
      parameter.value = workers[rng.below(workers.size())].name;
      break;
    }
    case FaultParameterSpec::Type::choice:
      parameter.value = std::string(spec.name == "peers" && !uses_store(scenario)
                                        ? "instances"
                                        : spec.choices[rng.below(spec.choices.size())]);
      break;
  }
  return parameter;
}

}  // namespace

Duration draw_magnitude(KeyedRng rng, Duration low, Duration high) {
  CHECK(Duration{} < low && low <= high);
  int doublings = 0;
  for (std::int64_t ns = low.ns(); ns <= high.ns() / 2; ns *= 2) ++doublings;
  const auto steps = static_cast<int>(rng.of("magnitude").below(static_cast<std::uint64_t>(doublings) + 1));
  const std::int64_t from = low.ns() << steps;
  const std::int64_t to = steps == doublings ? high.ns() : from * 2;
  return Duration::nanos(rng.of("length").between(from, to));
}

bool can_strike(const FaultKind& kind, const Scenario& scenario) {
  if (kind.acts == FaultKind::Acts::on_workers) return !scenario.workers.empty();
  if (kind.acts == FaultKind::Acts::on_destinations) return !scenario.destinations.empty();
  if (!uses_store(scenario)) return kind.acts != FaultKind::Acts::on_store && !kind.needs_store;
  if (kind.needs_redelivery) return delivers_again(scenario);
  if (kind.needs_cluster) return can_part(scenario);
  if (kind.family == FaultFamily::failover) return has_replica(scenario);
  return kind.family != FaultFamily::store_clock || reads_wall_clock(scenario);
}

Duration longest_strike(const Scenario& scenario) {
  Duration longest = Duration::seconds(1);
  const Parameters& election = scenario.instances.front().election;
  for (std::size_t i = 0; i < election.specs().size(); ++i)
    if (election.specs()[i].type == ParameterSpec::Type::duration)
      longest = std::max(longest, Duration::nanos(election.value(static_cast<int>(i))));
  return std::clamp(longest * 4, kShortest, std::max(scenario.duration / 2, kShortest));
}

void draw_when(FaultSetting& fault, const Scenario& scenario, KeyedRng rng) {
  if (rng.of("timed").below(2) == 0) {
    const std::int64_t last = std::max<std::int64_t>(scenario.duration.ns() / 1'000 - 1, 0);
    fault.when = FaultSetting::At{Duration::micros(rng.of("at").between(0, last))};
    return;
  }
  FaultSetting::On on;
  on.event = std::string(kEventNames[rng.of("event").below(std::size(kEventNames))]);
  // Mostly one of the first few times: later ones may never come.
  on.nth = 1 + static_cast<std::int64_t>(rng.of("nth").below(std::uint64_t{1} << rng.of("late").below(6)));
  if (rng.of("waits").below(3) != 0)
    on.after = draw_magnitude(rng.of("after"), Duration::micros(1), longest_strike(scenario));
  fault.when = on;
}

void draw_target(FaultSetting& fault, const FaultKind& kind, KeyedRng rng) {
  if (!strikes_nodes(kind)) return;
  using enum Target::Kind;
  constexpr Target::Kind kKinds[] = {leader,  leader, leader, leader,   believer, believer,
                                     standby, one,    one,    minority, majority, all};
  fault.target = {kKinds[rng.below(std::size(kKinds))], {}};
}

void draw_duration(FaultSetting& fault, const FaultKind& kind, const Scenario& scenario, KeyedRng rng) {
  fault.duration.reset();
  if (!kind.lasts || rng.of("for ever").below(16) == 0) return;
  const Duration length = draw_magnitude(rng, kShortest, longest_strike(scenario));
  fault.duration = Range<Duration>{length, length};
}

void draw_parameters(FaultSetting& fault, const FaultKind& kind, const Scenario& scenario, KeyedRng rng) {
  fault.parameters.clear();
  for (const FaultParameterSpec& spec : kind.parameters)
    fault.parameters.push_back(draw_parameter(spec, scenario, rng.of(spec.name)));
}

FaultSetting draw_strike(const FaultKind& kind, const Scenario& scenario, KeyedRng rng) {
  FaultSetting fault;
  fault.id = rng.of("id").bits();
  fault.action = std::string(kind.name);
  draw_when(fault, scenario, rng.of("when"));
  draw_target(fault, kind, rng.of("target"));
  draw_duration(fault, kind, scenario, rng.of("duration"));
  draw_parameters(fault, kind, scenario, rng.of("parameters"));
  return fault;
}

}  // namespace tenure::sim
