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

// The longest wait between two attempts.
Duration longest_wait(const Delivery& delivery) {
  Duration wait = delivery.back_off;
  for (std::uint32_t failed = 1; failed < delivery.attempts && wait < delivery.longest_back_off; ++failed)
    wait = wait * 2;
  return std::min(wait, delivery.longest_back_off);
}

// The longest time for which an event may be left alone, if `others` may be done before it; nullopt: for good, since
// there is no such destination, or no worker of this topic.
std::optional<Duration> longest_alone(const sim::Scenario& scenario, const Rules& rules,
                                      const std::string& topic, std::int64_t others) {
  const Duration wait = longest_wait(rules.delivery);
  std::optional<Duration> longest;
  const auto take = [&](Duration one) { longest = std::max(longest.value_or(one), one); };
  for (const sim::DestinationSetting& each : scenario.destinations) {
    if (rules.is_pulled() || each.name != rules.delivery.destination) continue;
    const Duration work = each.timeout + each.latency.max() + Duration::seconds(1);
    take((std::max(wait, each.retry_after) + work) * 3 + work * others * 2);
  }
  for (const sim::WorkerSetting& each : scenario.workers) {
    if (!rules.is_pulled() || each.topic != topic) continue;
    const std::int64_t tries = rules.delivery.attempts + 1;
    const Duration work = each.duration.max() + each.poll + each.timeout;
    take((wait + work + each.claim + each.timeout) * tries + work * others * tries);
  }
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
      const auto alone = longest_alone(run.scenario, each.rules, topic, at_heal);
      const bool is_judged = each.from < heal && !each.given_back && !each.rules.is_own_work() &&
                             each.rules.overlap != Overlap::replace;
      if (!alone || !is_judged) break;
      // A claim that has run out may have been the last one, of which nobody is told.
      if (each.rules.is_pulled() && attempts_at(history, each.event) >= each.rules.delivery.attempts) break;
      for (std::size_t fact = since; fact < history.facts.size(); ++fact)
        if (is_about(history.facts[fact], each.event)) since = fact;
      const Duration patience = *alone + sim::worst_commit_wait(run.scenario) * 4 +
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
