#include "sim/runner/claims.h"

#include <algorithm>
#include <utility>

#include "sim/faults/effective_definitions.h"
#include "sim/faults/recovery.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {

const Claim* find_claim(const std::vector<Claim>& claims, std::string_view invariant) {
  const auto claim =
      std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.invariant == invariant; });
  return claim != claims.end() ? &*claim : nullptr;
}

// What a violation is judged by.
struct Case {
  const Scenario& scenario;
  const std::vector<Broken>& broken;
  const Violation* violation = nullptr;  // null: any
  const LedTracker* led = nullptr;       // null: everybody had a part
  bool healed = false;                   // only what no heal mends excuses
};

bool is_mended(const Broken& b) { return b.until != TrueTime::max(); }

// Why the scheduler cannot keep up with the schedules that the violation names: a slot delays the next one by more than
// the time between them. Empty: it can.
std::string falls_behind(const Case& c) {
  const Scenario& scenario = c.scenario;
  const auto delay = scenario.scheduler->slot_delay;
  if (delay == nullptr) return {};
  // When the work ends, a read may be under way that still shows its slot; the next one is asked for after that.
  const Duration needed =
      delay(scenario.scheduling, scenario.work.duration.max()) + worst_response_time(scenario, {}, 0) * 2;
  const auto* named = c.violation != nullptr ? &c.violation->schedules : nullptr;
  for (const EffectiveDefinition& effective : effective_definitions(scenario)) {
    const bool concerns = named == nullptr || named->empty() ||
                          std::find(named->begin(), named->end(), effective.schedule) != named->end();
    if (!concerns || least_gap(effective) >= needed) continue;
    return "assumes slots that are further apart than their work takes, and those of " +
           std::string(effective.name) + " are not";
  }
  return {};
}

// Until when it may cause what it broke.
TrueTime reach(const Case& c, const Broken& b, Claim::Aftermath aftermath) {
  const bool passes = (aftermath == Claim::Aftermath::passes || c.healed) && is_mended(b);
  return passes ? b.until + b.aftermath : TrueTime::max();
}

bool in_time(const Case& c, const Broken& b, Claim::Aftermath aftermath) {
  if (c.healed && is_mended(b)) return false;
  return b.since <= c.violation->at && reach(c, b, aftermath) >= c.violation->since.value_or(c.violation->at);
}

// Where leadership needs no store, every instance has a part in every election.
bool had_part(const Case& c, const Broken& b) {
  if (b.nodes.empty() || c.led == nullptr || c.scenario.protocol->store == nullptr) return true;
  const Violation& violation = *c.violation;
  const bool named = std::any_of(violation.who.begin(), violation.who.end(), [&](Incarnation who) {
    return std::find(b.nodes.begin(), b.nodes.end(), who.node) != b.nodes.end();
  });
  if (named) return true;
  const bool believed = std::any_of(b.nodes.begin(), b.nodes.end(), [&](NodeId node) {
    return c.led->believed(node, b.since, violation.at);
  });
  return believed ||
         !c.led->others_led_throughout(b.nodes, violation.since.value_or(violation.at), violation.at);
}

// A scheduler rests on its elector; what is too slow for the scheduler alone is no matter for the elector.
bool concerns(const Broken& b, Part part) { return !b.part || *b.part == part || part == Part::scheduler; }

// The first breach of what is assumed, in the promise's order, that `fits`; null: there is none.
template <class Fits>
const Broken* find_breach(const Case& c, const std::vector<Assumption>& assumptions, Part part,
                          const Fits& fits) {
  for (const Assumption assumption : assumptions)
    for (const Broken& b : c.broken)
      if (b.assumption == assumption && concerns(b, part) && fits(b)) return &b;
  return nullptr;
}

// A wrong that lasted began with some breach, and would have passed after it, had not the next one kept it up, and so
// on to the end. Any breach may be one of these; the last has to be of what the promise assumes.
const Broken* kept_up_by(const Case& c, const std::vector<Assumption>& assumptions, Part part,
                         Claim::Aftermath aftermath) {
  TrueTime covered = *c.violation->since;
  const auto follows = [&](const Broken& b) {
    return b.since <= std::min(covered + b.aftermath, c.violation->at) && had_part(c, b);
  };
  for (;;) {
    const Broken* last = find_breach(c, assumptions, part, [&](const Broken& b) {
      return !(c.healed && is_mended(b)) && reach(c, b, aftermath) >= c.violation->at && follows(b);
    });
    if (last != nullptr) return last;
    TrueTime further = covered;
    for (const Broken& b : c.broken)
      if (is_mended(b) && concerns(b, part) && follows(b)) further = std::max(further, b.until + b.aftermath);
    if (further == covered) return nullptr;
    covered = further;
  }
}

// "assumes …", or empty when nothing excuses it.
std::string excuse(const Case& c, const std::vector<Assumption>& assumptions, Part part,
                   Claim::Aftermath aftermath) {
  const Broken* const by =
      c.violation != nullptr && c.violation->lasted
          ? kept_up_by(c, assumptions, part, aftermath)
          : find_breach(c, assumptions, part, [&](const Broken& b) {
              return c.violation == nullptr || (in_time(c, b, aftermath) && had_part(c, b));
            });
  if (by == nullptr) return {};
  return "assumes " + std::string(name_of(by->assumption)) + ", which " + by->by + " breaks";
}

Envelope hold_election(const Case& c, std::string_view invariant) {
  const std::vector<Claim>& claims = c.scenario.protocol->claims();
  const Claim* claim = find_claim(claims, invariant);
  if (claim == nullptr) return {};
  std::string why = excuse(c, claim->assumptions, Part::elector, claim->aftermath);
  return {true, why.empty(), std::move(why)};
}

Envelope hold_scheduler(const Case& c, std::string_view invariant) {
  if (c.scenario.scheduler == nullptr) return {};
  const std::vector<Claim>& claims = c.scenario.scheduler->claims();
  const Claim* claim = find_claim(claims, invariant);
  if (claim == nullptr) return {};
  const std::vector<Claim>& election = c.scenario.protocol->claims();
  Claim::Aftermath aftermath = claim->aftermath;
  if (const Claim* one = find_claim(election, "one-believer"); one == nullptr || one->aftermath < aftermath)
    aftermath = Claim::Aftermath::for_good;
  std::string why = excuse(c, claim->assumptions, Part::scheduler, aftermath);
  for (const std::string_view promise : claim->election) {
    if (!why.empty()) break;
    const Claim* rests_on = find_claim(election, promise);
    // What nobody promises, nobody can rest on.
    if (rests_on == nullptr) return {};
    why = excuse(c, rests_on->assumptions, Part::scheduler, aftermath);
  }
  if (why.empty() && invariant == "caught-up") why = falls_behind(c);
  return {true, why.empty(), std::move(why)};
}

Envelope hold(const Case& c, std::string_view invariant) {
  const Envelope election = hold_election(c, invariant);
  const Envelope scheduler = hold_scheduler(c, invariant);
  if (!election.claimed && !scheduler.claimed) return {false, false, "no claim is made"};
  if (election.claimed && !election.inside) return election;
  if (scheduler.claimed && !scheduler.inside) return scheduler;
  return {true, true, {}};
}

// Of a violation that may tell of several.
Envelope envelope_of_all(const Case& c, std::string_view invariant) {
  const Envelope first = hold(c, invariant);
  if (!first.claimed || first.inside || !c.violation->last) return first;
  // What excuses the first of many need not excuse the last.
  Violation last = *c.violation;
  last.since = last.at = *last.last;
  const Envelope then = hold({c.scenario, c.broken, &last, c.led, c.healed}, invariant);
  return then.inside ? then : first;
}

}  // namespace

std::vector<Broken> broken_assumptions(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                       const std::vector<FaultRun>& ran, const AssumptionMonitor* seen) {
  const Duration aftermath = recovery(scenario) + scenario.work.duration.max();
  std::vector<Broken> broken = foreseen_breaches(scenario, plan, ran);
  if (seen != nullptr) broken = confirmed(std::move(broken), seen->seen(), aftermath);
  for (Broken& b : broken) b.aftermath = aftermath;
  return broken;
}

Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken,
                     const Violation& violation, const LedTracker* led) {
  return envelope_of_all({scenario, broken, &violation, led}, invariant);
}

Envelope envelope_when_healed(std::string_view invariant, const Scenario& scenario,
                              const std::vector<Broken>& broken, const Violation& violation,
                              const LedTracker* led) {
  return envelope_of_all({scenario, broken, &violation, led, true}, invariant);
}

Envelope envelope_of(std::string_view invariant, const Scenario& scenario,
                     const std::vector<Broken>& broken) {
  return hold({scenario, broken, nullptr, nullptr}, invariant);
}

}  // namespace tenure::sim
