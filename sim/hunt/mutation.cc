#include "sim/hunt/mutation.h"

#include <algorithm>
#include <utility>

#include "sim/faults/plan.h"
#include "sim/hunt/strikes.h"
#include "sim/scenario/toml/tail.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kChangesMax = 4;
constexpr std::size_t kFaultsMax = 64;  // mutants of mutants do not grow without end

using Faults = std::vector<FaultSetting>;

bool fits(const FaultSetting& fault, const Scenario& scenario) {
  return std::all_of(fault.target.nodes.begin(), fault.target.nodes.end(),
                     [&](NodeId node) { return node.value < scenario.instances.size(); });
}

void stretch(FaultSetting& fault, Noise noise) {
  if (!fault.duration) return;
  const Duration length = fault.duration->low;
  const Duration changed = noise.below(2) == 0 ? length * 2 : std::max(length / 2, Duration::nanos(1));
  fault.duration = Range<Duration>{changed, changed};
}

// A little earlier or later; what waits for an event waits for the one before or after it.
void shift(FaultSetting& fault, const Scenario& scenario, Noise noise) {
  const bool later = noise.of("later").below(2) == 0;
  const Duration by = draw_magnitude(noise.of("by"), Duration::micros(1), Duration::seconds(10));
  if (auto* at = std::get_if<FaultSetting::At>(&fault.when)) {
    at->at =
        std::clamp(later ? at->at + by : at->at - by, Duration{}, scenario.duration - Duration::nanos(1));
  } else if (auto* on = std::get_if<FaultSetting::On>(&fault.when)) {
    if (noise.of("count").below(2) == 0)
      on->nth = std::max<std::int64_t>(on->nth + (later ? 1 : -1), 1);
    else
      on->after = std::max(later ? on->after + by : on->after - by, Duration{});
  }
}

void change_one(FaultSetting& fault, const Scenario& scenario, Noise noise) {
  const FaultKind& kind = *find_fault_kind(fault.action);
  const Noise own = noise.of("what");
  switch (noise.of("which").below(6)) {
    case 0: return shift(fault, scenario, own);
    case 1: return stretch(fault, own);
    case 2: return draw_when(fault, scenario, own);
    case 3: return draw_target(fault, kind, own);
    case 4: return draw_duration(fault, kind, scenario, own);
    default: return draw_parameters(fault, kind, scenario, own);
  }
}

void change(Faults& faults, const Scenario& scenario, const Faults& others,
            const std::vector<const FaultKind*>& kinds, Noise noise) {
  const auto any = [&](const Faults& from) { return noise.of("any").below(from.size()); };
  const std::uint64_t choice = noise.of("choice").below(8);
  if (choice == 0 && faults.size() > 1) {
    faults.erase(faults.begin() + static_cast<std::ptrdiff_t>(any(faults)));
  } else if (choice == 1 && !kinds.empty() && faults.size() < kFaultsMax) {
    faults.push_back(draw_strike(*kinds[noise.of("kind").below(kinds.size())], scenario, noise.of("new")));
  } else if (choice == 2 && !others.empty() && faults.size() < kFaultsMax) {
    FaultSetting taken = others[any(others)];
    if (!fits(taken, scenario)) return;
    taken.id = noise.of("id").bits();
    faults.push_back(std::move(taken));
  } else if (choice == 3 && !faults.empty() && faults.size() < kFaultsMax) {
    FaultSetting again = faults[any(faults)];
    again.id = noise.of("id").bits();
    shift(again, scenario, noise.of("again"));
    faults.push_back(std::move(again));
  } else if (!faults.empty()) {
    change_one(faults[any(faults)], scenario, noise.of("one"));
  }
}

}  // namespace

Case mutate(const Case& parent, const Case& other, const Scenario& hunted, std::uint64_t seed) {
  const Noise noise = Noise(seed).of("mutation");
  Case mutant = parent;
  mutant.mutated = true;
  Scenario& scenario = mutant.scenario;
  if (noise.of("noise").below(2) == 0) scenario.seed = seed;
  const std::vector<const FaultKind*> kinds = drawable(hunted);
  const std::uint64_t changes = 1 + noise.of("changes").below(kChangesMax);
  for (std::uint64_t i = 0; i < changes; ++i)
    change(scenario.faults, scenario, other.scenario.faults, kinds, noise.of("change").of(i));
  scenario.faults = draw_plan(scenario, Noise(*scenario.seed));
  mutant.inside = inside_claims(scenario);
  scenario.tail = std::max(hunted.tail, needed_tail(scenario));
  return mutant;
}

}  // namespace tenure::sim
