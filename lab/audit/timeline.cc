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
#include "lab/audit/show_records.h"
#include "sim/runner/recorder.h"

namespace tenure::lab {
namespace {

constexpr Duration kClocksAgreeFor = Duration::seconds(60);

// The recorder of a simulation, shown what journals tell of one resource.
class TimelineBuilder {
 public:
  TimelineBuilder(const JournalHistory& history, const RealNames& real, ResourceId resource)
      : scenario_(scenario_of(real)), recorder_(scenario_, view_), resource_(resource) {
    made_.resource = resource;
    for (const auto& [who, life] : history.lives) {
      lanes_.try_emplace(who.node);
      last_line_[who] = life.lines.back().at;
    }
    for (std::uint32_t next = 0; auto& [node, lane] : lanes_) lane = NodeId{next++};
  }

  void see(const Moment& moment) {
    const std::optional<NodeId> run_off = view_.advance(moment);
    // As the checkers are told (in_order.cc).
    const sim::TrueTime before = std::max(now_, moment.at - Duration::nanos(1));
    if (run_off) recorder_.see(before, sim::ClockChanged{*run_off});
    now_ = moment.at;
    if (const auto* wrote = std::get_if<NodeWrote>(&moment.what); wrote && begins_late(*wrote->line)) {
      begun_late_.insert({wrote->line->who, now_});
      made_.silences.push_back({lane(wrote->line->who), {sim::TrueTime{}, now_}});
    }
    if (is_of_it(moment)) show_moment(recorder_, now_, moment);
  }

  AuditTimeline take(const JournalHistory& history, std::vector<sim::ViolationSpan> violations) {
    recorder_.finish(now_);
    sim::Recording& recording = made_.recording = recorder_.take();
    recording.pauses_known = false;
    for (const auto& [node, lane] : lanes_) recording.nodes.push_back(name_of_node(node));
    std::erase_if(recording.story, [&](const sim::NarratedEvent& told) { return is_no_start(told); });
    for (sim::NarratedEvent& told : recording.story) {
      if (!told.node) continue;
      told.line.who = name_of_node(*told.node);
      told.node = lanes_.at(*told.node);
    }
    for (sim::WorkSpan& work : recording.work)  // nothing came back of it
      if (work.span.to == sim::TrueTime::max() || work.ending == sim::Ending::died)
        work = {work.who, work.what, work.token, work.landing, {work.span.from, last_line_.at(work.who)}, {}};
    for (sim::LifeSpan& life : recording.lives) close_silent(life);
    const auto lay = [&](auto& spans) {
      for (auto& span : spans) span.who = lane(span.who);
    };
    lay(recording.lives), lay(recording.beliefs), lay(recording.holds), lay(recording.work),
        lay(recording.skipped);
    recording.requests.clear();
    history.for_each_call(resource_, [&](const JournalCall& call) { add(call); });
    std::stable_sort(
        recording.requests.begin(), recording.requests.end(),
        [](const sim::RequestTrip& a, const sim::RequestTrip& b) { return a.decided < b.decided; });
    for (sim::ViolationSpan& violation : violations) add(std::move(violation));
    std::stable_sort(
        recording.story.begin(), recording.story.end(),
        [](const sim::NarratedEvent& a, const sim::NarratedEvent& b) { return a.line.at < b.line.at; });
    return std::move(made_);
  }

 private:
  static std::string name_of_node(NodeId node) { return describe(Incarnation{node, 1}, NodeNames::by_id); }
  Incarnation lane(Incarnation who) const { return {lanes_.at(who.node), who.number}; }

  bool is_of_it(const Moment& moment) const {
    if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) {
      const auto* note = std::get_if<Note>(&wrote->line->event);
      const auto* believes = note != nullptr ? std::get_if<Believes>(note) : nullptr;
      const auto* down = note != nullptr ? std::get_if<StepsDown>(note) : nullptr;
      return (believes == nullptr || believes->resource == resource_) &&
             (down == nullptr || down->resource == resource_);
    }
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what))
      return sim::resource_of(executed->asked->submission.request) == resource_;
    if (const auto* began = std::get_if<WorkBegan>(&moment.what)) return began->item->resource == resource_;
    if (const auto* over = std::get_if<WorkOver>(&moment.what)) return over->item->resource == resource_;
    return false;
  }
  // Of a life whose beginning is in no journal.
  bool is_no_start(const sim::NarratedEvent& told) const {
    return told.kind == sim::StoryKind::process &&
           std::any_of(begun_late_.begin(), begun_late_.end(), [&](const auto& known) {
             return known.second == told.line.at && known.first.node == told.node;
           });
  }

  // A life knows when it asked and when it heard.
  void add(const JournalCall& call) {
    const auto& request = std::get<reference::Request>(call.asked->submission.request);
    sim::RequestTrip trip;
    trip.id = {lane(call.who()), call.asked->id.counter};
    trip.store = call.asked->submission.store;
    trip.as_leader = call.asked->submission.as_leader;
    trip.what = describe(request, NodeNames::by_id);
    trip.decided = call.sent;
    trip.followed = false;
    if (call.answered != nullptr) {
      trip.heard = call.heard;
      trip.outcome = call.answered->outcome;
    }
    if (call.applied()) trip.reply = describe(*call.answered->reply, NodeNames::by_id);
    if (call.in_doubt() && is_about_the_lease(call.asked->submission.request)) {
      ++made_.in_doubt;
      tell(call.sent, call.who().node, sim::StoryKind::lease,
           "asks, and hears no answer; the store may have done it: " + trip.what);
    }
    made_.recording.requests.push_back(std::move(trip));
  }
  void tell(sim::TrueTime at, std::optional<NodeId> node, sim::StoryKind kind, std::string text) {
    made_.recording.story.push_back({{at, node ? name_of_node(*node) : "", std::move(text), false},
                                     kind,
                                     node ? std::optional(lanes_.at(*node)) : std::nullopt,
                                     {},
                                     false,
                                     false});
  }

  // Invariant 4. A later life of the node ends the silence of an earlier one.
  void close_silent(sim::LifeSpan& life) {
    if (life.span.to != sim::TrueTime::max()) return;
    life.span.to = last_line_.at(life.who);
    sim::TrueTime until = made_.recording.end;
    for (const sim::LifeSpan& other : made_.recording.lives)
      if (other.who.node == life.who.node && other.span.from > life.span.from)
        until = std::min(until, other.span.from);
    if (until > life.span.to) made_.silences.push_back({lane(life.who), {life.span.to, until}});
  }

  void add(sim::ViolationSpan violation) {
    for (NodeId& node : violation.nodes) node = lanes_.at(node);
    tell(violation.span.to, {}, sim::StoryKind::violation,
         "violation of " + violation.checker + ": " + violation.message);
    made_.recording.violations.push_back(std::move(violation));
  }

  AuditTimeline made_;
  const sim::Scenario scenario_;
  MachineView view_;
  sim::Recorder recorder_;
  const ResourceId resource_;
  sim::TrueTime now_;
  std::map<NodeId, NodeId> lanes_;
  std::map<Incarnation, sim::TrueTime> last_line_;
  std::set<std::pair<Incarnation, sim::TrueTime>> begun_late_;
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
  for (const Moment& moment : moments->moments) builder.see(moment);
  AuditTimeline timeline = builder.take(history, std::move(violations));
  timeline.resources = resources.size();
  timeline.zero = store_date_of(history);
  return timeline;
}

}  // namespace tenure::lab
