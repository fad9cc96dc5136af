#include "lab/hunt/envelope.h"

#include <algorithm>
#include <map>

#include "sim/faults/plan.h"

namespace tenure::lab {
namespace {

bool goes_beyond(const format::ScenarioFile& hunted) {
  return hunted.plans.hunt && hunted.plans.hunt->beyond;
}

// The faults of the file that speak for this one: itself, or those of its action.
std::vector<const sim::FaultSetting*> stated_for(const sim::FaultSetting& fault,
                                                 const format::ScenarioFile& hunted) {
  std::vector<const sim::FaultSetting*> stated;
  if (goes_beyond(hunted)) return stated;
  for (const sim::FaultSetting& of_file : hunted.scenario.faults)
    if (fault.entry > 0 ? of_file.entry == fault.entry : of_file.action == fault.action)
      stated.push_back(&of_file);
  return stated;
}

// Somewhere in the range, or at one of its ends, where bugs are.
Duration draw_within(const sim::Range<Duration>& range, const std::optional<sim::Quantiles>& spread,
                     sim::KeyedRng rng) {
  switch (rng.of("end").below(4)) {
    case 0: return range.low;
    case 1: return range.high;
    default: break;
  }
  const sim::KeyedRng own = rng.of("length");
  return spread ? spread->draw(own) : Duration::nanos(own.between(range.low.ns(), range.high.ns()));
}

// Of a fault at a time. What comes again is moved, and keeps_gaps() is asked of it.
void draw_time(sim::FaultSetting& fault, const sim::FaultSetting& stated, const format::ScenarioFile& hunted,
               sim::KeyedRng rng) {
  if (const auto* at = std::get_if<sim::FaultSetting::At>(&stated.when)) {
    const Duration latest = at->latest.value_or(at->at);
    fault.when = sim::FaultSetting::At{Duration::nanos(rng.between(at->at.ns(), latest.ns()))};
  } else if (const auto* every = std::get_if<sim::FaultSetting::Every>(&stated.when)) {
    const std::int64_t last = hunted.scenario.duration.ns() - 1;
    const std::int64_t first = std::min(every->gap.min().ns(), last);
    fault.when = sim::FaultSetting::At{Duration::nanos(rng.between(first, last))};
  }
}

}  // namespace

bool names_nobody(const sim::FaultSetting& fault, std::size_t instances) {
  return std::any_of(fault.target.nodes.begin(), fault.target.nodes.end(),
                     [&](NodeId node) { return node.value >= instances; });
}

bool is_stated(const sim::FaultSetting& fault, const format::ScenarioFile& hunted) {
  return !stated_for(fault, hunted).empty();
}

bool draw_as_stated(sim::FaultSetting& fault, const format::ScenarioFile& hunted, std::size_t instances,
                    sim::KeyedRng rng) {
  std::vector<const sim::FaultSetting*> stated = stated_for(fault, hunted);
  std::erase_if(stated, [&](const sim::FaultSetting* each) { return names_nobody(*each, instances); });
  if (stated.empty()) return false;
  const sim::FaultSetting& one = *stated[rng.of("which").below(stated.size())];
  const sim::FaultSetting drawn = sim::draw_strike_of(one, instances, rng.of("strike"));
  fault.target = drawn.target;
  fault.parameters = drawn.parameters;
  fault.duration = drawn.duration;
  fault.with_election = drawn.with_election;
  if (one.duration) {
    const Duration length = draw_within(*one.duration, one.duration_spread, rng.of("duration"));
    fault.duration = sim::Range<Duration>{length, length};
  }
  if (fault.entry > 0) draw_time(fault, one, hunted, rng.of("time"));
  return true;
}

bool keeps_gaps(const std::vector<sim::FaultSetting>& faults, const format::ScenarioFile& hunted) {
  if (goes_beyond(hunted)) return true;
  return std::all_of(hunted.scenario.faults.begin(), hunted.scenario.faults.end(),
                     [&](const sim::FaultSetting& stated) {
                       const auto* every = std::get_if<sim::FaultSetting::Every>(&stated.when);
                       if (every == nullptr) return true;
                       std::map<Duration, Duration> strikes;  // from when to when
                       bool apart = true;
                       for (const sim::FaultSetting& fault : faults) {
                         const auto* at = std::get_if<sim::FaultSetting::At>(&fault.when);
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

}  // namespace tenure::lab
