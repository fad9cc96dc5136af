// What was committed by the heal is delivered or dead at the end. This judges what has been left alone for so long that
// no wait explains it; how soon after the heal an event has to be over is the checker's to say.
#include <algorithm>
#include <map>
#include <string>

#include "core/model/describe.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::EventId;

// The longest time from one attempt to the end of the next one, if somebody takes it up at once; nullopt: nobody does,
// since there is no such destination, or no worker of this topic.
std::optional<Duration> longest_turn(const sim::Scenario& scenario, const Rules& rules,
                                     const std::string& topic) {
  const Duration wait = std::max(rules.delivery.back_off, rules.delivery.longest_back_off);
  std::optional<Duration> longest;
  const auto take = [&](Duration turn) { longest = std::max(longest.value_or(turn), turn); };
  for (const sim::DestinationSetting& each : scenario.destinations)
    if (!rules.is_pulled() && each.name == rules.delivery.destination)
      take(std::max(wait, each.retry_after) + each.timeout + each.latency.max() + Duration::seconds(1));
  for (const sim::WorkerSetting& each : scenario.workers)
    if (rules.is_pulled() && each.topic == topic)
      take(wait + each.duration.max() + each.claim + each.poll + each.timeout * 2);
  return longest;
}

// Whether the fact is an attempt at it, or the end of one.
bool is_about(const Kept& kept, const EventId& event) {
  if (const auto* sent = std::get_if<KeptDeliveryAsked>(&kept.fact)) return sent->item.event == event;
  const auto* applied = std::get_if<KeptApplied>(&kept.fact);
  const auto* claimed =
      applied != nullptr ? as_reference<reference::ClaimedExecutions>(applied->reply) : nullptr;
  return claimed != nullptr &&
         std::any_of(claimed->executions.begin(), claimed->executions.end(),
                     [&](const reference::Execution& each) { return each.token.event == event; });
}
std::uint32_t attempts_at(const History& history, const EventId& event) {
  std::uint32_t most = 0;
  for (const Kept& kept : history.facts) {
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    const auto* claimed =
        applied != nullptr ? as_reference<reference::ClaimedExecutions>(applied->reply) : nullptr;
    if (claimed == nullptr) continue;
    for (const reference::Execution& each : claimed->executions)
      if (each.token.event == event) most = std::max(most, each.token.attempt);
  }
  return most;
}

}  // namespace

std::vector<Wrong> delivered(const Case& run) {
  const History& history = run.history;
  const auto heal = static_cast<std::size_t>(
      std::find_if(history.facts.begin(), history.facts.end(),
                   [](const Kept& kept) { return std::holds_alternative<sim::Healed>(kept.fact); }) -
      history.facts.begin());
  if (heal == history.facts.size()) return {};
  const std::map<ScheduleId, std::vector<Waiting>> all = waiting_events(history);
  const std::map<ScheduleId, std::string> topics = topics_of(run.scenario);
  std::int64_t at_heal = 0;
  for (const auto& [schedule, own] : all)
    for (const Waiting& each : own)
      if (!each.rules.is_own_work() && each.is_here(heal)) ++at_heal;

  std::vector<Wrong> wrongs;
  for (const auto& [schedule, own] : all) {
    // Of those of a schedule only the first is left alone: others may wait for it.
    std::size_t since = heal;
    for (const Waiting& each : own) {
      if (each.to != kNoPlace) {
        since = std::max(since, each.to);
        continue;
      }
      const std::string topic = topics.contains(schedule) ? topics.at(schedule) : std::string{};
      const auto turn = longest_turn(run.scenario, each.rules, topic);
      const bool is_judged = each.from < heal && !each.given_back && !each.rules.is_own_work() &&
                             each.rules.overlap != Overlap::replace;
      if (!turn || !is_judged) break;
      // A claim that has run out may have been the last one, of which nobody is told.
      if (each.rules.is_pulled() && attempts_at(history, each.event) >= each.rules.delivery.attempts) break;
      for (std::size_t fact = since; fact < history.facts.size(); ++fact)
        if (is_about(history.facts[fact], each.event)) since = fact;
      const std::int64_t turns =
          (at_heal + 2) * (each.rules.is_pulled() ? each.rules.delivery.attempts + 1 : 2);
      const Duration patience = *turn * turns + sim::worst_commit_wait(run.scenario) * 4 +
                                sim::scheduling_duration(run.scenario, "poll_period") +
                                sim::scheduling_duration(run.scenario, "ack_delay") + Duration::minutes(1);
      const Kept& left = history.facts[since];
      if (std::min(history.end - left.at, history.end_store - left.store_now) > patience)
        wrongs.push_back({history.end, describe(each.event) + " is neither delivered nor dead"});
      break;
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
