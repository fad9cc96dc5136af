#include "sim/runner/claims.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sim/faults/registry.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {

std::int64_t worst(const Range<std::int64_t>& rate) {
  return std::max(std::abs(rate.low), std::abs(rate.high));
}
bool is_zero(const ClockSetting& clock) {
  return clock.offset == Range<Duration>{} && clock.rate_ppm == Range<std::int64_t>{};
}

// Election settings that some instance runs with, from when on.
struct Settings {
  const Parameters* election = nullptr;
  TrueTime since = {};
  std::string brought_by = {};  // for people; empty: by the file
};

void clocks_break(const Scenario& scenario, const std::vector<Settings>& settings,
                  std::vector<Broken>& broken) {
  const auto judge = [&](std::int64_t rate, const std::string& by) {
    for (const Settings& setting : settings) {
      const int bound = setting.election->find("max_clock_drift_ppm");
      if (bound >= 0 && rate > setting.election->value(bound))
        broken.push_back({Assumption::rate_bound, by + setting.brought_by, setting.since});
    }
  };
  const std::string own = "a clock in [cluster] or [[instance]]";
  const std::string stores = "the clock in [store]";
  std::int64_t fastest = 0;
  for (const InstanceSetting& instance : scenario.instances) {
    if (!is_zero(instance.clock)) broken.push_back({Assumption::wall_in_step, own});
    if (worst(instance.clock.rate_ppm) != 0) broken.push_back({Assumption::rates_equal, own});
    fastest = std::max(fastest, worst(instance.clock.rate_ppm));
  }
  if (!is_zero(scenario.store.clock)) broken.push_back({Assumption::wall_in_step, stores});
  judge(fastest, own);
  judge(worst(scenario.store.clock.rate_ppm), stores);
}

// Why an answer of the store can be too late for one who waits this long, and who may have this many other requests on
// the same connection, which the store executes one after the other; empty: it cannot.
std::string too_slow_for(Duration timeout, const Scenario& scenario, int others) {
  const std::int64_t loss_ppm = scenario.network.loss_ppm;
  const bool cut = loss_ppm >= 1'000'000;
  const Duration before = scenario.store.latency.max() * others;
  if (before + slowest_answer(scenario, 0) >= timeout) return "latency in [store] and [network]";
  if (cut || (loss_ppm > 0 && before + slowest_answer(scenario, 2) >= timeout)) return "loss in [network]";
  return {};
}

// A scheduler polls and acknowledges beside what it asks for as the leader.
constexpr int kOthersOfScheduler = 2;

void latencies_break(const Scenario& scenario, const std::vector<Settings>& settings,
                     std::vector<Broken>& broken) {
  using enum Assumption;
  const bool lossy = scenario.network.loss_ppm > 0;
  if (lossy) broken.push_back({reliable_network, "loss in [network]"});
  for (const Settings& setting : settings) {
    const auto add = [&](Assumption assumption, const std::string& by) {
      broken.push_back({assumption, by + setting.brought_by, setting.since});
    };
    const int request = setting.election->find("request_timeout");
    if (request >= 0) {
      const std::string why = too_slow_for(Duration::nanos(setting.election->value(request)), scenario, 0);
      if (!why.empty()) add(prompt_store, why);
      if (!why.empty()) add(prompt_at_rest, why);
    }
    // Among instances nothing is sent again but by the protocol.
    const int acknowledgement = setting.election->find("ack_timeout");
    if (acknowledgement < 0) continue;
    const bool late =
        scenario.network.latency.max() * 2 >= Duration::nanos(setting.election->value(acknowledgement));
    if (late) add(reliable_network, "latency in [network]");
    if (late || lossy) add(prompt_at_rest, late ? "latency in [network]" : "loss in [network]");
  }
  const int request = scenario.scheduler != nullptr ? scenario.scheduling.find("request_timeout") : -1;
  if (request < 0) return;
  const std::string why =
      too_slow_for(Duration::nanos(scenario.scheduling.value(request)), scenario, kOthersOfScheduler);
  if (!why.empty()) broken.push_back({prompt_at_rest, why});
}

const FaultSetting* find_fault(const std::vector<FaultSetting>& plan, std::uint64_t id) {
  const auto fault =
      std::find_if(plan.begin(), plan.end(), [&](const FaultSetting& f) { return f.id == id; });
  return fault != plan.end() ? &*fault : nullptr;
}

std::vector<Settings> settings_of(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                  const std::vector<FaultRun>& ran) {
  std::vector<Settings> settings;
  for (const InstanceSetting& instance : scenario.instances) settings.push_back({&instance.election});
  for (const FaultRun& run : ran) {
    const FaultSetting* fault = find_fault(plan, run.id);
    if (fault != nullptr && run.skipped.empty() && fault->with_election)
      settings.push_back(
          {&*fault->with_election, run.at, " (by the settings that " + run.action + " brings)"});
  }
  return settings;
}

Envelope hold(const std::vector<Claim>& claims, std::string_view invariant, const std::vector<Broken>& broken,
              TrueTime at) {
  const auto claim =
      std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.invariant == invariant; });
  if (claim == claims.end()) return {};
  for (const Assumption assumption : claim->assumptions) {
    const auto found = std::find_if(broken.begin(), broken.end(), [&](const Broken& b) {
      return b.assumption == assumption && b.since <= at;
    });
    if (found == broken.end()) continue;
    return {true, false, "assumes " + std::string(name_of(assumption)) + ", which " + found->by + " breaks"};
  }
  return {true, true, {}};
}

}  // namespace

std::vector<Broken> broken_assumptions(const Scenario& scenario, const std::vector<FaultSetting>& plan,
                                       const std::vector<FaultRun>& ran) {
  std::vector<Broken> broken;
  const std::vector<Settings> settings = settings_of(scenario, plan, ran);
  clocks_break(scenario, settings, broken);
  latencies_break(scenario, settings, broken);
  for (const FaultRun& run : ran) {
    const FaultSetting* fault = find_fault(plan, run.id);
    if (fault == nullptr || !run.skipped.empty()) continue;
    const FaultKind* kind = find_fault_kind(fault->action);
    if (kind == nullptr) continue;
    for (const Assumption assumption : kind->breaks(*fault, scenario))
      broken.push_back({assumption, "fault " + fault->action, run.at});
  }
  return broken;
}

std::vector<Broken> may_break(const Scenario& scenario) {
  std::vector<FaultRun> all;
  for (const FaultSetting& fault : scenario.faults) {
    all.emplace_back();
    all.back().id = fault.id;
    all.back().action = fault.action;
  }
  return broken_assumptions(scenario, scenario.faults, all);
}

std::vector<Broken> broken_at_rest(const Scenario& scenario) { return broken_assumptions(scenario, {}, {}); }

Envelope envelope_of(std::string_view invariant, const Scenario& scenario, const std::vector<Broken>& broken,
                     TrueTime at) {
  const Envelope protocol = hold(scenario.protocol->claims(), invariant, broken, at);
  const Envelope scheduler =
      scenario.scheduler != nullptr ? hold(scenario.scheduler->claims(), invariant, broken, at) : Envelope{};
  if (!protocol.claimed && !scheduler.claimed) return {false, false, "no claim is made"};
  if (protocol.claimed && !protocol.inside) return protocol;
  if (scheduler.claimed && !scheduler.inside) return scheduler;
  return {true, true, {}};
}

}  // namespace tenure::sim
