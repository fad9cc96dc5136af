#include "lab/audit/id_compaction.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tenure::lab {
namespace {

template <class Kind>
Kind* asked_for(journal::Asked& asked) {
  auto* request = std::get_if<reference::Request>(&asked.submission.request);
  return request != nullptr ? std::get_if<Kind>(request) : nullptr;
}

// Calls `see` with each schedule that the line names.
template <class See>
void for_each_schedule(journal::JournalEvent& event, See&& see) {
  if (auto* item = std::get_if<WorkItem>(&event)) see(item->event.schedule);
  if (auto* done = std::get_if<WorkDone>(&event)) see(done->event.schedule);
  if (auto* change = std::get_if<journal::ClientChange>(&event); change != nullptr && change->run)
    see(change->run->schedule);
  if (auto* answered = std::get_if<journal::Answered>(&event)) {
    for (ScheduleId& schedule : answered->unread) see(schedule);
    if (auto* changes = answered->reply_as<reference::Changes>())
      for (reference::Change& change : changes->changes) see(change.segment.schedule);
  }
  auto* asked = std::get_if<journal::Asked>(&event);
  if (auto* ack = asked != nullptr ? asked_for<reference::AckEvents>(*asked) : nullptr) {
    for (reference::DeliveredEvent& had : ack->events) see(had.id.schedule);
  }
  if (auto* given_up = asked != nullptr ? asked_for<reference::GiveUpEvents>(*asked) : nullptr) {
    for (reference::DeadEvent& dead : given_up->events) see(dead.id.schedule);
  }
  auto* request = asked != nullptr ? std::get_if<reference::Request>(&asked->submission.request) : nullptr;
  auto* commit = request != nullptr ? std::get_if<reference::CommitFires>(request) : nullptr;
  if (commit == nullptr) return;
  for (reference::LedgerRow& row : commit->rows) see(row.schedule);
}

// Its due times depend on the number that it had.
void keep_draws(journal::JournalEvent& event) {
  auto* answered = std::get_if<journal::Answered>(&event);
  auto* changes = answered != nullptr ? answered->reply_as<reference::Changes>() : nullptr;
  if (changes == nullptr) return;
  for (reference::Change& change : changes->changes)
    if (!change.definition.jitter.drawn_for) change.definition.jitter.drawn_for = change.segment.schedule;
}

void rename_holder(reference::Request& request, Incarnation who) {
  std::visit(
      [who](auto& one) {
        if constexpr (requires { one.holder; }) one.holder = who;
      },
      request);
}

void rename_told_holder(Incarnation& holder, const std::map<Incarnation, Incarnation>& names) {
  if (holder.number == 0) return;  // nobody, or not told
  const auto known = names.find(holder);
  holder = known != names.end() ? known->second : Incarnation{holder.node, kNotHere};
}

ScheduleId rank_in(const std::vector<ScheduleId>& all, ScheduleId id) {
  const auto place = std::lower_bound(all.begin(), all.end(), id) - all.begin();
  return {static_cast<std::uint32_t>(place)};
}

}  // namespace

RealNames compact_ids(std::vector<NodeJournal>& journals) {
  std::set<ScheduleId> schedules;
  std::set<ScheduleId> fired;
  std::map<Incarnation, journal::BootTime> since;
  for (NodeJournal& journal : journals)
    for (PlacedLine& placed : journal.lines) {
      const journal::Line& line = placed.line;
      const auto [first, fresh] = since.try_emplace(line.who, line.now.at);
      if (!fresh) first->second = std::min(first->second, line.now.at);
      const auto* item = std::get_if<WorkItem>(&line.event);
      const bool asks = std::holds_alternative<journal::Asked>(line.event);
      const bool answers = std::holds_alternative<journal::Answered>(line.event);
      const bool of_client = std::holds_alternative<journal::ClientChange>(line.event);
      for_each_schedule(placed.line.event, [&](ScheduleId schedule) {
        schedules.insert(schedule);
        if (asks || answers || of_client || (item != nullptr && item->once)) fired.insert(schedule);
      });
    }
  const RealNames real{{schedules.begin(), schedules.end()}, std::move(fired)};

  std::vector<std::pair<journal::BootTime, Incarnation>> in_time;
  for (const auto& [who, first] : since) in_time.emplace_back(first, who);
  std::sort(in_time.begin(), in_time.end());
  std::map<NodeId, std::uint32_t> lives;
  std::map<Incarnation, Incarnation> names;
  for (const auto& [first, who] : in_time) names[who] = {who.node, ++lives[who.node]};

  for (NodeJournal& journal : journals)
    for (PlacedLine& placed : journal.lines) {
      journal::Line& line = placed.line;
      line.who = names.at(line.who);
      if (auto* asked = std::get_if<journal::Asked>(&line.event)) {
        asked->id.incarnation = line.who;
        if (auto* request = std::get_if<reference::Request>(&asked->submission.request))
          rename_holder(*request, line.who);
      }
      if (auto* answered = std::get_if<journal::Answered>(&line.event)) {
        answered->id.incarnation = line.who;
        if (auto* refused = answered->reply_as<reference::Refused>())
          rename_told_holder(refused->holder, names);
      }
      keep_draws(line.event);
      for_each_schedule(line.event,
                        [&](ScheduleId& schedule) { schedule = rank_in(real.schedules, schedule); });
    }
  return real;
}

}  // namespace tenure::lab
