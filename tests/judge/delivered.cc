// What was committed by the heal, or so long before the end that it must be over, is over when the run ends. How long
// that is: the longest wait between two attempts, twice, what goes with an attempt, and what had waited at the heal for
// the same places, twice; for workers, all attempts. Events that wait for one another are asked for one by one: the
// first of them, from when it was the first.
#include <algorithm>

#include "core/model/describe.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/executions.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {
namespace {

bool has_workers(const sim::Scenario& scenario, const std::string& topic) {
  return std::any_of(scenario.workers.begin(), scenario.workers.end(),
                     [&](const sim::WorkerSetting& worker) { return worker.topic == topic; });
}

// `queued`: events for this destination that waited at the heal. What is tried again has its share of the places.
Duration time_to_send(const sim::Scenario& scenario, const Delivery& delivery, std::int64_t queued) {
  Duration before;
  Duration wait = wait_after(delivery, delivery.attempts);
  Duration answer;
  for (const sim::DestinationSetting& each : scenario.destinations) {
    if (each.name != delivery.destination) continue;
    wait = std::max(wait, each.retry_after);
    answer = std::min(each.timeout, each.latency.max() + Duration::seconds(1));
    const std::int64_t at_once = std::min(each.concurrent, scenario.scheduling.number("destination_running"));
    before = each.latency.max() * queued / at_once * 2;
  }
  const Duration leader = sim::longest_turn(scenario) * 2 + scenario.scheduling.duration("ack_delay") +
                          scenario.scheduling.duration("poll_period");
  return before + (wait + answer) * 2 + leader + Duration::seconds(10);
}

// `queued`: events of this topic that waited at the heal. `others_go_on`: one of its schedule may be handed out
// meanwhile.
Duration time_to_work(const sim::Scenario& scenario, const Rules& rules, const std::string& topic,
                      std::int64_t queued, bool others_go_on) {
  Duration claim;
  Duration work;
  std::int64_t places = 0;
  for (const sim::WorkerSetting& each : scenario.workers) {
    if (each.topic != topic) continue;
    claim = std::max(claim, each.claim + each.duration.max() + each.poll + each.timeout * 2);
    work = std::max(work, each.duration.max() + each.poll + each.timeout);
    places += each.count * each.concurrent;
  }
  const std::uint32_t attempts = rules.delivery.attempts;
  return (claim + wait_after(rules.delivery, attempts)) * (attempts * (others_go_on ? 2 : 1)) +
         work * queued / places + Duration::seconds(10);
}

struct Asked {
  const Case& run;
  const std::vector<Waiting>& events;  // of one schedule
  const Remains& remains;
  const std::string& topic;
  std::int64_t queued = 0;                             // of the topic, at the heal
  const std::map<std::string, std::int64_t>& to_send;  // likewise, by destination

  bool is_later(const Waiting& event, bool (*is_such)(const Rules&)) const {
    return std::any_of(events.begin(), events.end(), [&](const Waiting& other) {
      return !other.rules.is_own_work() && other.position > event.position && is_such(other.rules);
    });
  }
  Duration takes(const Waiting& event) const {
    if (event.rules.is_pushed()) {
      const auto waited = to_send.find(event.rules.delivery.destination);
      return time_to_send(run.scenario, event.rules.delivery, waited != to_send.end() ? waited->second : 0);
    }
    const bool strict = event.rules.delivery.strict_order &&
                        !is_later(event, [](const Rules& rules) { return !rules.delivery.strict_order; });
    return time_to_work(run.scenario, event.rules, topic, queued, event.rules.is_single() && !strict);
  }
  // In its way, while it is there.
  bool is_before(const Waiting& other, const Waiting& event) const {
    return other.position < event.position && other.rules.shares_queue(event.rules);
  }
  bool is_first(const Waiting& event) const {
    return std::none_of(events.begin(), events.end(), [&](const Waiting& other) {
      return other.to == kNoPlace && remains.there.contains(other.event) && is_before(other, event);
    });
  }
  sim::TrueTime first_since(const Waiting& event) const {
    const auto known = remains.first_left.find(queue_of(event.event.schedule, event.rules));
    return known != remains.first_left.end() ? known->second : sim::TrueTime::min();
  }
  bool waits_for_others(const Waiting& event) const {
    return event.rules.is_pushed() ? event.rules.delivery.strict_order : event.rules.is_single();
  }
};

std::map<std::string, std::int64_t> queued_at(const std::map<ScheduleId, std::string>& topics,
                                              const std::map<ScheduleId, std::vector<Waiting>>& all,
                                              std::size_t heal) {
  std::map<std::string, std::int64_t> queued;
  for (const auto& [schedule, events] : all)
    for (const Waiting& event : events)
      if (event.rules.is_pulled() && event.is_here(heal)) ++queued[topics.at(schedule)];
  return queued;
}

std::map<std::string, std::int64_t> to_send_at(const std::map<ScheduleId, std::vector<Waiting>>& all,
                                               std::size_t heal) {
  std::map<std::string, std::int64_t> count;
  for (const auto& [schedule, events] : all)
    for (const Waiting& event : events)
      if (event.rules.is_pushed() && event.is_here(heal)) ++count[event.rules.delivery.destination];
  return count;
}

}  // namespace

std::vector<Wrong> delivered(const Case& run) {
  const auto& facts = run.history.facts;
  std::size_t heal = facts.size();
  for (std::size_t place = 0; place < facts.size(); ++place)
    if (std::holds_alternative<sim::Healed>(facts[place].fact)) heal = place;
  if (heal == facts.size()) return {};
  const auto all = waiting_events(run.history);
  const Remains left = remains(run);
  const auto topics = topics_of(run.scenario);
  auto queued = queued_at(topics, all, heal);
  const auto to_send = to_send_at(all, heal);
  std::vector<Wrong> wrongs;
  for (const auto& [schedule, events] : all) {
    const std::string& topic = topics.at(schedule);
    const Asked asked{run, events, left, topic, queued[topic], to_send};
    for (const Waiting& event : events) {
      if (event.to != kNoPlace || event.rules.is_own_work() || !left.there.contains(event.event)) continue;
      if (event.rules.is_pulled() && !has_workers(run.scenario, topic)) continue;
      const sim::TrueTime latest = run.history.end - asked.takes(event);
      if (latest < facts[heal].at || event.at > latest) continue;  // the run is too short to say
      if (asked.waits_for_others(event) && (!asked.is_first(event) || asked.first_since(event) > latest))
        continue;
      wrongs.push_back({run.history.end, describe(event.event) + " waits at the end"});
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
