// How long a run's settings let the answers of an undisturbed store take.
//
// Thread rule: functions of a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/model/parameters.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// A scheduler's own settings, if it has them. What a design calls its parameters means nothing here.
inline std::int64_t scheduling_number(const Scenario& scenario, std::string_view name,
                                      std::int64_t otherwise) {
  const bool is_known = scenario.scheduler != nullptr && scenario.scheduler->design == nullptr;
  const int place = is_known ? scenario.scheduling.find(name) : -1;
  return place >= 0 ? scenario.scheduling.value(place) : otherwise;
}
inline Duration scheduling_duration(const Scenario& scenario, std::string_view name) {
  return Duration::nanos(scheduling_number(scenario, name, 0));
}

// So many requests the instances have at the store at one time, at most: each has one of its elector there and a poll,
// and the leader two more, what it does and what it acknowledges. A process that a deploy brings up beside another asks
// for nothing until that one has stopped.
inline std::int64_t most_requests(const Scenario& scenario) {
  const auto instances = static_cast<std::int64_t>(scenario.instances.size());
  return scenario.scheduler != nullptr ? instances * 2 + 2 : instances;
}

// Beside what it asks for as the leader, a scheduler polls and acknowledges, on the same connection.
constexpr int kOthersOfScheduler = 2;

// The longest time from a request's step to its answer, if `before` others wait for a place before it, `others` on the
// same connection leave and are executed first, and no segment is lost.
inline Duration answer_behind(const Scenario& scenario, std::int64_t before, int others) {
  return (scenario.departure.max() + scenario.store.longest_latency()) * (others + 1) +
         scenario.store.longest_latency() * (before / scenario.store.concurrent) +
         scenario.network.latency.max() * 2;
}

// So many requests may come before one, but for `others` that are counted elsewhere. Where a driver gives one up before
// it can be answered, the store still has it, and the driver asks again: sooner or later all its places are taken.
inline std::int64_t requests_before(const Scenario& scenario, int others) {
  const std::int64_t usual = most_requests(scenario) - 1 - others;
  const auto gives_up = [&](Duration timeout, int beside) {
    return timeout > Duration{} &&
           timeout <= answer_behind(scenario, most_requests(scenario) - 1 - beside, beside);
  };
  bool given_up = gives_up(scheduling_duration(scenario, "request_timeout"), kOthersOfScheduler);
  for (const InstanceSetting& instance : scenario.instances)
    if (const int place = instance.election.find("request_timeout"); place >= 0)
      given_up = given_up || gives_up(Duration::nanos(instance.election.value(place)), 0);
  return given_up ? std::max(usual, scenario.store.concurrent + scenario.store.queue - 1) : usual;
}

// How long a request waits at most at the store, if all these requests come before it.
inline Duration wait_for_a_place(const Scenario& scenario, int others) {
  return scenario.store.longest_latency() * (requests_before(scenario, others) / scenario.store.concurrent);
}

// The longest time from a request's step to its answer, with `others` on its connection.
inline Duration worst_response_time(const Scenario& scenario, int others) {
  return answer_behind(scenario, requests_before(scenario, others), others);
}

// How long what is due waits for a commit at most, when nothing is wrong. What comes due just after a commit has left
// waits for that one, for what else its leader asks in turns, and for its own commit: so many answers, and a second.
inline Duration worst_commit_wait(const Scenario& scenario) {
  constexpr std::int64_t kAnswers = 5;
  return worst_response_time(scenario, kOthersOfScheduler) * kAnswers + Duration::seconds(1);
}

// What the scheduler owes is done within this time, once all is healed and unless its workers are busy.
inline Duration progress_bound(const Scenario& scenario) {
  return scenario.scheduler->progress_bound(scenario.scheduling,
                                            worst_response_time(scenario, kOthersOfScheduler));
}

struct Durations {
  Duration sum;
  Duration longest;
};

// Of those that may delay a recovery.
inline Durations durations_of(const Parameters& parameters) {
  Durations durations;
  const std::span<const ParameterSpec> specs = parameters.specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].type != ParameterSpec::Type::duration || !specs[i].delays_recovery) continue;
    const Duration value = Duration::nanos(parameters.value(static_cast<int>(i)));
    durations.sum += value;
    durations.longest = std::max(durations.longest, value);
  }
  return durations;
}

}  // namespace tenure::sim
