// What becomes of events: by the leader's own work, by what it sends, and by consumers who acknowledge.
#include <algorithm>

#include "adapters/sqlite/partition.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/store/reference/history.h"
#include "core/store/reference/outbox.h"

namespace tenure::sqlite {
namespace {

using reference::Standing;

// Numbers that clients bring have no sign, and none that was given out is so large.
std::int64_t seq_after(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, std::uint64_t{INT64_MAX}));
}

reference::EventId read_event(Rows& rows) {
  reference::EventId id;
  id.schedule = {rows.small()};
  id.slot = rows.time();
  id.run = rows.natural();
  return id;
}

reference::Depth read_depth(Rows rows) {
  reference::Depth depth;
  rows.next();
  depth.events = rows.natural();
  if (depth.events > 0) depth.oldest = rows.time();
  return depth;
}

}  // namespace

SqlitePartition::Rules SqlitePartition::rules_of(ScheduleId id, std::uint32_t version) {
  Rows rows = queries_.rules.with(resource_, id, version);
  if (!rows.next() || rows.null()) return std::nullopt;
  return decode_rules(rows.text());
}

void SqlitePartition::add_manual(const reference::EventId& id, std::uint32_t version) {
  if (add_event(id, version, rules_of(id.schedule, version)))
    add_history(reference::history_row(id, version, reference::Disposition::fired, now_));
}

// One that waits already is the same event, and takes no number.
bool SqlitePartition::add_event(const reference::EventId& id, std::uint32_t version, const Rules& rules) {
  if (rules) {
    const bool push = rules->delivery.kind == Delivery::Kind::push;
    return add_waiting(id, version,
                       push ? rules->delivery.destination : payload_of(id.schedule, version).topic, *rules);
  }
  const std::uint64_t seq = head_.outbox_seq + 1;
  if (queries_.add_event.run(resource_, seq, id.slot, id.schedule, id.run, version, now_) != 1) return false;
  head_.outbox_seq = seq;
  return true;
}

bool SqlitePartition::add_waiting(const reference::EventId& id, std::uint32_t version,
                                  const std::string& name, const reference::DeliveryRules& rules) {
  const std::uint64_t seq = head_.outbox_seq + 1;
  if (queries_.add_waiting.run(resource_, seq, id.slot, id.schedule, id.run, version,
                               static_cast<std::int64_t>(rules.delivery.kind), name, encode(rules),
                               now_) != 1)
    return false;
  head_.outbox_seq = seq;
  return true;
}

reference::Reply SqlitePartition::apply(const reference::AckEvents& asked) {
  reference::Acknowledged acknowledged;
  for (const reference::EventId& id : asked.events) {
    if (queries_.acknowledge.run(resource_, id.slot, id.schedule, id.run) > 0) wrote_ = true;
    const auto waiting = find(id);
    if (!waiting) continue;
    if (waiting->row.attempt.stands(now_, held()))
      ++acknowledged.claimed;
    else
      finish(*waiting, Standing::completed);
  }
  return acknowledged;
}

reference::Reply SqlitePartition::apply(const reference::GiveUpEvents& asked) {
  for (const reference::DeadEvent& dead : asked.events) reference::check_well_formed(dead);
  if (const auto why = head_.lease.denial(asked.holder, asked.token, branch_, now_))
    return reference::CommitRefused{.why = *why, .held = false};
  for (const reference::DeadEvent& dead : asked.events) {
    const reference::EventId& id = dead.id;
    if (queries_.add_dead.run(resource_, id.slot, id.schedule, id.run, dead.attempts, now_, dead.why) > 0) {
      queries_.acknowledge.run(resource_, id.slot, id.schedule, id.run);
      wrote_ = true;
    } else if (auto waiting = find(id)) {
      waiting->row.attempt.number = waiting->row.attempt.released + dead.attempts;
      waiting->row.why = dead.why;
      finish(*waiting, Standing::dead);
    }
  }
  return reference::GivenUp{};
}

void SqlitePartition::bury(const Waiting& waiting) {
  const auto& [seq, row] = waiting;
  queries_.bury.run(resource_, seq, row.id.slot, row.id.schedule, row.id.run, row.attempt.spent(), now_,
                    row.version, row.name, encode(row.rules), row.why);
  wrote_ = true;
}

void SqlitePartition::tell_of_events() {
  ++head_.clients_events;
  notifications_.push_back({Notification::What::events_added, resource_});
}

void SqlitePartition::begin_anew(const reference::EventId& id, std::uint32_t attempts) {
  {
    Rows rows = queries_.ended.with(resource_, id.slot, id.schedule, id.run);
    if (rows.next()) attempts = std::max(attempts, rows.small());
  }
  Waiting waiting{.seq = head_.outbox_seq, .row = {}};
  waiting.row.attempt = reference::Attempt::begun_anew(attempts);
  save_attempt(waiting);
}

reference::Reply SqlitePartition::apply(const reference::Redrive& asked) {
  reference::Redriven redriven;
  for (const reference::EventId& id : asked.events) {
    std::uint32_t version = 0;
    std::uint32_t attempts = 0;
    std::string name;
    Rules rules;
    {
      Rows rows = queries_.dead_event.with(resource_, id.slot, id.schedule, id.run);
      if (!rows.next()) continue;
      version = rows.small();
      attempts = rows.small();
      name = rows.text();
      if (!rows.null()) rules = decode_rules(rows.text());
    }
    queries_.redrive.run(resource_, id.slot, id.schedule, id.run);
    if (!rules)
      add_event(id, version, {});
    else if (add_waiting(id, version, name, *rules))
      begin_anew(id, attempts);
    ++redriven.events;
    wrote_ = true;
  }
  if (redriven.events > 0) tell_of_events();
  return redriven;
}

reference::Reply SqlitePartition::apply(const reference::DiscardDead& asked) {
  const std::string problem = reference::problem_of(asked);
  CHECK(problem.empty(), problem);
  reference::Discarded discarded;
  for (const reference::EventId& id : asked.events)
    if (queries_.discard.run(resource_, id.slot, id.schedule, id.run, now_, asked.actor) > 0)
      ++discarded.events;
  if (discarded.events > 0) wrote_ = true;
  return discarded;
}

// ---- reads -----------------------------------------------------------------------------------------------

reference::Reply SqlitePartition::apply(const reference::ReadOutbox& asked) {
  reference::Outbox outbox;
  Rows rows = queries_.outbox.with(resource_, seq_after(asked.after), std::int64_t{asked.limit} + 1);
  while (rows.next()) {
    if (outbox.events.size() >= asked.limit) {
      outbox.more = true;
      break;
    }
    const std::uint64_t seq = rows.natural();
    outbox.events.push_back({seq, read_event(rows)});
  }
  const auto push = static_cast<std::int64_t>(Delivery::Kind::push);
  outbox.push_waits = queries_.waiting_kind.with(resource_, push, seq_after(0), std::int64_t{1}).next();
  return outbox;
}

reference::Reply SqlitePartition::apply(const reference::ReadDead& asked) {
  reference::Dead dead;
  Statement& statement = asked.discarded ? queries_.discarded : queries_.dead;
  Rows rows = statement.with(resource_, seq_after(asked.after), std::int64_t{asked.limit} + 1);
  while (rows.next()) {
    if (dead.events.size() >= asked.limit) {
      dead.more = true;
      break;
    }
    reference::DeadEvent& event = dead.events.emplace_back();
    event.seq = rows.natural();
    event.id = read_event(rows);
    event.attempts = rows.small();
    event.since = rows.time();
    event.why = rows.text();
    if (!asked.discarded) continue;
    reference::Discard& discard = dead.discards.emplace_back();
    discard.actor = rows.text();
    discard.at = rows.time();
  }
  return dead;
}

reference::Reply SqlitePartition::apply(const reference::ReadWaiting& asked) {
  reference::WaitingEvents events;
  const auto kind = static_cast<std::int64_t>(asked.kind);
  const std::int64_t limit = std::int64_t{asked.limit} + 1;
  Rows rows = asked.name
                  ? queries_.waiting_named.with(resource_, kind, *asked.name, seq_after(asked.after), limit)
                  : queries_.waiting_kind.with(resource_, kind, seq_after(asked.after), limit);
  while (rows.next()) {
    if (events.events.size() >= asked.limit) {
      events.more = true;
      break;
    }
    const auto [seq, row] = read_waiting(rows);
    events.events.push_back({.seq = seq,
                             .id = row.id,
                             .version = row.version,
                             .name = row.name,
                             .at = row.at,
                             .attempt = row.attempt.number,
                             .claimed = row.attempt.stands(now_, held()),
                             .until = row.attempt.until,
                             .worker = row.worker,
                             .delivery = row.rules.delivery});
  }
  return events;
}

reference::Reply SqlitePartition::apply(const reference::ReadDepths& asked) {
  const auto waiting = [this](Delivery::Kind kind) {
    return read_depth(
        queries_.waiting_depth.with(resource_, static_cast<std::int64_t>(kind), reference::kCounted));
  };
  reference::Depths depths{.work = read_depth(queries_.outbox_depth.with(resource_, reference::kCounted)),
                           .pull = waiting(Delivery::Kind::pull),
                           .push = waiting(Delivery::Kind::push),
                           .dead = read_depth(queries_.dead_depth.with(resource_, reference::kCounted))};
  if (asked.ahead) {
    Rows rows = queries_.ahead.with(resource_, StoreTime::max(), now_ + kStoreResolution);
    rows.next();
    depths.ahead = rows.natural();
    depths.ahead_until = rows.time();
  }
  return depths;
}

}  // namespace tenure::sqlite
