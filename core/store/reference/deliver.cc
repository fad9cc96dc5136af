// What becomes of events: by the leader's own work, by what it sends, and by consumers.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/store/reference/partition.h"

namespace tenure::reference {

namespace {

void check_asked(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

}  // namespace

bool Partition::add_event(const EventId& id, std::uint32_t version, const DeliveryRules* rules,
                          StoreTime now) {
  if (rules == nullptr) return outbox_.add(id, version, now);
  if (waiting_.contains(id)) return false;
  const bool is_push = rules->delivery.kind == Delivery::Kind::push;
  const std::string& name =
      is_push ? rules->delivery.destination : payloads_.find({id.schedule, version}).topic;
  waiting_.add(outbox_.next_number(),
               {.id = id, .version = version, .name = name, .rules = *rules, .at = now});
  return true;
}

void Partition::add_run(const EventId& id, const Schedule& schedule, StoreTime now) {
  if (add_event(id, schedule.version, segments_.rules({id.schedule, schedule.version}), now))
    history_.add(id, schedule.version, Disposition::fired, now);
}

void Partition::left(WaitingTable::Left event, StoreTime now) {
  auto& [seq, row, how] = event;
  if (how == Standing::replaced) return history_.add(row.id, row.version, Disposition::replaced, now);
  outbox_.bury({.event = {row.id, row.attempt.spent(), seq, now, row.why},
                .version = row.version,
                .waiting = OutboxQueue::DeadWaiting{row.name, row.rules}});
}

Reply Partition::apply(const AckEvents& asked, Context& context) {
  Acknowledged acknowledged;
  for (const EventId& id : asked.events) {
    outbox_.acknowledge(id);
    if (waiting_.acknowledge(id, context.now, hold_.has_value()) == WaitingTable::Acknowledgement::claimed)
      ++acknowledged.claimed;
  }
  return acknowledged;
}

Reply Partition::apply(const GiveUpEvents& asked, Context& context) {
  for (const DeadEvent& dead : asked.events) check_well_formed(dead);
  if (const auto why = lease_.denial(asked.holder, asked.token, context.branch, context.now)) {
    return CommitRefused{.why = *why, .held = false};
  }
  for (const DeadEvent& dead : asked.events) {
    if (outbox_.give_up(dead, context.now)) continue;
    if (auto waiting = waiting_.give_up(dead, context.now)) left(std::move(*waiting), context.now);
  }
  return GivenUp{};
}

WaitingRow Partition::put_back(const EventId& id, OutboxQueue::DeadEntry dead, StoreTime now) const {
  return {.id = id,
          .version = dead.version,
          .name = std::move(dead.waiting->name),
          .rules = std::move(dead.waiting->rules),
          .at = now,
          .attempt = Attempt::begun_anew(std::max(dead.event.attempts, waiting_.last_attempt(id)))};
}

Reply Partition::apply(const Redrive& asked, Context& context) {
  Redriven redriven;
  for (const EventId& id : asked.events) {
    auto dead = outbox_.exhume(id);
    if (!dead) continue;
    ++redriven.events;
    if (!dead->waiting)
      outbox_.add(id, dead->version, context.now);
    else if (!waiting_.contains(id))
      waiting_.add(outbox_.next_number(), put_back(id, *std::move(dead), context.now));
  }
  if (redriven.events > 0)
    context.notifications.push_back({Notification::What::events_added, asked.resource});
  return redriven;
}

Reply Partition::apply(const DiscardDead& asked, Context& context) {
  check_asked(asked);
  Discarded discarded;
  for (const EventId& id : asked.events)
    if (outbox_.discard(id, {asked.actor, context.now})) ++discarded.events;
  return discarded;
}

Reply Partition::apply(const ClaimExecutions& asked, Context& context) {
  check_asked(asked);
  std::vector<WaitingTable::Left> gone;
  ClaimedExecutions claimed = waiting_.claim(asked, context.now, hold_.has_value(), gone);
  for (WaitingTable::Left& event : gone) left(std::move(event), context.now);
  return claimed;
}

Reply Partition::apply(const ExtendExecutions& asked, Context& context) {
  check_asked(asked);
  ExecutionStates states;
  for (const ExecutionToken& token : asked.executions)
    states.executions.push_back(waiting_.extend(token, asked.duration, context.now));
  return states;
}

Reply Partition::apply(const EndExecutions& asked, Context& context) {
  check_asked(asked);
  ExecutionStates states;
  for (const ExecutionEnd& end : asked.ends) {
    std::optional<WaitingTable::Left> gone;
    states.executions.push_back(waiting_.end(end, context.now, gone));
    if (gone) left(std::move(*gone), context.now);
  }
  return states;
}

Reply Partition::apply(const ReleaseExecutions& asked, Context& context) {
  ExecutionStates states;
  for (const ExecutionToken& token : asked.executions) {
    std::optional<WaitingTable::Left> gone;
    states.executions.push_back(waiting_.release(token, context.now, gone));
    if (gone) left(std::move(*gone), context.now);
  }
  return states;
}

Reply Partition::apply(const ReadOutbox& asked, Context&) {
  Outbox outbox;
  outbox_.read(asked, outbox);
  outbox.push_waits = waiting_.has_push();
  return outbox;
}

Reply Partition::apply(const ReadDead& asked, Context&) {
  Dead dead;
  outbox_.read(asked, dead);
  return dead;
}

Reply Partition::apply(const ReadWaiting& asked, Context& context) {
  WaitingEvents events;
  waiting_.read(asked, context.now, hold_.has_value(), events);
  return events;
}

Reply Partition::apply(const ReadDepths& asked, Context& context) {
  Depths depths{.work = outbox_.depth(),
                .pull = waiting_.depth(Delivery::Kind::pull),
                .push = waiting_.depth(Delivery::Kind::push),
                .dead = outbox_.depth_of_dead()};
  if (asked.ahead) segments_.count_ahead(context.now, depths);
  return depths;
}

}  // namespace tenure::reference
