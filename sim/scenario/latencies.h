// How long a run's settings let the answers of an undisturbed store take.
//
// Thread rule: functions of a value.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

// So many requests the instances have at the store at one time, at most: each has one of its elector there and a poll,
// and the leader two more, what it does and what it acknowledges. A process that a deploy brings up beside another asks
// for nothing until that one has stopped.
inline std::int64_t most_requests(const Scenario& scenario) {
  const auto instances = static_cast<std::int64_t>(scenario.instances.size());
  return scenario.scheduler != nullptr ? instances * 2 + 2 : instances;
}

// How long a request waits at most at the store, if all these requests come before it, but for `others` that are
// counted elsewhere.
inline Duration wait_for_a_place(const Scenario& scenario, int others) {
  const std::int64_t before = most_requests(scenario) - 1 - others;
  return scenario.store.latency.max() * (before / scenario.store.concurrent);
}

// Beside what it asks for as the leader, a scheduler polls and acknowledges, on the same connection.
constexpr int kOthersOfScheduler = 2;

// The longest time from a request's step to its answer, if so many others on the same connection leave and are executed
// first, and no segment is lost.
inline Duration slowest_answer(const Scenario& scenario, int others) {
  return (scenario.departure.max() + scenario.store.latency.max()) * (others + 1) +
         wait_for_a_place(scenario, others) + scenario.network.latency.max() * 2;
}

// How long what is due waits for a commit at most, when nothing is wrong. What comes due just after a commit has left
// waits for that one, for what else its leader asks in turns, and for its own commit: so many answers, and a second.
inline Duration longest_turn(const Scenario& scenario) {
  constexpr std::int64_t kAnswers = 5;
  return slowest_answer(scenario, kOthersOfScheduler) * kAnswers + Duration::seconds(1);
}

// What the scheduler owes is done within this time, once all is healed and unless its workers are busy.
inline Duration progress_bound(const Scenario& scenario) {
  return scenario.scheduler->progress_bound(scenario.scheduling, slowest_answer(scenario, kOthersOfScheduler));
}

}  // namespace tenure::sim
