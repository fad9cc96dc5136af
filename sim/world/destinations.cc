#include "sim/world/destinations.h"

#include <algorithm>

#include "core/base/check.h"
#include "sim/world/chance.h"
#include "sim/world/landing.h"
#include "sim/world/work_executor.h"

namespace tenure::sim {
Destinations::Destinations(Timeline& timeline, History& history, WorkWorld& world, KeyedRng rng,
                           const std::vector<DestinationSetting>& settings, bool fenced,
                           bool honours_event_id)
    : timeline_(timeline),
      history_(history),
      world_(world),
      rng_(rng.of("destinations")),
      handler_(timeline.add_handler(*this)) {
  for (const DestinationSetting& setting : settings)
    servers_.emplace(setting.name, Server{setting, OutsideResource(fenced, honours_event_id)});
}

void Destinations::send(Incarnation who, const WorkItem& item) {
  const std::uint64_t serial = ++sent_;
  deliveries_.emplace(serial, Delivery{.who = who, .item = item});
  timeline_.at(timeline_.now() + world_.resource_latency(who.node),
               {handler_, kLand, who.node.value, serial});
  const auto server = servers_.find(item.destination);
  CHECK(server != servers_.end(), "a scenario has the destinations that its schedules name");
  timeline_.at(timeline_.now() + server->second.setting.timeout,
               {handler_, kTimeout, who.node.value, serial});
}

void Destinations::land(std::uint64_t serial, Delivery& delivery) {
  Server& server = servers_.find(delivery.item.destination)->second;
  const StoreTime store_now = world_.fire_clock();
  for (Turned& turned : server.turned) turned.met = true;
  if (knobs_of(server).down || server.working >= server.setting.concurrent) {
    history_.emit(DeliveryArrived{delivery.who, delivery.item, std::nullopt, store_now, wish(delivery)});
    return answer(serial, delivery, WorkResult::failed);
  }
  const DeliveryOutcome landing = outcome_of(server.resource.land(timeline_.now(), delivery.item));
  history_.emit(DeliveryArrived{delivery.who, delivery.item, landing, store_now});
  switch (landing) {
    case DeliveryOutcome::begun: return begin(serial, delivery, server);
    case DeliveryOutcome::fenced: return answer(serial, delivery, WorkResult::fenced);
    case DeliveryOutcome::running: return answer(serial, delivery, WorkResult::running);
    case DeliveryOutcome::duplicate: return answer(serial, delivery, WorkResult::duplicate);
  }
}

void Destinations::begin(std::uint64_t serial, Delivery& delivery, Server& server) {
  const WorkItem& item = delivery.item;
  const KeyedRng rng = rng_.of(hash_text(item.destination))
                           .of(item.event.schedule.value)
                           .of(static_cast<std::uint64_t>(item.event.slot.ns()))
                           .of(item.event.run)
                           .of(item.token ? item.token->epoch : 0)
                           .of(item.attempt);
  const Knobs knobs = knobs_of(server);
  delivery.works = true;
  delivery.fails = happens(rng.of("fails"), std::max(server.setting.failing_ppm, knobs.failing_ppm));
  delivery.loses_answer = happens(rng.of("answer"), server.setting.answers_lost_ppm);
  ++server.working;
  timeline_.at(timeline_.now() + server.setting.latency.draw(rng.of("latency")) + knobs.slow,
               {handler_, kEnd, delivery.who.node.value, serial});
}

void Destinations::end(std::uint64_t serial, Delivery& delivery) {
  Server& server = servers_.find(delivery.item.destination)->second;
  delivery.works = false;
  --server.working;
  if (delivery.fails)
    server.resource.failed(delivery.item.event);
  else
    server.resource.ended(timeline_.now(), delivery.item.event);
  const bool answers = !delivery.loses_answer && !delivery.answered;
  history_.emit(DeliveryEnded{delivery.who, delivery.item, delivery.fails ? Ending::failed : Ending::done,
                              delivery.fails && answers ? wish(delivery) : Duration{}, answers});
  if (!delivery.loses_answer)
    answer(serial, delivery, delivery.fails ? WorkResult::failed : WorkResult::done);
}

void Destinations::answer(std::uint64_t serial, Delivery& delivery, WorkResult result) {
  if (delivery.answered) return forget_if_over(serial);
  if (result == WorkResult::failed) delivery.retry_after = wish(delivery);
  delivery.answered = true;
  delivery.result = result;
  timeline_.at(timeline_.now() + world_.resource_latency(delivery.who.node),
               {handler_, kAnswer, delivery.who.node.value, serial});
}

Duration Destinations::wish(const Delivery& delivery) const {
  return delivery.answered ? Duration{}
                           : servers_.find(delivery.item.destination)->second.setting.retry_after;
}

void Destinations::forget_if_over(std::uint64_t serial) {
  const auto delivery = deliveries_.find(serial);
  if (delivery != deliveries_.end() && delivery->second.answered && !delivery->second.works)
    deliveries_.erase(delivery);
}

Destinations::Knobs Destinations::knobs_of(const Server& server) const {
  Knobs all;
  for (const Turned& turned : server.turned) {
    all.down = all.down || turned.knobs.down;
    all.slow = all.slow + turned.knobs.slow;
    all.failing_ppm = std::max(all.failing_ppm, turned.knobs.failing_ppm);
  }
  return all;
}

void Destinations::acknowledged(const reference::DeliveredEvent& had) {
  const auto server = servers_.find(had.to);
  if (server != servers_.end()) server->second.resource.acknowledged(timeline_.now(), had.id);
}

void Destinations::turn(std::uint64_t cause, std::string_view name, const Knobs& knobs) {
  for (auto& [each, server] : servers_)
    if (name.empty() || each == name) server.turned.push_back({cause, knobs});
}

bool Destinations::met(std::uint64_t cause) const {
  return std::any_of(servers_.begin(), servers_.end(), [cause](const auto& named) {
    const std::vector<Turned>& all = named.second.turned;
    return std::any_of(all.begin(), all.end(),
                       [cause](const Turned& turned) { return turned.cause == cause && turned.met; });
  });
}

void Destinations::turn_back(std::uint64_t cause) {
  for (auto& [name, server] : servers_)
    std::erase_if(server.turned, [cause](const Turned& turned) { return turned.cause == cause; });
}

void Destinations::on_event(const Event& event) {
  const std::uint64_t serial = event.payload;
  const auto found = deliveries_.find(serial);
  if (found == deliveries_.end()) return;  // a time-out of what is over
  Delivery& delivery = found->second;
  switch (static_cast<Kind>(event.kind)) {
    case kLand: return land(serial, delivery);
    case kEnd: return end(serial, delivery);
    case kTimeout:
      // The sender gives up; whether the destination has begun it, nobody tells.
      if (delivery.answered) return;
      delivery.answered = true;
      world_.work_done(delivery.who, {delivery.item.event, WorkResult::failed});
      return forget_if_over(serial);
    case kAnswer:
      world_.work_done(delivery.who, {delivery.item.event, delivery.result, delivery.retry_after});
      return forget_if_over(serial);
  }
}

}  // namespace tenure::sim
