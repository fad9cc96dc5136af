// What becomes of events: by the leader's own work, by what it sends, and by operators.
#include <algorithm>
#include <utility>

#include "core/store/reference/outbox.h"
#include "core/store/reference/rules.h"

namespace tenure::reference {

bool ReferenceRules::add_event(const EventId& id, std::uint32_t version,
                               const std::optional<DeliveryRules>& rules) {
  if (!rules) return tables_.outbox.add(id, version, now_);
  const bool is_push = rules->delivery.kind == Delivery::Kind::push;
  const std::string& name =
      is_push ? rules->delivery.destination : tables_.payloads.find({id.schedule, version}).topic;
  return add_waiting({.id = id, .version = version, .name = name, .rules = *rules});
}

bool ReferenceRules::add_waiting(WaitingRow row) {
  row.seq = tables_.outbox.last() + 1;
  row.at = now_;
  if (!tables_.waiting.add(std::move(row))) return false;
  tables_.outbox.take_number();
  return true;
}

Reply ReferenceRules::apply(const AckEvents& asked) {
  Acknowledged acknowledged;
  for (const DeliveredEvent& had : asked.events) {
    if (had.kind == Delivery::Kind::work) {
      tables_.outbox.acknowledge(had.id);
      continue;
    }
    WaitingRow* const waiting = tables_.waiting.find(had.id);
    if (waiting == nullptr || !waiting->is_for(had)) continue;
    if (waiting->attempt.stands(now_, held()))
      ++acknowledged.claimed;
    else
      finish(*waiting, Standing::completed);
  }
  return acknowledged;
}

// By the leader, who counts the attempts since the last replay.
Reply ReferenceRules::apply(const GiveUpEvents& asked) {
  for (const DeadEvent& dead : asked.events) check_well_formed(dead);
  if (const auto why = denial(asked)) return CommitRefused{.why = *why, .held = false};
  for (const DeadEvent& dead : asked.events) {
    if (tables_.outbox.give_up(dead, now_)) continue;
    WaitingRow* const waiting = tables_.waiting.find(dead.id);
    if (waiting == nullptr || (dead.seq != 0 && dead.seq != waiting->seq)) continue;
    waiting->attempt.number = waiting->attempt.released + dead.attempts;
    waiting->why = dead.why;
    finish(*waiting, Standing::dead);
  }
  return GivenUp{};
}

Reply ReferenceRules::apply(const Redrive& asked) {
  Redriven redriven;
  for (const EventId& id : asked.events) {
    auto dead = tables_.outbox.take_dead(id);
    if (!dead) continue;
    ++redriven.events;
    if (!dead->waiting) {
      tables_.outbox.add(id, dead->version, now_);
      continue;
    }
    const auto ended = tables_.waiting.ended(id);
    add_waiting({.id = id,
                 .version = dead->version,
                 .name = std::move(dead->waiting->name),
                 .rules = std::move(dead->waiting->rules),
                 .attempt = Attempt::begun_anew(std::max(dead->event.attempts, ended ? ended->attempt : 0))});
  }
  if (redriven.events > 0) notifications_.push_back({Notification::What::events_added, asked.resource});
  return redriven;
}

Reply ReferenceRules::apply(const DiscardDead& asked) {
  check(asked);
  Discarded discarded;
  for (const EventId& id : asked.events)
    if (tables_.outbox.discard(id, {asked.actor, now_})) ++discarded.events;
  return discarded;
}

}  // namespace tenure::reference
