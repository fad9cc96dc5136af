#include "sim/runner/clients.h"

#include <optional>
#include <utility>

#include "sim/stores/schedule_table/requests.h"
#include "sim/world/payloads.h"

namespace tenure::sim {
namespace {

constexpr ResourceId kResource{0};
constexpr Duration kTimeout = Duration::seconds(3);
constexpr Duration kRetryAfter = Duration::seconds(1);

// The definition after a change.
Definition after(const ChangeSetting& change, Definition before) {
  switch (change.action) {
    case ChangeAction::create:
    case ChangeAction::update: return change.definition;
    case ChangeAction::pause: before.paused = true; return before;
    case ChangeAction::resume: before.paused = false; return before;
    case ChangeAction::remove:
    case ChangeAction::trigger:
    case ChangeAction::backfill:
    case ChangeAction::replay: return before;
  }
  return before;
}

bool is_put(const ChangeSetting& change) {
  return change.action != ChangeAction::remove && change.action != ChangeAction::trigger &&
         change.action != ChangeAction::backfill && change.action != ChangeAction::replay;
}

// May the change be asked for again, now that the store knows less of the schedule than it did? A schedule whose
// creation was lost is created anew by the next edit; there is nothing of it to delete or to run.
bool may_ask_again(const ChangeSetting& change, reference::EditDenial why) {
  const bool gone = why == reference::EditDenial::no_such_schedule;
  return is_put(change) || !gone;
}

// Of the schedule, by the answer to an edit.
std::optional<std::uint32_t> version_in(const reference::Reply& answer) {
  if (const auto* edited = std::get_if<reference::Edited>(&answer)) return edited->version;
  if (const auto* refused = std::get_if<reference::EditRefused>(&answer)) return refused->version;
  if (const auto* named = std::get_if<reference::NamedEdited>(&answer)) return named->edition.version;
  if (const auto* refused = std::get_if<reference::NamedRefused>(&answer)) return refused->edition.version;
  return std::nullopt;
}

}  // namespace

Clients::Clients(World& world) : world_(world) {
  for (std::uint32_t i = 0; i < world.scenario().schedules.size(); ++i) {
    Schedule& schedule = schedules_[ScheduleId{i}];
    const PayloadSetting& payload = world.scenario().schedules[i].payload;
    schedule.version = payload.empty() ? 1 : kVersionWithPayload;  // as furnished
    schedule.payload = payload;
    schedule.definition = world.scenario().schedules[i].definition;
  }
}

bool Clients::Schedule::lacks_payload() const { return !payload.empty() && version < kVersionWithPayload; }

void Clients::begin() {
  for (const ChangeSetting& change : world_.scenario().changes) {
    world_.at(TrueTime{} + change.at, [this, &change] {
      Schedule& schedule = schedules_[change.schedule];
      if (change.action == ChangeAction::create) schedule.payload = change.payload;
      schedule.waiting.push_back(&change);
      next(change.schedule);
    });
  }
}

void Clients::next(ScheduleId id) {
  Schedule& schedule = schedules_[id];
  if (schedule.busy || schedule.waiting.empty()) return;
  schedule.busy = true;
  schedule.unsure = false;
  attempt(id);
}

void Clients::attempt(ScheduleId id) {
  const Schedule& schedule = schedules_[id];
  const ChangeSetting& change = *schedule.waiting.front();
  std::optional<Request> request;
  if (world_.scenario().scheduler->edit != nullptr) {
    const Definition definition = after(change, schedule.definition);
    request = world_.design_edit(id, change.schedule_name,
                                 change.action == ChangeAction::remove ? nullptr : &definition);
  } else {
    request = request_for(id, schedule, change);
  }
  if (!request) return done(id);
  world_.client_request(std::move(*request), kTimeout,
                        [this, id](const StoreReplied& reply) { answered(id, reply); });
}

// By the client's own clock, which is right: what it was when the run was wanted, however often it is asked for.
StoreTime Clients::asked_at(const ChangeSetting& change) const {
  return StoreTime::from_ns(world_.scenario().start_ns) + change.at;
}

Request Clients::request_for(ScheduleId id, const Schedule& schedule, const ChangeSetting& change) const {
  const Definition definition = after(change, schedule.definition);
  if (!offers(world_.scenario().scheduler->store, &StoreKind::keeps_changes)) {
    if (change.action == ChangeAction::remove)
      return schedule_table::Request{schedule_table::DeleteRow{kResource, id}};
    return schedule_table::Request{schedule_table::PutRow{kResource, id, definition}};
  }
  if (change.action == ChangeAction::remove)
    return reference::Request{reference::DeleteSchedule{kResource, id, schedule.version}};
  if (change.action == ChangeAction::trigger)
    return reference::Request{reference::TriggerSchedule{kResource, id, change.id, asked_at(change)}};
  if (change.action == ChangeAction::replay && !schedule.to_replay.empty())
    return reference::Request{reference::Redrive{kResource, schedule.to_replay}};
  if (change.action == ChangeAction::replay)
    return reference::Request{reference::ReadDead{.resource = kResource, .after = schedule.dead_seen}};
  if (change.action == ChangeAction::backfill)
    return reference::Request{reference::BackfillSchedule{kResource, id, change.id, change.slots}};
  if (!schedule.lacks_payload())
    return reference::Request{reference::PutSchedule{kResource, id, schedule.version, definition}};
  if (schedule.version > 0) return put_payload(kResource, id, definition, schedule.payload);
  Definition paused = definition;  // nothing of it fires without its payload
  paused.paused = true;
  return reference::Request{reference::PutSchedule{kResource, id, 0, paused}};
}

void Clients::answered(ScheduleId id, const StoreReplied& reply) {
  Schedule& schedule = schedules_[id];
  if (reply.outcome != RequestOutcome::applied) {
    schedule.unsure = schedule.unsure || reply.outcome == RequestOutcome::unknown;
    world_.at(world_.now() + kRetryAfter, [this, id] { attempt(id); });
    return;
  }
  // A conflict after an unknown attempt means that the attempt was applied after all; otherwise another client won.
  const auto* answer = std::get_if<reference::Reply>(&reply.reply);
  if (answer != nullptr && schedule.waiting.front()->action == ChangeAction::replay)
    return looked_through(id, *answer);
  const bool goes_on = is_put(*schedule.waiting.front()) && schedule.lacks_payload();
  if (answer != nullptr && goes_on) {
    if (const std::optional<std::uint32_t> version = version_in(*answer);
        version && *version != schedule.version) {
      schedule.version = *version;
      return attempt(id);
    }
  }
  const auto* edited = answer != nullptr ? std::get_if<reference::Edited>(answer) : nullptr;
  const auto* refused = answer != nullptr ? std::get_if<reference::EditRefused>(answer) : nullptr;
  // A version that goes back: the store has lost edits that it had acknowledged. The client asks again on top of what
  // is left; its definition has in it what the lost edits had said.
  const bool lost = refused != nullptr && refused->version < schedule.version;
  if (edited != nullptr) schedule.version = edited->version;
  if (refused != nullptr) schedule.version = refused->version;
  if (lost && may_ask_again(*schedule.waiting.front(), refused->why)) return attempt(id);
  if (refused == nullptr || schedule.unsure)
    schedule.definition = after(*schedule.waiting.front(), schedule.definition);
  world_.judge_edit(reply.reply);
  done(id);
}

void Clients::looked_through(ScheduleId id, const reference::Reply& reply) {
  Schedule& schedule = schedules_[id];
  if (const auto* dead = std::get_if<reference::Dead>(&reply)) {
    for (const reference::DeadEvent& event : dead->events) {
      if (event.id.schedule == id) schedule.to_replay.push_back(event.id);
      schedule.dead_seen = event.seq;
    }
    schedule.more_dead = dead->more;
  } else {
    schedule.to_replay.clear();
  }
  if (schedule.more_dead || !schedule.to_replay.empty()) return attempt(id);
  schedule.dead_seen = 0;
  world_.judge_edit(reply);
  done(id);
}

void Clients::done(ScheduleId id) {
  Schedule& schedule = schedules_[id];
  schedule.waiting.pop_front();
  schedule.busy = false;
  next(id);
}

}  // namespace tenure::sim
