#include "lab/hunt/envelope.h"

#include <algorithm>
#include <map>

#include "sim/faults/plan.h"

namespace tenure::sim {
namespace {

bool goes_beyond(const ScenarioFile& hunted) { return hunted.plans.hunt && hunted.plans.hunt->beyond; }

// The faults of the file that speak for this one: itself, or those of its action.
std::vector<const FaultSetting*> stated_for(const FaultSetting& fault, const ScenarioFile& hunted) {
  std::vector<const FaultSetting*> stated;
  if (goes_beyond(hunted)) return stated;
  for (const FaultSetting& of_file : hunted.scenario.faults)
    if (fault.entry > 0 ? of_file.entry == fault.entry : of_file.action == fault.action)
      stated.push_back(&of_file);
  return stated;
}

// Somewhere in the range, or at one of its ends, where bugs are.
Duration draw_within(const Range<Duration>& range, const std::optional<Quantiles>& spread, KeyedRng rng) {
  switch (rng.of("end").below(4)) {
    case 0: return range.low;
    case 1: return range.high;
    default: break;
  }
  const KeyedRng own = rng.of("length");
  return spread ? spread->draw(own) : Duration::nanos(own.between(range.low.ns(), range.high.ns()));
}

// Of a fault at a time. What comes again is moved, and keeps_gaps() is asked of it.
void draw_time(FaultSetting& fault, const FaultSetting& stated, const ScenarioFile& hunted, KeyedRng rng) {
  if (const auto* at = std::get_if<FaultSetting::At>(&stated.when)) {
    const Duration latest = at->latest.value_or(at->at);
    fault.when = FaultSetting::At{Duration::nanos(rng.between(at->at.ns(), latest.ns()))};
  } else if (const auto* every = std::get_if<FaultSetting::Every>(&stated.when)) {
    const std::int64_t last = hunted.scenario.duration.ns() - 1;
    const std::int64_t first = std::min(every->gap.min().ns(), last);
    fault.when = FaultSetting::At{Duration::nanos(rng.between(first, last))};
  }
}

}  // namespace

bool names_nobody(const FaultSetting& fault, std::size_t instances) {
  return std::any_of(fault.target.nodes.begin(), fault.target.nodes.end(),
                     [&](NodeId node) { return node.value >= instances; });
}

bool is_stated(const FaultSetting& fault, const ScenarioFile& hunted) {
  return !stated_for(fault, hunted).empty();
}

bool draw_as_stated(FaultSetting& fault, const ScenarioFile& hunted, std::size_t instances, KeyedRng rng) {
  std::vector<const FaultSetting*> stated = stated_for(fault, hunted);
  std::erase_if(stated, [&](const FaultSetting* each) { return names_nobody(*each, instances); });
  if (stated.empty()) return false;
  const FaultSetting& one = *stated[rng.of("which").below(stated.size())];
  const FaultSetting drawn = draw_strike_of(one, instances, rng.of("strike"));
  fault.target = drawn.target;
  fault.parameters = drawn.parameters;
  fault.duration = drawn.duration;
  fault.with_election = drawn.with_election;
  if (one.duration) {
    const Duration length = draw_within(*one.duration, one.duration_spread, rng.of("duration"));
    fault.duration = Range<Duration>{length, length};
  }
  if (fault.entry > 0) draw_time(fault, one, hunted, rng.of("time"));
  return true;
}

bool keeps_gaps(const std::vector<FaultSetting>& faults, const ScenarioFile& hunted) {
  if (goes_beyond(hunted)) return true;
  return std::all_of(hunted.scenario.faults.begin(), hunted.scenario.faults.end(),
                     [&](const FaultSetting& stated) {
                       const auto* every = std::get_if<FaultSetting::Every>(&stated.when);
                       if (every == nullptr) return true;
                       std::map<Duration, Duration> strikes;  // from when to when
                       bool apart = true;
                       for (const FaultSetting& fault : faults) {
                         const auto* at = std::get_if<FaultSetting::At>(&fault.when);
                         if (fault.entry != stated.entry || at == nullptr) continue;
                         const Duration length = fault.duration ? fault.duration->high : Duration{};
                         apart = strikes.emplace(at->at, at->at + length).second && apart;
                       }
                       Duration free;  // since when none strikes
                       for (const auto& [from, to] : strikes) {
                         apart = apart && from - free >= every->gap.min();
                         free = to;
                       }
                       return apart;
                     });
}

}  // namespace tenure::sim
