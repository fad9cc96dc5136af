#include "sim/runner/claims.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/model/describe.h"
#include "sim/faults/effective_definitions.h"
#include "sim/faults/load.h"
#include "sim/faults/recovery.h"
#include "sim/faults/registry.h"
#include "sim/faults/settings.h"
#include "sim/runner/plan_index.h"

namespace tenure::sim {
namespace {

std::int64_t worst(const Range<std::int64_t>& rate) {
  return std::max(std::abs(rate.low), std::abs(rate.high));
}
bool is_zero(const ClockSetting& clock) {
  return clock.offset == Range<Duration>{} && clock.rate_ppm == Range<std::int64_t>{};
}

// Settings that some part of some instance runs with, from when on.
struct Settings {
  Part part = Part::elector;
  const TimingNames* timing = nullptr;
  const Parameters* values = nullptr;
  TrueTime since = {};
  std::string brought_by = {};  // for people; empty: by the file

  std::optional<std::int64_t> find(std::string_view name) const {
    const int index = values->find(name);
    return index >= 0 ? std::optional(values->value(index)) : std::nullopt;
  }
};

// Of each part.
struct PartBounds {
  Bounds elector, scheduler;
  const Bounds& of(Part part) const { return part == Part::elector ? elector : scheduler; }
};

// A process that exits does so without a fault.
void program_breaks(const Scenario& scenario, std::vector<Broken>& broken) {
  if (scenario.work.program.exits_on_loss) broken.push_back({Assumption::no_crash, "on_loss in [work]"});
}

void clocks_break(const Scenario& scenario, const std::vector<Settings>& settings,
                  std::vector<Broken>& broken) {
  const auto judge = [&](std::int64_t rate, const std::string& by, const std::vector<NodeId>& nodes) {
    for (const Settings& setting : settings) {
      const auto bound = setting.find("max_clock_drift_ppm");
      if (bound && rate > *bound)
        broken.push_back({Assumption::rate_bound, by + setting.brought_by, setting.since, TrueTime::max(),
                          nodes, setting.part});
    }
  };
  const std::string own = "a clock in [cluster] or [[instance]]";
  const std::string stores = "the clock in [store]";
  for (std::uint32_t i = 0; i < scenario.instances.size(); ++i) {
    const ClockSetting& clock = scenario.instances[i].clock;
    const std::vector<NodeId> node = {NodeId{i}};
    const auto add = [&](Assumption assumption) {
      broken.push_back({assumption, own, {}, TrueTime::max(), node});
    };
    if (!is_zero(clock)) add(Assumption::wall_in_step);
    if (worst(clock.rate_ppm) != 0) add(Assumption::rates_equal);
    judge(worst(clock.rate_ppm), own, node);
  }
  if (!is_zero(scenario.store.clock)) broken.push_back({Assumption::wall_in_step, stores});
  judge(worst(scenario.store.clock.rate_ppm), stores, {});
}

// A new leader reads what is due and the outbox, and commits, before it gets anything done.
constexpr std::int64_t kAnswers = 3;

// Why an answer of the store can be too late for a part with these bounds that waits this long; empty: it cannot.
std::string too_slow_for(Duration timeout, const Scenario& scenario, const Bounds& bounds) {
  const std::int64_t loss_ppm = scenario.network.loss_ppm;
  const bool cut = loss_ppm >= 1'000'000;
  const Duration others = scenario.departure.max() * (bounds.others + 1);
  if (others >= timeout || work_may_hold_up(scenario, timeout - others)) return "departure in [cluster]";
  if (most_requests(scenario) > scenario.store.concurrent + scenario.store.queue)
    return "capacity in [store]";
  if (worst_response_time(scenario, bounds, 0) >= timeout)
    return wait_for_a_place(scenario, bounds.others) > Duration{}
               ? "latency and capacity in [store], and latency in [network],"
               : "latency in [store] and [network]";
  if (work_may_hold_up(scenario, timeout - worst_response_time(scenario, bounds, 0)))
    return "departure in [cluster], beside latency in [store] and [network],";
  if (cut || (loss_ppm > 0 && worst_response_time(scenario, bounds, 2) >= timeout))
    return "loss in [network]";
  return {};
}

// How long a token takes to go round, when nothing is wrong. Those that have not started yet are asked in vain.
Duration rotation(const Scenario& scenario, const Settings& setting, Duration hold) {
  const auto instances = static_cast<std::int64_t>(scenario.instances.size());
  const Duration hop = hold + scenario.departure.max() + scenario.network.latency.max();
  const auto acknowledgement = setting.find(setting.timing->ack_timeout);
  if (!acknowledgement || scenario.start_spread == Duration{}) return hop * instances;
  const Duration in_vain = std::max(
      hop, Duration::nanos(*acknowledgement) * (setting.find(setting.timing->ack_retries).value_or(0) + 1));
  return std::min(in_vain * instances, hop * instances + scenario.start_spread + in_vain);
}

std::int64_t requests_to_renew(const Scenario& scenario, const Settings& setting) {
  const auto count = scenario.protocol->requests_to_renew;
  return setting.part == Part::elector && count != nullptr ? count(*setting.values) : 1;
}

void latencies_break(const Scenario& scenario, const std::vector<Settings>& settings,
                     const PartBounds& part_bounds, std::vector<Broken>& broken) {
  using enum Assumption;
  const bool lossy = scenario.network.loss_ppm > 0;
  if (lossy) broken.push_back({reliable_network, "loss in [network]"});
  for (const Settings& setting : settings) {
    const auto add = [&](Assumption assumption, const std::string& by) {
      broken.push_back(
          {assumption, by + setting.brought_by, setting.since, TrueTime::max(), {}, setting.part});
    };
    auto request = setting.find("request_timeout");
    // A renewal is given up at that deadline, however long its request may take.
    const auto deadline = setting.find(setting.timing->renew_deadline);
    if (request && deadline) request = std::min(*request, *deadline);
    if (request) {
      const Bounds& bounds = part_bounds.of(setting.part);
      std::string why = too_slow_for(Duration::nanos(*request), scenario, bounds);
      if (!why.empty()) add(prompt_store, why);
      const Duration stall = Duration::nanos(setting.find(setting.timing->stall_timeout).value_or(0));
      const Duration answer = worst_response_time(scenario, bounds, 0);
      if (why.empty() && stall > Duration{} && answer * kAnswers >= stall)
        why = "latency in [store] and [network], beside stall_timeout,";
      if (why.empty() && deadline &&
          answer * requests_to_renew(scenario, setting) >= Duration::nanos(*deadline))
        why = "latency in [store] and [network], beside renew_deadline,";
      if (!why.empty()) add(prompt_at_rest, why);
      // A leader that gets no answers in time steps aside, so this one is a matter for the elector as well.
      if (!why.empty() && stall > Duration{}) broken.push_back({prompt_at_rest, why + setting.brought_by});
    }
    const auto hold = setting.find(setting.timing->hold_time);
    const auto patience = setting.find(setting.timing->token_timeout);
    const std::string spread = scenario.start_spread > Duration{} ? ", and start_spread" : "";
    if (hold && patience && rotation(scenario, setting, Duration::nanos(*hold)) >= Duration::nanos(*patience))
      add(reliable_network, "so many instances in [cluster]" + spread + ", beside token_timeout,");
    // A lock that is shorter than from one answer to the next is over before its holder has renewed it.
    const auto lock = setting.find(setting.timing->lock);
    const auto poll = setting.find(setting.timing->poll_period);
    if (lock && poll && request) {
      const Duration answers = worst_response_time(scenario, part_bounds.of(setting.part), 0) * 2;
      if (Duration::nanos(*poll) + answers >= Duration::nanos(*lock))
        add(prompt_at_rest, "latency in [store] and [network], beside lock_duration,");
    }
    // Among instances nothing is sent again but by the protocol.
    const auto acknowledgement = setting.find(setting.timing->ack_timeout);
    if (!acknowledgement) continue;
    const Duration timeout = Duration::nanos(*acknowledgement);
    const Duration both_ways = (scenario.departure.max() + scenario.network.latency.max()) * 2;
    const bool held_up = both_ways < timeout && work_may_hold_up(scenario, timeout - both_ways);
    const bool late = both_ways >= timeout || held_up;
    const char* slow = held_up || scenario.departure.max() * 2 >= timeout ? "departure in [cluster]"
                                                                          : "latency in [network]";
    if (late) add(reliable_network, slow);
    if (late || lossy) add(prompt_at_rest, late ? slow : "loss in [network]");
  }
}

std::vector<Settings> settings_of(const Scenario& scenario, const PlanIndex& plan,
                                  const std::vector<FaultRun>& ran) {
  std::vector<Settings> settings;
  for (const InstanceSetting& instance : scenario.instances)
    settings.push_back({Part::elector, &scenario.protocol->timing, &instance.election});
  for (const FaultRun& run : ran) {
    const FaultSetting* fault = plan.find(run.id);
    if (fault != nullptr && run.skipped.empty() && fault->with_election)
      settings.push_back({Part::elector, &scenario.protocol->timing, &*fault->with_election, run.at,
                          " (by the settings that " + run.action + " brings)"});
  }
  if (scenario.scheduler != nullptr)
    settings.push_back({Part::scheduler, &scenario.scheduler->timing, &scenario.scheduling});
  return settings;
}

// ---- what a fault broke ------------------------------------------------------------------------------------

// Whom it struck; empty: the store, or everybody.
std::vector<NodeId> struck(const FaultRun& run, const Scenario& scenario) {
  std::vector<NodeId> nodes;
  if (run.target.empty()) return nodes;
  const std::string padded = " " + run.target + " ";
  for (std::uint32_t i = 0; i < scenario.instances.size(); ++i) {
    if (padded.find(" " + describe(NodeId{i}) + " ") != std::string::npos) nodes.push_back(NodeId{i});
  }
  return nodes;
}

// When the assumption holds again. Clocks that were moved stay where they are, and what is lost is lost.
TrueTime mended(Assumption assumption, const FaultSetting& fault, const FaultKind& kind, const FaultRun& run,
                const Scenario& scenario) {
  using enum Assumption;
  if (assumption == wall_in_step || assumption == no_lost_commits) return TrueTime::max();
  const TrueTime heal = TrueTime{} + scenario.duration;
  if (run.at >= heal) return run.at;
  if (kind.lasts) return fault.duration ? std::min(run.at + fault.duration->high, heal) : heal;
  // A deploy goes on after it began, and so does a failover; the rest is over at once.
  return kind.family == FaultFamily::process || kind.family == FaultFamily::failover ? heal : run.at;
}

void fault_breaks(const FaultRun& run, const FaultSetting& fault, const Scenario& scenario,
                  const PartBounds& bounds, std::vector<Broken>& broken) {
  const FaultKind* kind = find_fault_kind(fault.action);
  if (kind == nullptr || !run.skipped.empty() || !has_magnitude(fault)) return;
  const std::vector<NodeId> nodes = struck(run, scenario);
  const auto add = [&](Assumption assumption, std::optional<Part> part) {
    broken.push_back({assumption, "fault " + fault.action, run.at,
                      mended(assumption, fault, *kind, run, scenario), nodes, part});
  };
  const std::vector<Assumption> electors = kind->breaks(fault, scenario, bounds.elector);
  const std::vector<Assumption> schedulers = scenario.scheduler != nullptr
                                                 ? kind->breaks(fault, scenario, bounds.scheduler)
                                                 : std::vector<Assumption>{};
  const auto has = [](const std::vector<Assumption>& list, Assumption assumption) {
    return std::find(list.begin(), list.end(), assumption) != list.end();
  };
  for (const Assumption assumption : electors)
    add(assumption, has(schedulers, assumption) ? std::nullopt : std::optional(Part::elector));
  for (const Assumption assumption : schedulers)
    if (!has(electors, assumption)) add(assumption, Part::scheduler);
}

// Without their aftermath.
std::vector<Broken> breaches(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                             const std::vector<FaultRun>& ran) {
  std::vector<Broken> broken;
  const PlanIndex by_id(plan);
  const std::vector<Settings> settings = settings_of(scenario, by_id, ran);
  if (scenario.protocol->goes_round)
    broken.push_back({Assumption::steady_leader, std::string(scenario.protocol->name)});
  program_breaks(scenario, broken);
  clocks_break(scenario, settings, broken);
  const PartBounds bounds{bounds_of(scenario, Part::elector), bounds_of(scenario, Part::scheduler)};
  latencies_break(scenario, settings, bounds, broken);
  for (const FaultRun& run : ran)
    if (const FaultSetting* fault = by_id.find(run.id)) fault_breaks(run, *fault, scenario, bounds, broken);
  return broken;
}

// ---- what a breach excuses ---------------------------------------------------------------------------------

const Claim* find_claim(const std::vector<Claim>& claims, std::string_view invariant) {
  const auto claim =
      std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.invariant == invariant; });
  return claim != claims.end() ? &*claim : nullptr;
}

// ---- schedulers in which slots of a schedule wait for each other ---------------------------------------------

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
                                       const std::vector<FaultRun>& ran) {
  std::vector<Broken> broken = breaches(scenario, plan, ran);
  const Duration aftermath = recovery(scenario) + scenario.work.duration.max();
  for (Broken& b : broken) b.aftermath = aftermath;
  return broken;
}

std::vector<Broken> may_break(const Scenario& scenario) {
  std::vector<FaultRun> all;
  for (const FaultSetting& fault : scenario.faults) {
    all.emplace_back();
    all.back().id = fault.id;
    all.back().action = fault.action;
  }
  return breaches(scenario, scenario.faults, all);
}

std::vector<Broken> broken_at_rest(const Scenario& scenario) { return breaches(scenario, {}, {}); }

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
