#include "lab/audit/timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/event_order.h"
#include "lab/audit/history.h"
#include "lab/audit/in_order.h"
#include "lab/audit/machine_view.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/belief_tracker.h"

namespace tenure::lab {
namespace {

constexpr Duration kClocksAgreeFor = Duration::seconds(60);

std::string token_text(const std::optional<Token>& token) { return token ? describe(*token) : ""; }

std::string_view words_for(sim::BeliefChange::Ending how) {
  switch (how) {
    case sim::BeliefChange::Ending::stepped_down: return "stepped down";
    case sim::BeliefChange::Ending::died: return "died";
    case sim::BeliefChange::Ending::reached: break;
  }
  return "its time ran out";
}

class TimelineBuilder {
 public:
  TimelineBuilder(const JournalHistory& history, const RealNames& real, ResourceId resource)
      : names_(scenario_of(real), NodeNames::by_id), beliefs_(view_), resource_(resource) {
    std::set<NodeId> nodes;
    for (const auto& [who, life] : history.lives) {
      nodes.insert(who.node);
      last_line_[who] = life.lines.back().at;
    }
    for (const NodeId node : nodes) {
      lanes_.emplace(node, NodeId{static_cast<std::uint32_t>(lanes_.size())});
      made_.recording.nodes.push_back(name_of_node(node));
    }
    made_.resource = resource;
    made_.recording.pauses_known = false;
    made_.recording.stores = {"store"};
  }

  // A life knows when it asked and when it heard.
  void add_requests(const JournalHistory& history) {
    std::vector<sim::RequestTrip>& requests = made_.recording.requests;
    history.for_each_call(resource_, [&](const JournalCall& call) {
      sim::RequestTrip trip;
      trip.id = {lane(call.who()), call.asked->id.counter};
      trip.store = call.asked->submission.store;
      trip.as_leader = call.asked->submission.as_leader;
      trip.what = describe(std::get<reference::Request>(call.asked->submission.request), NodeNames::by_id);
      trip.decided = call.sent;
      trip.followed = false;
      if (call.answered != nullptr) {
        trip.heard = call.heard;
        trip.outcome = call.answered->outcome;
      }
      if (call.applied()) trip.reply = describe(*call.answered->reply, NodeNames::by_id);
      requests.push_back(std::move(trip));
    });
    std::stable_sort(
        requests.begin(), requests.end(),
        [](const sim::RequestTrip& a, const sim::RequestTrip& b) { return a.decided < b.decided; });
  }

  void see(const Moment& moment) {
    const std::optional<NodeId> run_off = view_.advance(moment);
    // As the checkers are told (in_order.cc).
    now_ = std::max(now_, moment.at - Duration::nanos(1));
    if (run_off) follow_beliefs(sim::ClockChanged{*run_off});
    now_ = moment.at;
    beliefs_.advance(now_);
    tell_beliefs();
    if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) see_line(*wrote->line);
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what)) see_executed(*executed);
    if (const auto* open = std::get_if<MayHaveExecuted>(&moment.what)) see_doubt(*open);
    if (const auto* began = std::get_if<WorkBegan>(&moment.what)) see_work(*began);
    if (const auto* over = std::get_if<WorkOver>(&moment.what)) see_work_over(*over);
  }

  AuditTimeline take(std::vector<sim::ViolationSpan> violations) {
    beliefs_.advance(now_);
    tell_beliefs();
    sim::Recording& recording = made_.recording;
    recording.end = now_;
    for (sim::LifeSpan& life : recording.lives) close_silent(life);
    for (sim::ViolationSpan& violation : violations) add(std::move(violation));
    std::stable_sort(
        recording.story.begin(), recording.story.end(),
        [](const sim::NarratedEvent& a, const sim::NarratedEvent& b) { return a.line.at < b.line.at; });
    return std::move(made_);
  }

 private:
  static std::string name_of_node(NodeId node) { return describe(Incarnation{node, 1}, NodeNames::by_id); }
  NodeId lane(NodeId node) const { return lanes_.at(node); }
  Incarnation lane(Incarnation who) const { return {lane(who.node), who.number}; }

  void tell(sim::TrueTime at, Incarnation who, sim::StoryKind kind, std::string text) {
    made_.recording.story.push_back(
        {{at, name_of_node(who.node), std::move(text), false}, kind, lane(who.node), {}, false, false});
  }

  void see_line(const journal::Line& line) {
    const Incarnation who = line.who;
    if (std::holds_alternative<journal::LifeBegan>(line.event)) {
      if (begins_late(line)) made_.silences.push_back({lane(who), {sim::TrueTime{}, now_}});
      made_.recording.lives.push_back({lane(who), {now_}});
      if (!begins_late(line)) tell(now_, who, sim::StoryKind::process, "starts");
    } else if (const auto* ended = std::get_if<journal::LifeEnded>(&line.event)) {
      for (sim::LifeSpan& life : made_.recording.lives)
        if (life.who == lane(who) && life.span.to == sim::TrueTime::max()) life.span.to = now_;
      follow_beliefs(sim::NodeDied{who, ended->stopped ? sim::Death::stopped : sim::Death::killed});
      tell(now_, who, sim::StoryKind::process, ended->stopped ? "has stopped" : "is abandoned");
    } else if (const auto* note = std::get_if<Note>(&line.event)) {
      see_note(who, *note);
    } else if (std::holds_alternative<StopAsked>(line.event)) {
      tell(now_, who, sim::StoryKind::process, "hears that it is to stop");
    }
  }

  void see_note(Incarnation who, const Note& note) {
    if (const auto* believes = std::get_if<Believes>(&note); believes && believes->resource != resource_)
      return;
    if (const auto* down = std::get_if<StepsDown>(&note)) {
      if (down->resource != resource_) return;
      tell(now_, who, sim::StoryKind::leadership, "steps down");
    }
    if (const auto* alarm = std::get_if<ClockAlarm>(&note))
      tell(now_, who, sim::StoryKind::clock, "sees the store's clock jump by " + describe(alarm->jump));
    follow_beliefs(sim::Noted{who, note});
  }

  void see_executed(const StoreExecuted& executed) {
    const Request& request = executed.asked->submission.request;
    if (sim::resource_of(request) != resource_) return;
    const Incarnation who = executed.asked->id.incarnation;
    std::vector<sim::HoldSpan>& holds = made_.recording.holds;
    sim::HoldSpan* held =
        !holds.empty() && holds.back().span.to == sim::TrueTime::max() ? &holds.back() : nullptr;
    if (const auto* granted = executed.answered->reply_as<reference::Granted>()) {
      if (held != nullptr && held->who == lane(who) && held->token == granted->token) return;
      if (held != nullptr) held->span.to = now_;
      holds.push_back({lane(who), {now_}, granted->token});
      tell(now_, who, sim::StoryKind::lease,
           "has been given the lease by the store (" + describe(granted->token) + ")");
    } else if (executed.answered->reply_as<reference::Released>() != nullptr) {
      if (held != nullptr && held->who == lane(who)) held->span.to = now_;
      tell(now_, who, sim::StoryKind::lease, "has released the lease");
    } else if (const auto* refused = executed.answered->reply_as<reference::CommitRefused>()) {
      tell(now_, who, sim::StoryKind::store,
           "was refused by the store: " + std::string(tenure::name_of(refused->why)));
    }
  }

  void see_doubt(const MayHaveExecuted& open) {
    if (sim::resource_of(open.asked->submission.request) != resource_) return;
    ++made_.in_doubt;
    tell(now_, open.asked->id.incarnation, sim::StoryKind::lease,
         "asks, and hears no answer; the store may have done it: " +
             describe(std::get<reference::Request>(open.asked->submission.request), NodeNames::by_id));
  }

  void see_work(const WorkBegan& began) {
    if (began.item->resource != resource_) return;
    const std::string what = names_.event(began.item->event);
    sim::DeliveryOutcome landing = sim::DeliveryOutcome::begun;
    if (began.done != nullptr) {
      if (began.done->result == WorkResult::fenced) landing = sim::DeliveryOutcome::fenced;
      if (began.done->result == WorkResult::running) landing = sim::DeliveryOutcome::running;
      if (began.done->result == WorkResult::duplicate) landing = sim::DeliveryOutcome::duplicate;
    }
    const bool begun = landing == sim::DeliveryOutcome::begun;
    made_.recording.work.push_back({lane(began.who),
                                    what,
                                    token_text(began.item->token),
                                    landing,
                                    {now_, begun ? sim::TrueTime::max() : now_},
                                    {}});
    std::string text = "begins " + what;
    if (landing == sim::DeliveryOutcome::fenced) text = "is fenced off by the resource: " + what;
    if (landing == sim::DeliveryOutcome::running)
      text = "delivers " + what + " again; its work is still running";
    if (landing == sim::DeliveryOutcome::duplicate) text = "delivers " + what + " again; it was begun before";
    if (began.done == nullptr) text += "; nothing came back of it: it may have been refused";
    tell(now_, began.who, sim::StoryKind::work, std::move(text));
  }

  void see_work_over(const WorkOver& over) {
    if (over.item->resource != resource_) return;
    const std::string what = names_.event(over.item->event);
    std::vector<sim::WorkSpan>& work = made_.recording.work;
    const auto open = std::find_if(work.rbegin(), work.rend(), [&](const sim::WorkSpan& one) {
      return one.who == lane(over.who) && one.what == what && one.span.to == sim::TrueTime::max();
    });
    if (open == work.rend()) return;
    open->span.to = now_;
    if (over.done == nullptr) return;  // how it ended is not known
    open->ending = over.done->result == WorkResult::stopped  ? sim::Ending::stopped
                   : over.done->result == WorkResult::failed ? sim::Ending::failed
                                                             : sim::Ending::done;
    if (*open->ending != sim::Ending::done)
      tell(now_, over.who, sim::StoryKind::work,
           (*open->ending == sim::Ending::stopped ? "stops " : "fails at ") + what);
  }

  void follow_beliefs(const sim::Record& record) {
    beliefs_.see(now_, record);
    tell_beliefs();
  }
  void tell_beliefs() {
    for (const sim::BeliefChange& change : beliefs_.changes()) {
      const Incarnation who = change.belief.who;
      const std::string token = token_text(change.belief.token);
      if (change.what == sim::BeliefChange::What::began) {
        open_[who] = made_.recording.beliefs.size();
        made_.recording.beliefs.push_back({lane(who), {change.at}, token, ""});
        tell(change.at, who, sim::StoryKind::leadership, token.empty() ? "leads" : "leads (" + token + ")");
        continue;
      }
      const auto open = open_.find(who);
      if (open == open_.end()) continue;
      sim::BeliefSpan& belief = made_.recording.beliefs[open->second];
      if (change.what == sim::BeliefChange::What::extended) {
        belief.token = token;
        continue;
      }
      belief.span.to = change.at;
      belief.end = words_for(change.how);
      open_.erase(open);
      if (change.how == sim::BeliefChange::Ending::reached)
        tell(change.at, who, sim::StoryKind::leadership, "believes no longer: its time ran out");
    }
  }

  // Invariant 4. A later life of the node ends the silence of an earlier one.
  void close_silent(sim::LifeSpan& life) {
    if (life.span.to != sim::TrueTime::max()) return;
    for (const auto& [who, last] : last_line_)
      if (lane(who) == life.who) life.span.to = last;
    sim::TrueTime until = made_.recording.end;
    for (const sim::LifeSpan& other : made_.recording.lives)
      if (other.who.node == life.who.node && other.span.from > life.span.from)
        until = std::min(until, other.span.from);
    if (until > life.span.to) made_.silences.push_back({life.who, {life.span.to, until}});
  }

  void add(sim::ViolationSpan violation) {
    for (NodeId& node : violation.nodes) node = lane(node);
    made_.recording.story.push_back(
        {{violation.span.to, "", "violation of " + violation.checker + ": " + violation.message, false},
         sim::StoryKind::violation,
         {},
         {},
         false,
         false});
    made_.recording.violations.push_back(std::move(violation));
  }

  AuditTimeline made_;
  sim::Names names_;
  MachineView view_;
  sim::BeliefTracker beliefs_;
  const ResourceId resource_;
  sim::TrueTime now_;
  std::map<NodeId, NodeId> lanes_;
  std::map<Incarnation, sim::TrueTime> last_line_;
  std::map<Incarnation, std::size_t> open_;  // beliefs that last, by their places
};

// An answer's time of the store was between its sending and its hearing.
std::optional<StoreDate> store_date_of(const JournalHistory& history) {
  std::optional<sim::TrueTime> first;
  for (const auto& [who, life] : history.lives)
    for (const JournalCall& call : life.calls)
      if (call.applied()) first = std::min(first.value_or(call.heard), call.heard);
  if (!first) return std::nullopt;
  StoreDate date{StoreTime::min(), StoreTime::max()};
  for (const auto& [who, life] : history.lives)
    for (const JournalCall& call : life.calls) {
      if (!call.applied() || call.heard > *first + kClocksAgreeFor) continue;
      date.earliest = std::max(date.earliest, call.at() - (call.heard - sim::TrueTime{}));
      date.latest = std::min(date.latest, call.at() - (call.sent - sim::TrueTime{}));
    }
  return date.earliest <= date.latest ? std::optional(date) : std::nullopt;
}

}  // namespace

std::optional<AuditTimeline> timeline_of(const JournalHistory& history, const RealNames& real,
                                         std::vector<sim::ViolationSpan> violations) {
  const auto merged = moments_of(history);
  const auto* moments = std::get_if<Moments>(&merged);
  if (moments == nullptr) return std::nullopt;
  const std::set<ResourceId> resources = history.resources();
  TimelineBuilder builder(history, real, resources.empty() ? ResourceId{} : *resources.begin());
  builder.add_requests(history);
  for (const Moment& moment : moments->moments) builder.see(moment);
  AuditTimeline timeline = builder.take(std::move(violations));
  timeline.resources = resources.size();
  timeline.zero = store_date_of(history);
  return timeline;
}

}  // namespace tenure::lab
