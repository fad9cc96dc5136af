#include "sim/runner/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/model/describe.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/runner/conditions.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kViolationsMax = 1'000;  // of one checker
constexpr std::size_t kRequestsMax = 20;       // of one violation

std::string text_of(const std::optional<Token>& token) { return token ? describe(*token) : ""; }

std::string_view text_of(BeliefChange::Ending how) {
  switch (how) {
    case BeliefChange::Ending::stepped_down: return "stepped down";
    case BeliefChange::Ending::died: return "died";
    case BeliefChange::Ending::reached: break;
  }
  return "its time ran out";
}

std::optional<Token> token_given(const Applied& applied) {
  const auto* granted = reference_reply<reference::Granted>(applied.reply);
  return granted != nullptr ? std::optional(granted->token) : std::nullopt;
}

// The last span that goes on and is the one meant; nullptr: none is.
template <class T, class IsMeant>
T* open_span(std::vector<T>& spans, IsMeant&& is_meant) {
  const auto last = std::find_if(spans.rbegin(), spans.rend(), [&](const T& one) {
    return one.span.to == TrueTime::max() && is_meant(one);
  });
  return last != spans.rend() ? &*last : nullptr;
}

}  // namespace

Recorder::Recorder(const World& world, RecordingListener* listener) : Recorder(world.scenario(), world) {
  world_ = &world;
  listener_ = listener;
}

Recorder::Recorder(const Scenario& scenario, const View& view)
    : scenario_(scenario), names_(scenario_), beliefs_(view), narrator_(scenario_) {
  for (std::uint32_t node = 0; node < scenario_.instances.size(); ++node)
    recording_.nodes.push_back(describe(NodeId{node}));
  for (std::uint32_t store = 0; store < scenario_.protocol->stores; ++store)
    recording_.stores.push_back(names_.store(StoreId{store}));
  recording_.warmup = scenario_.work.program.warmup;
}

void Recorder::see(TrueTime now, const Record& record) {
  beliefs_.see(now, record);
  follow_beliefs();
  follow_lease(now, record);
  follow_conditions(now, record, recording_);
  see_process(now, record);
  see_fault(now, record);
  see_work(now, record);
  see_request(now, record);
  see_words(now, record);
  // When somebody begins to lead is the tracker's to say, as its end is.
  std::optional<NarratedEvent> told = narrator_.tell(now, record);
  if (told && !told->begins_leadership) recording_.story.push_back(std::move(*told));
}

void Recorder::finish(TrueTime now) {
  beliefs_.advance(now);
  follow_beliefs();
  recording_.end = now;
  if (listener_ == nullptr) return;
  for (const RequestTrip& trip : recording_.requests)
    if (!trip.heard || trip.outcome == RequestOutcome::unknown) listener_->request_ended(now, trip);
}

Recording Recorder::take() {
  std::stable_sort(recording_.story.begin(), recording_.story.end(),
                   [](const NarratedEvent& a, const NarratedEvent& b) { return a.line.at < b.line.at; });
  return std::move(recording_);
}

void Recorder::add_violations(std::string_view checker, const Violations& violations, bool demanded) {
  std::size_t count = 0;
  for (const Violation& violation : violations) {
    if (++count > kViolationsMax) return;
    ViolationSpan span{std::string(checker), violation.message, {}, {}, demanded};
    span.span = {violation.since.value_or(violation.at), violation.at};
    for (const Incarnation who : violation.who) {
      const bool known = std::count(span.nodes.begin(), span.nodes.end(), who.node) > 0;
      if (!known && is_instance(who.node)) span.nodes.push_back(who.node);
    }
    NarratedEvent told{
        {violation.at, "", fmt::format("violation of {}: {}", checker, violation.message), false},
        StoryKind::violation,
        {},
        {},
        false,
        false};
    span.requests = requests_of(violation);
    span.schedules = violation.schedules;
    recording_.story.push_back(std::move(told));
    if (listener_ != nullptr) listener_->violated(span);
    recording_.violations.push_back(std::move(span));
  }
}

void Recorder::follow_beliefs() {
  for (const BeliefChange& change : beliefs_.changes()) {
    if (listener_ != nullptr) listener_->belief_changed(change);
    const Incarnation who = change.belief.who;
    if (change.what == BeliefChange::What::began) {
      const std::string token = text_of(change.belief.token);
      recording_.beliefs.push_back({who, {change.at}, token, "", grants_at(who, change.at)});
      tell_of_belief(change.at, who.node, token.empty() ? "leads" : "leads (" + token + ")", true);
      continue;
    }
    BeliefSpan* open =
        open_span(recording_.beliefs, [&](const BeliefSpan& belief) { return belief.who == who; });
    if (open == nullptr) continue;
    if (change.what == BeliefChange::What::extended) {
      open->token = text_of(change.belief.token);
      for (const BeliefSpan::Grant& grant : grants_at(who, change.at)) open->grants.push_back(grant);
      continue;
    }
    open->span.to = change.at;
    open->end = text_of(change.how);
    // Of a step-down and a death the narrator tells.
    if (change.how == BeliefChange::Ending::reached)
      tell_of_belief(change.at, who.node, "believes no longer: its time ran out", false);
  }
}

// A belief that follows from an answer is noted in the step that hears it.
std::vector<BeliefSpan::Grant> Recorder::grants_at(Incarnation who, TrueTime at) const {
  const auto heard = last_heard_.find(who);
  if (heard == last_heard_.end() || heard->second.at != at) return {};
  return {heard->second};
}

void Recorder::tell_of_belief(TrueTime at, NodeId node, std::string text, bool begins) {
  recording_.story.push_back(
      {{at, describe(node), std::move(text), false}, StoryKind::leadership, node, {}, begins, false});
}

void Recorder::follow_lease(TrueTime now, const Record& record) {
  const std::optional<LeaseTracker::Change> change = lease_.see(record);
  if (!change) return;
  HoldSpan* before =
      open_span(recording_.holds, [&](const HoldSpan& hold) { return hold.store == change->store; });
  if (before != nullptr) before->span.to = now;
  if (change->holder.number == 0) {
    if (listener_ != nullptr) listener_->lease_changed(now, change->store, nullptr);
    return;
  }
  const auto* applied = std::get_if<Applied>(&record);
  recording_.holds.push_back(
      {change->holder, {now}, applied != nullptr ? token_given(*applied) : std::nullopt, change->store});
  if (listener_ != nullptr) listener_->lease_changed(now, change->store, &recording_.holds.back());
}

// What a program says of itself; the narrator leaves that to those who want to know.
void Recorder::see_words(TrueTime now, const Record& record) {
  const auto* noted = std::get_if<Noted>(&record);
  if (noted == nullptr) return;
  std::string text;
  if (const auto* remark = std::get_if<Annotation>(&noted->note)) {
    text = "says: " + std::string(remark->text);
    if (remark->value != 0) text += fmt::format(" {}", remark->value);
  } else if (const auto* error = std::get_if<DesignError>(&noted->note)) {
    text = "its program ends: " + std::string(error->what);
  } else {
    return;
  }
  const NodeId node = noted->who.node;
  recording_.story.push_back(
      {{now, describe(node), std::move(text), false}, StoryKind::remark, node, {}, false, false});
}

// A process that was not brought up beside the one before it begins `startup` late.
void Recorder::see_startup(TrueTime now, Incarnation who) {
  const Duration startup = scenario_.work.program.startup;
  const auto before = std::find_if(recording_.lives.rbegin(), recording_.lives.rend(),
                                   [&](const LifeSpan& life) { return life.who.node == who.node; });
  if (before == recording_.lives.rend() || startup == Duration{}) return;
  const TrueTime from = std::max(before->span.to, now - startup);
  if (from < now) recording_.startups.push_back({who, {from, now}});
}

void Recorder::close_pause(NodeId node, TrueTime now) {
  PauseSpan* open = open_span(recording_.pauses, [&](const PauseSpan& pause) { return pause.node == node; });
  if (open != nullptr) open->span.to = now;
}

void Recorder::see_process(TrueTime now, const Record& record) {
  if (const auto* started = std::get_if<NodeStarted>(&record)) {
    see_startup(now, started->who);
    recording_.lives.push_back({started->who, {now}});
    if (!mono_zeros_.contains(started->who.node)) read_clocks(now, started->who.node);
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    LifeSpan* open = open_span(recording_.lives, [&](const LifeSpan& life) { return life.who == died->who; });
    if (open != nullptr) open->span.to = now;
    close_pause(died->who.node, now);
  } else if (const auto* changed = std::get_if<ClockChanged>(&record)) {
    read_clocks(now, changed->node);
  } else if (const auto* paused = std::get_if<NodePaused>(&record)) {
    recording_.pauses.push_back({paused->who.node, {now}});
  } else if (const auto* resumed = std::get_if<NodeResumed>(&record)) {
    close_pause(resumed->who.node, now);
  }
}

void Recorder::see_fault(TrueTime now, const Record& record) {
  if (const auto* began = std::get_if<FaultBegan>(&record)) {
    FaultSpan fault{began->id,
                    std::string(began->action),
                    std::string(began->what),
                    {began->nodes.begin(), began->nodes.end()},
                    {now}};
    if (began->duration == Duration{}) fault.span.to = now;
    recording_.faults.push_back(std::move(fault));
  } else if (const auto* over = std::get_if<FaultEnded>(&record)) {
    FaultSpan* open =
        open_span(recording_.faults, [&](const FaultSpan& fault) { return fault.id == over->id; });
    if (open != nullptr) open->span.to = now;
  } else if (std::holds_alternative<Healed>(record)) {
    recording_.healed = now;
  }
}

void Recorder::see_work(TrueTime now, const Record& record) {
  if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    const bool began = landed->landing == DeliveryOutcome::begun;
    if (began) follow_fire(now, *landed);
    recording_.work.push_back({landed->who,
                               names_.event(landed->item.event),
                               text_of(landed->item.token),
                               landed->landing,
                               {now, began ? TrueTime::max() : now},
                               {}});
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    const std::string what = names_.event(ended->item.event);
    WorkSpan* open = open_span(
        recording_.work, [&](const WorkSpan& work) { return work.who == ended->who && work.what == what; });
    if (open == nullptr) return;
    open->span.to = now;
    open->ending = ended->ending;
  }
}

// The first work of a slot says whether it is late.
void Recorder::follow_fire(TrueTime now, const WorkArrived& landed) {
  const reference::EventId& event = landed.item.event;
  if (event.run != 0) return;
  const auto known = committed_.find({event.schedule, event.slot});
  if (known == committed_.end()) return;
  const CommittedFire fire = known->second;
  committed_.erase(known);
  const Duration late = landed.store_now - fire.due;
  if (late <= kLateAfter) return;
  const TrueTime due = now - late;
  const bool led =
      std::any_of(recording_.beliefs.begin(), recording_.beliefs.end(),
                  [&](const BeliefSpan& belief) { return belief.span.from <= due && due < belief.span.to; });
  const LateBecause why = !led                            ? LateBecause::nobody_led
                          : now - fire.at > fire.at - due ? LateBecause::not_begun
                                                          : LateBecause::not_committed;
  recording_.late.push_back({now, landed.who, event.schedule, event.slot, late, why, names_.event(event)});
  if (listener_ != nullptr) listener_->slot_late(recording_.late.back());
}

RequestTrip* Recorder::trip(RequestId id) {
  const auto of_life = trips_.find(id.incarnation);
  if (of_life == trips_.end() || id.counter == 0 || id.counter > of_life->second.size()) return nullptr;
  return &recording_.requests[of_life->second[id.counter - 1]];
}

void Recorder::see_request(TrueTime now, const Record& record) {
  if (const auto* submitted = std::get_if<Submitted>(&record)) {
    RequestTrip asked;
    asked.id = submitted->id;
    asked.store = submitted->submission.store;
    asked.as_leader = submitted->submission.as_leader;
    asked.what = describe(submitted->submission.request);
    asked.decided = now;
    trips_[submitted->who].push_back(recording_.requests.size());
    recording_.requests.push_back(std::move(asked));
  } else if (const auto* left = std::get_if<RequestLeft>(&record)) {
    if (RequestTrip* known = trip(left->id)) known->left = now;
  } else if (const auto* arrived = std::get_if<RequestArrived>(&record)) {
    if (RequestTrip* known = trip(arrived->id)) known->arrived = now;
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    see_applied(now, *applied);
  } else if (const auto* returned = std::get_if<ReplyArrived>(&record)) {
    if (RequestTrip* known = trip(returned->id)) known->returned = now;
  } else if (const auto* heard = std::get_if<RequestAnswered>(&record)) {
    RequestTrip* known = trip(heard->id);
    if (known == nullptr) return;
    known->heard = now;
    known->outcome = heard->outcome;
    if (heard->outcome == RequestOutcome::applied) last_heard_[heard->id.incarnation] = {now, heard->id};
    // Of one that nobody waits for any more, what becomes of it is known later.
    if (listener_ != nullptr && heard->outcome != RequestOutcome::unknown)
      listener_->request_ended(now, *known);
  }
}

void Recorder::see_applied(TrueTime now, const Applied& applied) {
  if (RequestTrip* known = trip(applied.id)) {
    known->applied = now;
    known->reply = describe(applied.reply);
  }
  const auto* asked = reference_request<reference::CommitFires>(applied.request);
  const auto* answered = reference_reply<reference::Committed>(applied.reply);
  if (asked == nullptr || answered == nullptr) return;
  for (std::size_t i = 0; i < asked->rows.size(); ++i) {
    const reference::LedgerRow& row = asked->rows[i];
    if (answered->rows[i] != reference::RowResult::covered) continue;
    const bool fired = row.what == reference::Disposition::fired;
    if (fired) committed_[{row.schedule, row.slot}] = {row.due, now};
    const std::int64_t slots = fired ? row.slots - 1 : row.slots;
    if (slots == 0) continue;
    recording_.skipped.push_back({now, applied.store, applied.who, row.schedule, row.from, row.to, slots,
                                  fired ? reference::Disposition::coalesced : row.what,
                                  names_.slot(row.schedule, row.from)});
    if (listener_ != nullptr) listener_->slots_skipped(recording_.skipped.back());
  }
}

std::vector<RequestId> Recorder::requests_of(const Violation& violation) const {
  std::vector<RequestId> ids;
  const TrueTime since = violation.since.value_or(violation.at);
  for (const Incarnation who : violation.who) {
    const auto of_life = trips_.find(who);
    if (of_life == trips_.end()) continue;
    const RequestTrip* before = nullptr;
    for (const std::size_t place : of_life->second) {
      const RequestTrip& trip = recording_.requests[place];
      if (!trip.applied || *trip.applied > violation.at) continue;
      if (*trip.applied >= since)
        ids.push_back(trip.id);
      else if (before == nullptr || *before->applied <= *trip.applied)
        before = &trip;
    }
    if (before != nullptr) ids.insert(ids.begin(), before->id);
  }
  if (ids.size() > kRequestsMax) ids.erase(ids.begin(), ids.end() - kRequestsMax);
  return ids;
}

void Recorder::read_clocks(TrueTime now, NodeId node) {
  if (world_ == nullptr) return;
  const NodeClock& clock = world_->process(node).clock();
  const Duration elapsed = now - TrueTime{};
  const Duration mono = Duration::nanos(clock.mono(now).ns()) - elapsed;
  const auto [zero, first] = mono_zeros_.try_emplace(node, mono);
  const bool still = clock.suspended() || clock.stands_still();
  recording_.clocks.push_back({now, node, mono - zero->second,
                               Duration::nanos(clock.wall(now).ns() - scenario_.start_ns) - elapsed,
                               still ? 0 : clock.rate_ppm(), still});
  if (listener_ != nullptr) listener_->clock_read(recording_.clocks.back());
}

}  // namespace tenure::sim
