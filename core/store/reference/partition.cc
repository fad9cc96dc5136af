#include "core/store/reference/partition.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tenure::reference {

ReferenceRules Partition::rules(Context& context) {
  return ReferenceRules({lease_, hold_, schedules_, segments_, exceptions_, changes_, payloads_, runs_,
                         outbox_, waiting_, history_, nodes_},
                        context);
}

// ---- reads -----------------------------------------------------------------------------------------------

Reply Partition::apply(const ReadDue& asked, Context& context) {
  Due due;
  segments_.read(asked, due);
  due.change_seq = changes_.last();
  due.hold = hold_;
  due.branch = context.branch;
  return due;
}

Reply Partition::apply(const ReadHistory& asked, Context& context) {
  HistoryPage page;
  history_.read(asked, page);
  page.branch = context.branch;
  return page;
}

Reply Partition::apply(const ReadNodes&, Context&) { return nodes_.all(); }

Reply Partition::apply(const ChangesSince& asked, Context& context) {
  Changes changes;
  changes_.read(asked, changes);
  changes.hold = hold_;
  changes.branch = context.branch;
  return changes;
}

Reply Partition::apply(const ReadNamed& asked, Context&) {
  NamedSchedules read;
  if (const Schedule* const found = schedules_.find(asked.name)) read.schedules.push_back(describe(*found));
  return read;
}

Reply Partition::apply(const ListNamed& asked, Context&) {
  std::map<std::string, const Schedule*> names;
  for (const auto& [id, schedule] : schedules_.all())
    if (!schedule.deleted) names.emplace(schedule.called(), &schedule);
  NamedSchedules list;
  for (auto it = names.upper_bound(asked.after); it != names.end(); ++it) {
    if (list.schedules.size() >= asked.limit) {
      list.more = true;
      break;
    }
    list.schedules.push_back(describe(*it->second));
    list.schedules.back().payload.data.clear();
  }
  return list;
}

NamedSchedule Partition::describe(const Schedule& schedule) const {
  const SegmentKey in_force{schedule.id, schedule.version};
  NamedSchedule described{.name = schedule.called(),
                          .edition = {schedule.id, schedule.version},
                          .since = schedule.since,
                          .definition = changes_.definition_of(schedule.change_seq),
                          .payload = payloads_.find(in_force),
                          .pause = {},
                          .covered = segments_.covered(in_force)};
  if (described.definition.paused) described.pause = schedule.pause;
  return described;
}

Reply Partition::apply(const ReadPayloads& asked, Context&) {
  Payloads payloads;
  for (const EventId& event : asked.events) {
    EventPayload& given = payloads.events.emplace_back();
    given.event = event;
    auto version = waiting_.version_of(event);
    if (!version) version = outbox_.version_of(event);
    if (!version) continue;
    given.found = true;
    given.version = *version;
    given.name = schedules_.find(event.schedule)->called();
    given.payload = payloads_.find({event.schedule, *version});
  }
  return payloads;
}

Reply Partition::apply(const ReadLog& asked, Context&) {
  Log log;
  changes_.read(asked, log);
  for (LogEntry& entry : log.entries) entry.name = schedules_.find(entry.edition.schedule)->called();
  return log;
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

// ---- the end of retention --------------------------------------------------------------------------------

Reply Partition::apply(const Prune& asked, Context& context) {
  std::uint64_t rows = exceptions_.prune(asked.before, asked.limit);
  rows += changes_.prune(asked.before, asked.limit - rows, segments_);
  rows += runs_.prune(asked.before, asked.limit - rows);
  rows += outbox_.prune_dead(asked.before, asked.limit - rows);
  rows += payloads_.prune(asked.before, asked.limit - rows, segments_, outbox_, waiting_);
  rows += waiting_.prune(asked.before, asked.limit - rows);
  rows += history_.prune(asked.before, asked.keep_history, asked.limit - rows);
  rows += nodes_.prune(asked.before, asked.limit - rows);
  const std::vector<ScheduleId> old = finished(asked.before, asked.limit - rows);
  rules(context).delete_finished(asked.resource, old);
  return Pruned{rows + old.size()};
}

std::vector<ScheduleId> Partition::finished(StoreTime before, std::uint64_t limit) const {
  std::vector<std::pair<StoreTime, ScheduleId>> old;
  for (const auto& [id, schedule] : schedules_.all()) {
    if (schedule.deleted || outbox_.knows(id) || waiting_.knows(id)) continue;
    const auto since = segments_.finished({id, schedule.version});
    if (since && *since <= before) old.emplace_back(*since, id);
  }
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  std::vector<ScheduleId> schedules;
  for (const auto& [since, id] : old) schedules.push_back(id);
  return schedules;
}

void Partition::hash(Hasher& hasher, StoreTime now) const {
  lease_.hash(hasher, now);
  fold(hasher, schedules_, payloads_, segments_, exceptions_, changes_, outbox_, waiting_, history_, nodes_,
       runs_, hold_);
}

}  // namespace tenure::reference
