#include "lab/hunt/mutation.h"

#include <algorithm>
#include <utility>

#include "format/parse/tail.h"
#include "lab/hunt/envelope.h"
#include "lab/hunt/strikes.h"
#include "sim/faults/plan.h"

namespace tenure::lab {
namespace {

constexpr std::uint64_t kChangesMax = 4;
constexpr std::uint64_t kTries = 16;  // to change something and stay within the claims
constexpr std::int64_t kLatest = 64;  // of "the nth time", which may never come

using Faults = std::vector<sim::FaultSetting>;

bool fits(const sim::FaultSetting& fault, const sim::Scenario& scenario) {
  return std::all_of(fault.target.nodes.begin(), fault.target.nodes.end(),
                     [&](NodeId node) { return node.value < scenario.instances.size(); });
}

// Longer, but not beyond `most`; what is beyond it already stays as it is.
Duration longer(Duration length, Duration by, Duration most) {
  return length >= most - by ? std::max(length, most) : length + by;
}

void stretch(sim::FaultSetting& fault, const sim::Scenario& scenario, sim::KeyedRng rng) {
  if (!fault.duration) return;
  const Duration length = fault.duration->low;
  const Duration changed = rng.below(2) == 0 ? longer(length, length, longest_strike(scenario))
                                             : std::max(length / 2, Duration::nanos(1));
  fault.duration = sim::Range<Duration>{changed, changed};
}

// A little earlier or later; what waits for an event waits for the one before or after it.
void shift(sim::FaultSetting& fault, const sim::Scenario& scenario, sim::KeyedRng rng) {
  const bool later = rng.of("later").below(2) == 0;
  const Duration by = draw_magnitude(rng.of("by"), Duration::micros(1), Duration::seconds(10));
  if (auto* at = std::get_if<sim::FaultSetting::At>(&fault.when)) {
    at->at =
        std::clamp(later ? at->at + by : at->at - by, Duration{}, scenario.duration - Duration::nanos(1));
  } else if (auto* on = std::get_if<sim::FaultSetting::On>(&fault.when)) {
    if (rng.of("count").below(2) == 0)
      on->nth =
          later ? std::max(on->nth, std::min(on->nth + 1, kLatest)) : std::max<std::int64_t>(on->nth - 1, 1);
    else
      on->after =
          later ? longer(on->after, by, longest_strike(scenario)) : std::max(on->after - by, Duration{});
  }
}

// Of one that the hunt has added, the time is as free as that of others.
void change_within_file(sim::FaultSetting& fault, const sim::Scenario& scenario,
                        const format::ScenarioFile& hunted, sim::KeyedRng rng) {
  const bool moves = fault.entry == 0 && rng.of("moves").below(2) == 0;
  const sim::KeyedRng own = rng.of("what");
  if (!moves)
    static_cast<void>(draw_as_stated(fault, hunted, scenario.instances.size(), own));
  else if (rng.of("which").below(2) == 0)
    shift(fault, scenario, own);
  else
    draw_when(fault, scenario, own);
}

void change_one(sim::FaultSetting& fault, const sim::Scenario& scenario, const format::ScenarioFile& hunted,
                sim::KeyedRng rng) {
  if (is_stated(fault, hunted)) return change_within_file(fault, scenario, hunted, rng);
  const sim::FaultKind& kind = *sim::find_fault_kind(fault.action);
  const sim::KeyedRng own = rng.of("what");
  switch (rng.of("which").below(6)) {
    case 0: return shift(fault, scenario, own);
    case 1: return stretch(fault, scenario, own);
    case 2: return draw_when(fault, scenario, own);
    case 3: return draw_target(fault, kind, own);
    case 4: return draw_duration(fault, kind, scenario, own);
    default: return draw_parameters(fault, kind, scenario, own);
  }
}

// Those that are not the file's own.
std::size_t drawn(const Faults& faults) {
  return static_cast<std::size_t>(std::count_if(
      faults.begin(), faults.end(), [](const sim::FaultSetting& fault) { return fault.entry == 0; }));
}

// Of the file's own or another, under an id of its own: it is in no file.
sim::FaultSetting copy_of(sim::FaultSetting fault, sim::KeyedRng rng) {
  fault.id = rng.of("id").bits();
  fault.line = 0;
  fault.entry = 0;
  fault.strike = 0;
  return fault;
}

// What a change may use.
struct Means {
  const std::vector<const sim::FaultKind*> kinds;
  const Faults& others;
  const std::size_t most_drawn;
  const format::ScenarioFile& hunted;
};

void change(sim::Scenario& scenario, const Means& means, sim::KeyedRng rng) {
  Faults& faults = scenario.faults;
  const auto any = [&](const Faults& from) -> std::size_t { return rng.of("any").below(from.size()); };
  const std::uint64_t choice = rng.of("choice").below(8);
  const bool room = drawn(faults) < means.most_drawn;
  if (choice == 0 && faults.size() > 1) {
    faults.erase(faults.begin() + static_cast<std::ptrdiff_t>(any(faults)));
  } else if (choice == 1 && room && !means.kinds.empty()) {
    const sim::FaultKind& kind = *means.kinds[rng.of("kind").below(means.kinds.size())];
    sim::FaultSetting fresh = draw_strike(kind, scenario, rng.of("new"));
    if (!is_stated(fresh, means.hunted) ||
        draw_as_stated(fresh, means.hunted, scenario.instances.size(), rng.of("as stated")))
      faults.push_back(std::move(fresh));
  } else if (choice == 2 && room && !means.others.empty()) {
    const sim::FaultSetting& other = means.others[any(means.others)];
    sim::FaultSetting copy = copy_of(other, rng);
    // How many a minority is depends on the cluster.
    const bool as_stated = !is_stated(copy, means.hunted) ||
                           draw_as_stated(copy, means.hunted, scenario.instances.size(), rng.of("as stated"));
    if (as_stated && fits(copy, scenario)) faults.push_back(std::move(copy));
  } else if (choice == 3 && room && !faults.empty()) {
    sim::FaultSetting again = copy_of(faults[any(faults)], rng);
    shift(again, scenario, rng.of("again"));
    faults.push_back(std::move(again));
  } else if (!faults.empty()) {
    change_one(faults[any(faults)], scenario, means.hunted, rng.of("one"));
  }
}

// The same, but a case inside the claims stays there, and all stay inside the file: what would take one out is left
// undone, and another is tried.
void change_within(sim::Scenario& scenario, bool inside, const Means& means, sim::KeyedRng rng) {
  for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
    sim::Scenario changed = scenario;
    change(changed, means, rng.of(attempt));
    if (inside && !inside_claims(changed)) continue;
    if (!keeps_gaps(changed.faults, means.hunted)) continue;
    scenario = std::move(changed);
    return;
  }
}

}  // namespace

Case mutate(const Case& parent, const Case& other, const format::ScenarioFile& hunted, std::uint64_t seed) {
  const sim::KeyedRng rng = sim::KeyedRng(seed).of("mutation");
  Case mutant = parent;
  mutant.mutated = true;
  sim::Scenario& scenario = mutant.scenario;
  if (rng.of("noise").below(2) == 0) scenario.seed = seed;
  const Means means{
      .kinds = drawable(hunted),
      .others = other.scenario.faults,
      .most_drawn = hunted.plans.hunt ? static_cast<std::size_t>(hunted.plans.hunt->faults.high) : 0,
      .hunted = hunted};
  const std::uint64_t changes = 1 + rng.of("changes").below(kChangesMax);
  for (std::uint64_t i = 0; i < changes; ++i)
    change_within(scenario, parent.inside, means, rng.of("change").of(i));
  scenario.faults = sim::draw_plan(scenario, sim::KeyedRng(*scenario.seed));
  for (sim::FaultSetting& fault : scenario.faults) fault.optional = true;  // as those of the swarm
  mutant.inside = inside_claims(scenario);
  scenario.tail = std::max(hunted.scenario.tail, format::needed_tail(scenario));
  return mutant;
}

}  // namespace tenure::lab
