#include "sim/runner/foreseen.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "core/model/describe.h"
#include "sim/faults/load.h"
#include "sim/faults/registry.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {

using enum Assumption;

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
  std::optional<Duration> length(std::string_view name) const {
    const auto value = find(name);
    return value ? std::optional(Duration::nanos(*value)) : std::nullopt;
  }
};

std::vector<Settings> settings_of(const Scenario& scenario) {
  std::vector<Settings> settings;
  for (const InstanceSetting& instance : scenario.instances)
    settings.push_back({Part::elector, &scenario.protocol->timing, &instance.election});
  if (scenario.scheduler != nullptr)
    settings.push_back({Part::scheduler, &scenario.scheduler->timing, &scenario.scheduling});
  return settings;
}

// ---- answers in time ---------------------------------------------------------------------------------------

// A new leader reads what is due and the outbox, and commits, before it gets anything done.
constexpr std::int64_t kAnswers = 3;

// A request is given up after this, a renewal also at its deadline. nullopt: it sends none.
std::optional<Duration> timeout_of(const Settings& setting) {
  const auto timeout = setting.length("request_timeout");
  const auto deadline = setting.length(setting.timing->renew_deadline);
  return timeout && deadline ? std::min(*timeout, *deadline) : timeout;
}

struct RestLimit {
  Duration answer;  // each answer has to take less
  std::string_view beside;
};

// Why answers have to come sooner than requests are given up, where no fault disturbs them.
std::vector<RestLimit> rest_limits(const Scenario& scenario, const Settings& setting) {
  std::vector<RestLimit> limits;
  const TimingNames& timing = *setting.timing;
  if (const auto stall = setting.length(timing.stall_timeout); stall && *stall > Duration{})
    limits.push_back({*stall / kAnswers, "stall_timeout"});
  if (const auto deadline = setting.length(timing.renew_deadline)) {
    const auto count = scenario.protocol->requests_to_renew;
    const bool several = setting.part == Part::elector && count != nullptr;
    limits.push_back({*deadline / (several ? count(*setting.values) : 1), "renew_deadline"});
  }
  // A lock that is shorter than from one answer to the next is over before its holder has renewed it.
  const auto lock = setting.length(timing.lock);
  const auto poll = setting.length(timing.poll_period);
  if (lock && poll) limits.push_back({std::max(*lock - *poll, Duration{}) / 2, "lock_duration"});
  return limits;
}

// Why an answer can be too late for a part with these bounds that waits this long; empty: it cannot.
std::string too_slow_for(Duration timeout, const Scenario& scenario, const Bounds& bounds) {
  const Duration others = scenario.departure.max() * (bounds.others + 1);
  if (others >= timeout || work_may_hold_up(scenario, timeout - others)) return "departure in [cluster]";
  if (most_requests(scenario) > scenario.store.concurrent + scenario.store.queue)
    return "capacity in [store]";
  const Duration slowest = worst_response_time(scenario, bounds.others);
  if (slowest >= timeout)
    return wait_for_a_place(scenario, bounds.others) > Duration{}
               ? "latency and capacity in [store], and latency in [network],"
               : "latency in [store] and [network]";
  if (work_may_hold_up(scenario, timeout - slowest))
    return "departure in [cluster], beside latency in [store] and [network],";
  const std::int64_t loss_ppm = scenario.network.loss_ppm;
  const bool cut = loss_ppm >= 1'000'000;
  return cut || (loss_ppm > 0 && worst_response_time(scenario, bounds, 2) >= timeout) ? "loss in [network]"
                                                                                      : "";
}

void answers_break(const Scenario& scenario, const Settings& setting, std::vector<Broken>& broken) {
  const auto timeout = timeout_of(setting);
  if (!timeout) return;
  const Bounds bounds = bounds_of(scenario, setting.part);
  const auto add = [&](Assumption assumption, const std::string& by, std::optional<Part> part) {
    broken.push_back({assumption, by + setting.brought_by, setting.since, TrueTime::max(), {}, part});
  };
  std::string why = too_slow_for(*timeout, scenario, bounds);
  if (!why.empty()) add(prompt_store, why, setting.part);
  for (const RestLimit& limit : rest_limits(scenario, setting))
    if (why.empty() && worst_response_time(scenario, bounds.others) >= limit.answer)
      why = "latency in [store] and [network], beside " + std::string(limit.beside) + ",";
  if (why.empty()) return;
  add(prompt_at_rest, why, setting.part);
  // A leader that gets no answers in time steps aside, so this one is a matter for the elector as well.
  if (setting.length(setting.timing->stall_timeout).value_or(Duration{}) > Duration{})
    add(prompt_at_rest, why, std::nullopt);
}

// ---- messages between instances ----------------------------------------------------------------------------

// How long a token takes to go round, when nothing is wrong. Those that have not started yet are asked in vain.
Duration rotation(const Scenario& scenario, const Settings& setting, Duration hold) {
  const auto instances = static_cast<std::int64_t>(scenario.instances.size());
  const Duration hop = hold + scenario.departure.max() + scenario.network.latency.max();
  const auto acknowledgement = setting.length(setting.timing->ack_timeout);
  if (!acknowledgement || scenario.start_spread.high == Duration{}) return hop * instances;
  const Duration in_vain =
      std::max(hop, *acknowledgement * (setting.find(setting.timing->ack_retries).value_or(0) + 1));
  return std::min(in_vain * instances, hop * instances + scenario.start_spread.high + in_vain);
}

// No monitor sees these messages: what may break counts as broken.
void messages_break(const Scenario& scenario, const Settings& setting, std::vector<Broken>& broken) {
  const auto add = [&](Assumption assumption, const std::string& by) {
    broken.push_back({assumption, by + setting.brought_by, setting.since, TrueTime::max(), {}, setting.part});
    broken.back().unseen = true;
  };
  const auto hold = setting.length(setting.timing->hold_time);
  const auto patience = setting.length(setting.timing->token_timeout);
  const std::string spread = scenario.start_spread.high > Duration{} ? ", and start_spread" : "";
  if (hold && patience && rotation(scenario, setting, *hold) >= *patience)
    add(reliable_network, "so many instances in [cluster]" + spread + ", beside token_timeout,");
  // Nothing is sent again but by the protocol.
  const auto timeout = setting.length(setting.timing->ack_timeout);
  if (!timeout) return;
  const Duration both_ways = (scenario.departure.max() + scenario.network.latency.max()) * 2;
  const bool held_up = both_ways < *timeout && work_may_hold_up(scenario, *timeout - both_ways);
  const bool late = both_ways >= *timeout || held_up;
  const char* slow =
      held_up || scenario.departure.max() * 2 >= *timeout ? "departure in [cluster]" : "latency in [network]";
  if (late) add(reliable_network, slow);
  if (late || scenario.network.loss_ppm > 0) add(prompt_at_rest, late ? slow : "loss in [network]");
}

// ---- clocks ------------------------------------------------------------------------------------------------

void clocks_break(const Scenario& scenario, const std::vector<Settings>& settings,
                  std::vector<Broken>& broken) {
  const auto judge = [&](const ClockSetting& clock, const Broken& what) {
    for (const Settings& setting : settings) {
      const auto bound = setting.find("max_clock_drift_ppm");
      if (!bound || worst(clock.rate_ppm) <= *bound) continue;
      broken.push_back(what);
      broken.back().by += setting.brought_by;
      broken.back().since = setting.since;
      broken.back().part = setting.part;
    }
  };
  for (std::uint32_t i = 0; i < scenario.instances.size(); ++i) {
    const ClockSetting& clock = scenario.instances[i].clock;
    Broken own{rate_bound, "a clock in [cluster] or [[instance]]"};
    own.nodes = {NodeId{i}};
    judge(clock, own);
    own.assumption = wall_in_step;
    if (!is_zero(clock)) broken.push_back(own);
    own.assumption = rates_equal;
    if (worst(clock.rate_ppm) != 0) broken.push_back(own);
  }
  Broken stores{rate_bound, "the clock in [store]"};
  stores.unseen = true;
  judge(scenario.store.clock, stores);
  stores.assumption = wall_in_step;
  if (!is_zero(scenario.store.clock)) broken.push_back(stores);
}

// ---- faults ------------------------------------------------------------------------------------------------

// Whom it struck; empty: the store, or everybody.
std::vector<NodeId> nodes_of(const FaultRun& run, const Scenario& scenario) {
  std::vector<NodeId> nodes;
  const std::string padded = " " + run.target + " ";
  for (std::uint32_t i = 0; i < scenario.instances.size(); ++i)
    if (padded.find(" " + describe(NodeId{i}) + " ") != std::string::npos) nodes.push_back(NodeId{i});
  return nodes;
}

// When the assumption holds again. Clocks that were moved stay where they are, and what is lost is lost.
TrueTime mended(Assumption assumption, const FaultSetting& fault, const FaultKind& kind, const FaultRun& run,
                const Scenario& scenario) {
  if (assumption == wall_in_step || assumption == no_lost_commits) return TrueTime::max();
  const TrueTime heal = TrueTime{} + scenario.duration;
  if (run.at >= heal) return run.at;
  if (kind.lasts) return fault.duration ? std::min(run.at + fault.duration->high, heal) : heal;
  // A deploy goes on after it began, and so does a failover; the rest is over at once.
  return kind.family == FaultFamily::process || kind.family == FaultFamily::failover ? heal : run.at;
}

// A monitor sees no message between instances, not what a failover takes back, and not how late a starved process is.
bool is_unseen(Assumption assumption, const FaultKind& kind) {
  return assumption == reliable_network || assumption == no_lost_commits ||
         (assumption == no_pause && kind.harm.cause == FaultCause::slow);
}

void fault_breaks(const FaultRun& run, const FaultSetting& fault, const Scenario& scenario,
                  std::vector<Broken>& broken) {
  const FaultKind* kind = find_fault_kind(fault.action);
  if (kind == nullptr || !has_magnitude(fault)) return;
  const auto by_bounds_of = [&](Part part) {
    const bool any = part == Part::elector || scenario.scheduler != nullptr;
    return any ? kind->breaks(fault, scenario, bounds_of(scenario, part)) : std::vector<Assumption>{};
  };
  const auto has = [](const std::vector<Assumption>& list, Assumption assumption) {
    return std::find(list.begin(), list.end(), assumption) != list.end();
  };
  const auto add = [&](Assumption assumption, std::optional<Part> part) {
    if (assumption == reliable_network && !run.met) return;  // no message passed that it could have changed
    broken.push_back({assumption, "fault " + fault.action, run.at,
                      mended(assumption, fault, *kind, run, scenario), nodes_of(run, scenario), part});
    broken.back().unseen = is_unseen(assumption, *kind);
  };
  const std::vector<Assumption> electors = by_bounds_of(Part::elector);
  const std::vector<Assumption> schedulers = by_bounds_of(Part::scheduler);
  for (const Assumption assumption : electors)
    add(assumption, has(schedulers, assumption) ? std::nullopt : std::optional(Part::elector));
  for (const Assumption assumption : schedulers)
    if (!has(electors, assumption)) add(assumption, Part::scheduler);
}

}  // namespace

std::vector<Broken> foreseen_breaches(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                      const std::vector<FaultRun>& ran) {
  std::vector<Broken> broken;
  const auto say = [&broken](Assumption assumption, std::string_view by, bool unseen) {
    broken.push_back({assumption, std::string(by)});
    broken.back().unseen = unseen;
  };
  std::map<std::uint64_t, const FaultSetting*> by_id;  // ids are drawn, and in no order
  for (const FaultSetting& fault : plan) by_id[fault.id] = &fault;
  std::vector<std::pair<const FaultRun*, const FaultSetting*>> struck;
  for (const FaultRun& run : ran)
    if (const auto fault = by_id.find(run.id); fault != by_id.end() && run.skipped.empty())
      struck.emplace_back(&run, fault->second);
  std::vector<Settings> settings = settings_of(scenario);
  for (const auto& [run, fault] : struck)
    if (fault->with_election)
      settings.push_back({Part::elector, &scenario.protocol->timing, &*fault->with_election, run->at,
                          " (by the settings that " + run->action + " brings)"});
  if (scenario.protocol->goes_round) say(steady_leader, scenario.protocol->name, true);
  // A process that exits does so without a fault.
  if (scenario.work.program.exits_on_loss) say(no_crash, "on_loss in [work]", false);
  clocks_break(scenario, settings, broken);
  if (scenario.network.loss_ppm > 0) say(reliable_network, "loss in [network]", true);
  for (const Settings& setting : settings) {
    answers_break(scenario, setting, broken);
    messages_break(scenario, setting, broken);
  }
  for (const auto& [run, fault] : struck) fault_breaks(*run, *fault, scenario, broken);
  return broken;
}

std::vector<Broken> may_break(const Scenario& scenario) {
  std::vector<FaultRun> all;
  for (const FaultSetting& fault : scenario.faults) {
    all.emplace_back();
    all.back().id = fault.id;
    all.back().action = fault.action;
  }
  return foreseen_breaches(scenario, scenario.faults, all);
}

std::vector<Broken> broken_at_rest(const Scenario& scenario) { return foreseen_breaches(scenario, {}, {}); }

AnswerLimits answer_limits(const Scenario& scenario, Part part) {
  AnswerLimits limits;
  const auto take = [&](const Settings& setting) {
    const auto timeout = timeout_of(setting);
    if (setting.part != part || !timeout) return;
    limits.timeout = std::min(limits.timeout, *timeout);
    for (const RestLimit& limit : rest_limits(scenario, setting))
      limits.at_rest = std::min(limits.at_rest, limit.answer);
  };
  for (const Settings& setting : settings_of(scenario)) take(setting);
  for (const FaultSetting& fault : scenario.faults)
    if (fault.with_election) take({Part::elector, &scenario.protocol->timing, &*fault.with_election});
  limits.at_rest = std::min(limits.at_rest, limits.timeout);
  return limits;
}

}  // namespace tenure::sim
