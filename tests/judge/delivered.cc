// What was committed by the heal, or so long before the end that it must be over, is over when the run ends. How long
// that is: the longest wait between two attempts, twice, and what goes with an attempt; for workers, all attempts.
#include <algorithm>

#include "core/model/describe.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/executions.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {
namespace {

using Routes = std::map<ScheduleId, Route>;

Duration longest_back_off(const Delivery& delivery) {
  Duration wait = delivery.back_off;
  for (std::uint32_t i = 1; i < delivery.attempts && wait < delivery.longest_back_off; ++i) wait = wait * 2;
  return std::min(wait, delivery.longest_back_off);
}

bool has_workers(const sim::Scenario& scenario, const std::string& topic) {
  return std::any_of(scenario.workers.begin(), scenario.workers.end(),
                     [&](const sim::WorkerSetting& worker) { return worker.topic == topic; });
}

Duration time_to_send(const sim::Scenario& scenario, const Delivery& delivery) {
  Duration wait = longest_back_off(delivery);
  Duration answer;
  for (const sim::DestinationSetting& each : scenario.destinations) {
    if (each.name != delivery.destination) continue;
    wait = std::max(wait, each.retry_after);
    answer = std::min(each.timeout, each.latency.max() + Duration::seconds(1));
  }
  const Duration leader = sim::longest_turn(scenario) * 2 + scenario.scheduling.duration("ack_delay") +
                          scenario.scheduling.duration("poll_period");
  return (wait + answer) * 2 + leader + Duration::seconds(10);
}

// `queued`: events of this topic that waited at the heal.
Duration time_to_work(const sim::Scenario& scenario, const Route& route, std::int64_t queued) {
  Duration claim;
  Duration work;
  std::int64_t places = 0;
  for (const sim::WorkerSetting& each : scenario.workers) {
    if (each.topic != route.topic) continue;
    claim = std::max(claim, each.claim + each.duration.max() + each.poll + each.timeout * 2);
    work = std::max(work, each.duration.max() + each.poll + each.timeout);
    places += each.count * each.concurrent;
  }
  const std::int64_t turns = route.one_at_a_time && !route.delivery.strict_order ? 2 : 1;
  return (claim + longest_back_off(route.delivery)) * (route.most_attempts * turns) + work * queued / places +
         Duration::seconds(10);
}

// An event that must not wait at the end of the run, but for what gave way to a later one and nobody was told of.
bool must_end(const Case& run, const Routes& routes, const LeftToDie& dying, const Waiting& event) {
  const auto route = routes.find(event.event.schedule);
  if (route == routes.end()) return false;
  if (route->second.delivery.kind == Delivery::Kind::push) return true;
  return has_workers(run.scenario, route->second.topic) && !route->second.replaces &&
         !dying.events.contains(event.event);
}

std::map<std::string, std::int64_t> queued_at(const Routes& routes,
                                              const std::map<ScheduleId, std::vector<Waiting>>& all,
                                              std::size_t heal) {
  std::map<std::string, std::int64_t> queued;
  for (const auto& [schedule, events] : all) {
    const auto route = routes.find(schedule);
    if (route == routes.end() || route->second.delivery.kind != Delivery::Kind::pull) continue;
    for (const Waiting& event : events)
      if (event.is_here(heal)) ++queued[route->second.topic];
  }
  return queued;
}

}  // namespace

std::vector<Wrong> delivered(const Case& run) {
  const auto& facts = run.history.facts;
  std::size_t heal = facts.size();
  for (std::size_t place = 0; place < facts.size(); ++place)
    if (std::holds_alternative<sim::Healed>(facts[place].fact)) heal = place;
  if (heal == facts.size()) return {};
  const sim::TrueTime healed = facts[heal].at;
  const auto all = waiting_events(run.history);
  const Routes routes = routes_of(run.scenario);
  const LeftToDie dying = left_to_die(run);
  auto queued = queued_at(routes, all, heal);
  std::vector<Wrong> wrongs;
  for (const auto& [schedule, events] : all) {
    const auto route = routes.find(schedule);
    if (route == routes.end()) continue;
    const bool pushed = route->second.delivery.kind == Delivery::Kind::push;
    if (!pushed && !has_workers(run.scenario, route->second.topic)) continue;
    const Duration takes = pushed ? time_to_send(run.scenario, route->second.delivery)
                                  : time_to_work(run.scenario, route->second, queued[route->second.topic]);
    const sim::TrueTime latest = run.history.end - takes;
    if (latest < healed) continue;  // the run is too short to say
    bool is_first = true;
    std::vector<const Waiting*> left;
    for (const Waiting& event : events)
      if (event.to == kNoPlace && must_end(run, routes, dying, event)) left.push_back(&event);
    std::sort(left.begin(), left.end(),
              [](const Waiting* a, const Waiting* b) { return a->position < b->position; });
    for (const Waiting* event : left) {
      const bool was_first = std::exchange(is_first, false);
      if (event->at > latest) continue;
      if (route->second.delivery.strict_order) {
        if (!was_first) continue;
        sim::TrueTime since = sim::TrueTime::min();
        for (const Waiting& other : events)
          if (other.taken) since = std::max(since, facts[other.to].at);
        if (const auto died = dying.latest.find(schedule); died != dying.latest.end())
          since = std::max(since, died->second);
        if (since > latest) continue;
      }
      wrongs.push_back({run.history.end, describe(event->event) + " waits at the end"});
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
