#include "tests/judge/outbox.h"

#include <algorithm>
#include <set>

#include "tests/judge/executions.h"
#include "tests/judge/tokens.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

using reference::EventId;
using reference::Standing;
using Runs = std::set<std::pair<ScheduleId, std::uint64_t>>;

// What an executed request has put into the outbox.
std::vector<EventId> put_by(const KeptApplied& applied, Runs& runs) {
  std::vector<EventId> put;
  const auto* asked = as_reference<reference::CommitFires>(applied.request);
  const auto* committed = as_reference<reference::Committed>(applied.reply);
  if (asked != nullptr && committed != nullptr)
    for (std::size_t i = 0; i < asked->rows.size() && i < committed->rows.size(); ++i)
      if (committed->rows[i] == reference::RowResult::covered &&
          asked->rows[i].what == reference::Disposition::fired)
        put.push_back({asked->rows[i].schedule, asked->rows[i].slot, 0});
  if (as_reference<reference::Edited>(applied.reply) == nullptr) return put;
  if (const auto* trigger = as_reference<reference::TriggerSchedule>(applied.request);
      trigger != nullptr && runs.insert({trigger->schedule, trigger->run}).second)
    put.push_back({trigger->schedule, trigger->at, trigger->run});
  if (const auto* backfill = as_reference<reference::BackfillSchedule>(applied.request);
      backfill != nullptr && runs.insert({backfill->schedule, backfill->run}).second)
    for (const StoreTime slot : backfill->slots) put.push_back({backfill->schedule, slot, backfill->run});
  return put;
}

std::vector<EventId> out_by(const KeptApplied& applied) {
  std::vector<EventId> out;
  if (as_reference<reference::CommitRefused>(applied.reply) == nullptr) out = taken_by(applied.request);
  for (const auto& [token, standing] : ends_in(applied))
    if (standing == Standing::completed || standing == Standing::dead || standing == Standing::replaced)
      out.push_back(token.event);
  return out;
}

class Writer {
 public:
  void read(const History& history) {
    for (std::size_t place = 0; place < history.facts.size(); ++place) {
      const Kept& kept = history.facts[place];
      if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
        for (const EventId& event : put_by(*applied, now_.runs))
          if (!now_.open.contains(event)) begin({event, ++position_, applied->who, kept.at, false, place});
        for (const EventId& event : out_by(*applied)) end(event, place, true);
      } else if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) {
        replica_ = now_;
        stalled_ = place;
      } else if (std::holds_alternative<sim::StoreFailedOver>(kept.fact) && replica_) {
        fail_over(place);
      }
    }
  }
  std::map<ScheduleId, std::vector<Waiting>> take() { return std::move(all_); }

 private:
  struct State {
    std::map<EventId, std::size_t> open;  // which one of its schedule
    Runs runs;
  };

  void begin(Waiting waiting) {
    std::vector<Waiting>& own = all_[waiting.event.schedule];
    now_.open[waiting.event] = own.size();
    own.push_back(std::move(waiting));
  }
  void end(const EventId& event, std::size_t place, bool taken) {
    const auto open = now_.open.find(event);
    if (open == now_.open.end()) return;
    Waiting& waiting = all_[event.schedule][open->second];
    waiting.to = place;
    waiting.taken = taken;
    now_.open.erase(open);
  }
  void fail_over(std::size_t place) {
    const std::map<EventId, std::size_t> before = now_.open;
    for (const auto& [event, which] : before)
      if (!replica_->open.contains(event)) end(event, place, false);
    for (const auto& [event, which] : replica_->open) {
      if (before.contains(event)) continue;
      Waiting again = all_[event.schedule][which];
      again.before.emplace_back(again.from, stalled_);
      again.from = place;
      again.to = kNoPlace;
      again.taken = false;
      again.given_back = true;
      begin(again);
    }
    now_.runs = replica_->runs;
    replica_.reset();
  }

  std::map<ScheduleId, std::vector<Waiting>> all_;
  State now_;
  std::optional<State> replica_;
  std::size_t stalled_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace

std::map<ScheduleId, std::vector<Waiting>> waiting_events(const History& history) {
  Writer writer;
  writer.read(history);
  return writer.take();
}

const Waiting* waiting_at(const std::map<ScheduleId, std::vector<Waiting>>& all, const EventId& event,
                          std::size_t place) {
  const auto own = all.find(event.schedule);
  if (own == all.end()) return nullptr;
  for (const Waiting& each : own->second)
    if (each.event == event && each.is_here(place)) return &each;
  return nullptr;
}

std::map<ScheduleId, Route> routes_of(const sim::Scenario& scenario) {
  std::map<ScheduleId, Route> routes;
  const auto add = [&](ScheduleId schedule, const Definition& definition) {
    if (definition.delivery.kind == Delivery::Kind::work) return;
    Route& route = routes.try_emplace(schedule, Route{definition.delivery}).first->second;
    route.least_attempts = std::min(route.least_attempts, definition.delivery.attempts);
    route.most_attempts = std::max(route.most_attempts, definition.delivery.attempts);
    if (definition.overlap != Overlap::allow || definition.delivery.strict_order) route.one_at_a_time = true;
    if (definition.overlap == Overlap::replace) route.replaces = true;
  };
  for (std::uint32_t i = 0; i < scenario.schedules.size(); ++i)
    add(ScheduleId{i}, scenario.schedules[i].definition);
  for (const sim::ChangeSetting& change : scenario.changes)
    if (change.action == sim::ChangeAction::create || change.action == sim::ChangeAction::update)
      add(change.schedule, change.definition);
  for (auto& [schedule, route] : routes)
    if (schedule.value < scenario.schedules.size())
      route.topic = scenario.schedules[schedule.value].payload.topic;
  for (const sim::ChangeSetting& change : scenario.changes)
    if (const auto route = routes.find(change.schedule);
        route != routes.end() && change.action == sim::ChangeAction::create)
      route->second.topic = change.payload.topic;
  return routes;
}

std::map<EventId, std::vector<std::size_t>> deliveries_of(const History& history) {
  std::map<EventId, std::vector<std::size_t>> all;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact)) {
      if (landed->landing == sim::DeliveryOutcome::duplicate) all[landed->item.event].push_back(place);
    } else if (const auto* ended = std::get_if<KeptDeliveryEnding>(&fact)) {
      if (ended->ending == sim::Ending::done) all[ended->item.event].push_back(place);
    } else if (const auto* worked = std::get_if<sim::WorkerExecution>(&fact)) {
      if (worked->ending == sim::Ending::done) all[worked->token.event].push_back(place);
    }
  }
  return all;
}

}  // namespace tenure::judging
