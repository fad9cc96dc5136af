#include "sim/faults/settings.h"

#include <algorithm>
#include <functional>

#include "core/base/check.h"
#include "sim/models/links.h"

namespace tenure::sim {

namespace {

// Whether the elector's store, or the scheduler's, is of a kind that has this.
template <class What>
bool any_store(const Scenario& scenario, What what) {
  const auto has = [what](const StoreKind* kind) { return kind != nullptr && std::invoke(what, *kind); };
  return has(scenario.protocol->store) || (scenario.scheduler != nullptr && has(scenario.scheduler->store));
}

}  // namespace

bool uses_store(const Scenario& scenario) {
  return any_store(scenario, [](const StoreKind&) { return true; });
}

bool has_replica(const Scenario& scenario) {
  return (scenario.store.engine == nullptr || !scenario.store.engine->has_sessions) &&
         !any_store(scenario, &StoreKind::has_sessions);
}

bool reads_wall_clock(const Scenario& scenario) { return any_store(scenario, &StoreKind::reads_wall_clock); }

bool delivers_again(const Scenario& scenario) { return any_store(scenario, &StoreKind::delivers_again); }

bool can_part(const Scenario& scenario) { return any_store(scenario, &StoreKind::can_part); }

std::optional<std::int64_t> least_election_value(const Scenario& scenario, std::string_view parameter) {
  std::optional<std::int64_t> least;
  const auto take = [&](const Parameters& election) {
    const int index = election.find(parameter);
    if (index >= 0) least = std::min(least.value_or(INT64_MAX), election.value(index));
  };
  for (const InstanceSetting& instance : scenario.instances) take(instance.election);
  for (const FaultSetting& fault : scenario.faults)
    if (fault.with_election) take(*fault.with_election);
  return least;
}

Duration longest(const FaultSetting& fault, std::string_view parameter) {
  return value_of<Range<Duration>>(fault, parameter).high;
}

Bounds bounds_of(const Scenario& scenario, Part part) {
  Bounds bounds;
  std::optional<std::int64_t> timeout;
  if (part == Part::elector) {
    timeout = least_election_value(scenario, "request_timeout");
    if (const auto deadline = least_election_value(scenario, scenario.protocol->timing.renew_deadline);
        timeout && deadline)
      timeout = std::min(*timeout, *deadline);  // a renewal is given up then
    bounds.max_clock_drift_ppm = least_election_value(scenario, "max_clock_drift_ppm");
  } else if (scenario.scheduler != nullptr) {
    const auto value = [&](std::string_view name) -> std::optional<std::int64_t> {
      const int index = scenario.scheduling.find(name);
      return index >= 0 ? std::optional(scenario.scheduling.value(index)) : std::nullopt;
    };
    timeout = value("request_timeout");
    bounds.max_clock_drift_ppm = value("max_clock_drift_ppm");
    bounds.others = kOthersOfScheduler;
  }
  if (timeout) bounds.request_timeout = Duration::nanos(*timeout);
  return bounds;
}

bool may_outlast_a_request(const Scenario& scenario, const Bounds& bounds, Duration held_up) {
  const int lossy_ways = scenario.network.loss_ppm > 0 ? 2 : 0;
  return bounds.request_timeout &&
         worst_response_time(scenario, bounds, lossy_ways) + held_up >= *bounds.request_timeout;
}

bool may_be_noticed(const Bounds& bounds, Duration held_up) {
  return bounds.request_timeout && held_up >= *bounds.request_timeout / 10;
}

bool has_magnitude(const FaultSetting& fault) {
  if (fault.duration && fault.duration->high == Duration{}) return false;
  return std::none_of(fault.parameters.begin(), fault.parameters.end(), [](const FaultParameter& parameter) {
    const bool amount = parameter.name == "by" || parameter.name == "latency" || parameter.name == "rate" ||
                        parameter.name == "rate_ppm";
    if (!amount) return false;
    if (const auto* length = std::get_if<Range<Duration>>(&parameter.value))
      return *length == Range<Duration>{};
    if (const auto* range = std::get_if<Range<std::int64_t>>(&parameter.value))
      return *range == Range<std::int64_t>{};
    const auto* number = std::get_if<std::int64_t>(&parameter.value);
    return number != nullptr && *number == 0;
  });
}

Range<Duration> may_be_at_work(const FaultSetting& fault) {
  const auto* at = std::get_if<FaultSetting::At>(&fault.when);
  if (at == nullptr) return {Duration{}, Duration::max()};
  if (!fault.duration) return {at->at, Duration::max()};
  return {at->at, at->latest.value_or(at->at) + fault.duration->high};
}

Duration longest_latency(const FaultSetting& fault) { return longest(fault, "latency"); }

Duration worst_response_time(const Scenario& scenario, const Bounds& bounds, int lossy_ways) {
  return worst_response_time(scenario, bounds.others) + Links::latest_resend() * lossy_ways;
}

}  // namespace tenure::sim
