#include "lab/live/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lab/audit/definitions.h"
#include "lab/audit/event_order.h"
#include "lab/audit/findings.h"
#include "lab/audit/history.h"
#include "lab/audit/in_order.h"
#include "lab/audit/machine_view.h"
#include "lab/audit/machines.h"
#include "lab/audit/show_records.h"
#include "sim/checkers/metrics/metrics.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/run_history.h"
#include "sim/faults/registry.h"

namespace tenure::lab {
namespace {

// A checker, because these are what journals are shown to.
class Meter final : public sim::Checker {
 public:
  Meter(const sim::Scenario& scenario, const sim::View& view)
      : history_(scenario, view, NodeNames::by_id, sim::RunHistory::Scope::journals),
        collector_({scenario, view, &history_, NodeNames::by_id}) {}

  void see(sim::TrueTime now, const sim::Record& record) override {
    history_.see(now, record);
    collector_.see(now, record);
    parts_.see(now, record);
  }
  void finish(sim::TrueTime now) override {
    history_.finish(now);
    collector_.finish(now);
  }
  RunMeasures measures() const { return {collector_.metrics(), parts_.parts()}; }

 private:
  sim::RunHistory history_;
  sim::MetricsCollector collector_;
  PartsCollector parts_;
};

// What happened and no journal tells, in the order of time. Whose life it was is looked up when it is shown.
struct Outside {
  struct Paused {
    NodeId node;
    bool over = false;
  };
  struct Ended {
    NodeId node;
  };
  sim::TrueTime at;
  std::variant<sim::FaultBegan, sim::FaultEnded, sim::StoreFailedOver, sim::Healed, Paused, Ended> what;
};

std::vector<Outside> in_time(const std::vector<sim::FaultSpan>& faults, const OutsideFacts& facts,
                             const sim::Scenario& scenario) {
  std::vector<Outside> all;
  std::uint32_t branch = 0;
  for (const sim::FaultSpan& fault : faults) {
    const sim::FaultKind& kind = *sim::find_fault_kind(fault.action);
    sim::FaultBegan began;
    began.id = fault.id;
    began.action = kind.name;
    began.what = fault.text;
    began.nodes = fault.nodes;
    began.duration = kind.lasts ? fault.span.to - fault.span.from : Duration{};
    began.harm = kind.harm;
    all.push_back({fault.span.from, began});
    if (kind.lasts) all.push_back({fault.span.to, sim::FaultEnded{fault.id, kind.name}});
    if (kind.harm.manner == sim::Manner::fails_over)
      all.push_back({fault.span.to, sim::StoreFailedOver{{}, ++branch}});
  }
  for (const sim::PauseSpan& pause : facts.pauses) {
    all.push_back({pause.span.from, Outside::Paused{as_in_journals(pause.node), false}});
    all.push_back({pause.span.to, Outside::Paused{as_in_journals(pause.node), true}});
  }
  for (const ProcessEnd& end : facts.ends) all.push_back({end.at, Outside::Ended{as_in_journals(end.node)}});
  all.push_back({sim::TrueTime{} + scenario.duration, sim::Healed{}});
  std::stable_sort(all.begin(), all.end(), [](const Outside& a, const Outside& b) { return a.at < b.at; });
  return all;
}

class Replay {
 public:
  Replay(const JournalHistory& history, const sim::Scenario& scenario, const Moments& moments)
      : view_(moments), meter_(scenario, view_) {
    definitions_of(history).tell(meter_);
  }

  void see(const Moment& moment) {
    const sim::TrueTime before = std::max(now_, moment.at - Duration::nanos(1));
    const std::optional<NodeId> run_off = view_.advance(moment);
    if (run_off) meter_.see(before, sim::ClockChanged{*run_off});
    now_ = std::max(now_, moment.at);
    if (const auto* wrote = std::get_if<NodeWrote>(&moment.what)) see_line(*wrote->line);
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what))
      show_executed(meter_, now_, *executed);
    if (const auto* began = std::get_if<WorkBegan>(&moment.what)) see_work(*began);
  }

  void see(const Outside& outside) {
    now_ = std::max(now_, outside.at);
    if (const auto* began = std::get_if<sim::FaultBegan>(&outside.what)) meter_.see(now_, *began);
    if (const auto* ended = std::get_if<sim::FaultEnded>(&outside.what)) meter_.see(now_, *ended);
    if (const auto* over = std::get_if<sim::StoreFailedOver>(&outside.what)) meter_.see(now_, *over);
    if (std::holds_alternative<sim::Healed>(outside.what)) meter_.see(now_, sim::Healed{});
    if (const auto* paused = std::get_if<Outside::Paused>(&outside.what)) {
      const auto who = life_of(paused->node);
      if (!who) return;
      if (paused->over)
        meter_.see(now_, sim::NodeResumed{*who});
      else
        meter_.see(now_, sim::NodePaused{*who});
    }
    if (const auto* ended = std::get_if<Outside::Ended>(&outside.what)) {
      const auto who = life_of(ended->node);
      if (!who) return;
      lives_.erase(ended->node);
      meter_.see(now_, sim::NodeDied{*who, sim::Death::killed});
    }
  }

  RunMeasures finish(sim::TrueTime end) {
    meter_.finish(end);
    return meter_.measures();
  }

 private:
  std::optional<Incarnation> life_of(NodeId node) const {
    const auto known = lives_.find(node);
    return known != lives_.end() ? std::optional(known->second) : std::nullopt;
  }

  void see_line(const journal::Line& line) {
    if (std::holds_alternative<journal::LifeBegan>(line.event)) lives_[line.who.node] = line.who;
    if (life_of(line.who.node) != line.who) return;  // a last word that came when its end had been seen
    if (std::holds_alternative<journal::LifeEnded>(line.event)) lives_.erase(line.who.node);
    show_line(meter_, now_, line);
  }

  void see_work(const WorkBegan& began) {
    if (began.done != nullptr && landing_of(began.done->result) != sim::DeliveryOutcome::begun) return;
    meter_.see(now_,
               sim::WorkArrived{began.who, *began.item, sim::DeliveryOutcome::begun, view_.store_now({})});
  }

  MachineView view_;
  Meter meter_;
  sim::TrueTime now_;
  std::map<NodeId, Incarnation> lives_;  // those that go on
};

bool overlaps(const sim::Span& span, sim::TrueTime from, sim::TrueTime to) {
  return span.from <= to && from <= span.to;
}

bool disturbed(const OutsideFacts& facts, sim::TrueTime from, sim::TrueTime to) {
  const auto meets = [&](const auto& each) { return overlaps(each.span, from, to); };
  return std::any_of(facts.faults.begin(), facts.faults.end(), meets) ||
         std::any_of(facts.pauses.begin(), facts.pauses.end(), meets);
}

// From each start to the first answer of that life. `answers`: to a node as the scenario names it, in any order.
void add_starts(const OutsideFacts& facts, const std::map<NodeId, std::vector<sim::TrueTime>>& answers,
                MachineTimes& times) {
  std::map<NodeId, sim::TrueTime> next_start;
  for (auto start = facts.starts.rbegin(); start != facts.starts.rend(); ++start) {
    const auto later = next_start.find(start->node);
    const sim::TrueTime until = later != next_start.end() ? later->second : sim::TrueTime::max();
    next_start[start->node] = start->at;
    const auto heard = answers.find(start->node);
    if (heard == answers.end()) continue;
    sim::TrueTime first = until;
    for (const sim::TrueTime at : heard->second)
      if (at >= start->at) first = std::min(first, at);
    const bool paused =
        std::any_of(facts.pauses.begin(), facts.pauses.end(), [&](const sim::PauseSpan& pause) {
          return pause.node == start->node && overlaps(pause.span, start->at, first);
        });
    if (first < until && !paused)
      (start->first ? times.first_starts : times.restarts).push_back(first - start->at);
  }
}

}  // namespace

void MachineTimes::add(const MachineTimes& more) {
  const auto append = [](std::vector<Duration>& all, const std::vector<Duration>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const auto& [kind, trips] : more.round_trips) append(round_trips[kind], trips);
  append(first_starts, more.first_starts);
  append(restarts, more.restarts);
}

void PartsCollector::see(sim::TrueTime now, const sim::Record& record) {
  if (const auto* asked = std::get_if<sim::Submitted>(&record)) {
    if (sim::reference_request<reference::CommitFires>(asked->submission.request) != nullptr)
      commits_[asked->id] = now;
    return;
  }
  const auto* applied = std::get_if<sim::Applied>(&record);
  if (applied == nullptr) return;
  if (const auto asked = commits_.find(applied->id); asked != commits_.end()) {
    parts_.commits.add(now - asked->second);
    commits_.erase(asked);
  }
  if (sim::reference_reply<reference::Released>(applied->reply) != nullptr && applied->who == holder_)
    ends_ = now;
  if (const auto* granted = sim::reference_reply<reference::Granted>(applied->reply))
    take_grant(now, *applied, *granted);
}

void PartsCollector::take_grant(sim::TrueTime now, const sim::Applied& applied,
                                const reference::Granted& granted) {
  if (!holder_) parts_.first_grant = now;
  if (applied.who == holder_)
    parts_.renewals.add(now - granted_);
  else if (holder_)
    parts_.take_overs.add(std::max(now - ends_, Duration{}));
  holder_ = applied.who;
  granted_ = now;
  ends_ = now + granted.duration;
}

std::optional<LiveMeasures> measure_live(std::vector<NodeJournal> journals, const sim::Scenario& scenario,
                                         const OutsideFacts& facts) {
  AuditFindings findings;
  const auto ordered = orders_of(journals, findings);
  const auto* orders = std::get_if<Orders>(&ordered);
  if (orders == nullptr || !orders->apart.empty()) return std::nullopt;
  set_times(journals, orders->possible.front());
  const Duration shift = first_time(journals) - facts.began;
  const RealNames real = compact_ids(journals);
  const auto read = history_of(journals);
  const auto* history = std::get_if<JournalHistory>(&read);
  if (history == nullptr) return std::nullopt;
  auto merged = moments_of(*history);
  auto* moments = std::get_if<Moments>(&merged);
  if (moments == nullptr) return std::nullopt;
  for (Moment& moment : moments->moments) moment.at = moment.at + shift;

  sim::Scenario measured = scenario_of(real);
  measured.duration = scenario.duration;
  measured.tail = scenario.tail;
  std::vector<sim::FaultSpan> faults = facts.faults;
  for (sim::FaultSpan& fault : faults)
    for (NodeId& node : fault.nodes) node = as_in_journals(node);
  const std::vector<Outside> outside = in_time(faults, facts, scenario);
  const sim::TrueTime end = sim::TrueTime{} + scenario.duration + scenario.tail;

  Replay replay(*history, measured, *moments);
  std::size_t next = 0;
  const auto tell_outside = [&](sim::TrueTime until) {
    while (next < outside.size() && outside[next].at <= std::min(until, end)) replay.see(outside[next++]);
  };
  for (const Moment& moment : moments->moments) {
    if (moment.at > end) break;
    tell_outside(moment.at);
    replay.see(moment);
  }
  tell_outside(end);
  LiveMeasures live{replay.finish(end), {}};

  std::map<NodeId, std::vector<sim::TrueTime>> answers;
  std::set<std::pair<Incarnation, Part>> connected;
  history->for_each_call([&](const JournalCall& call) {
    const NodeId node = call.who().node;
    if (node.value == 0 || node.value > scenario.instances.size()) return;
    const auto* request = std::get_if<reference::Request>(&call.asked->submission.request);
    if (!call.applied() || request == nullptr) return;
    const sim::TrueTime from = call.sent + shift;
    const sim::TrueTime to = call.heard + shift;
    answers[NodeId{node.value - 1}].push_back(to);
    // The first one of a connection waits for that, too: it belongs to the start.
    const bool connects = connected.emplace(call.who(), call.asked->submission.part).second;
    if (!connects && to <= end && !disturbed(facts, from, to))
      live.times.round_trips[request->index()].push_back(to - from);
  });
  add_starts(facts, answers, live.times);
  return live;
}

std::vector<std::string> written_while_stopped(const std::vector<NodeJournal>& journals,
                                               const OutsideFacts& facts) {
  constexpr Duration kUntilSignalled = Duration::millis(200);
  std::map<NodeId, std::string> found;
  std::map<Incarnation, sim::TrueTime> began;
  const auto why_not = [&](Incarnation who, sim::TrueTime at) -> std::string_view {
    const sim::TrueTime first = began.try_emplace(who, at).first->second;
    for (const ProcessEnd& end : facts.ends)
      if (as_in_journals(end.node) == who.node && first < end.at && end.at + kUntilSignalled < at)
        return "after its process had ended";
    for (const sim::PauseSpan& pause : facts.pauses)
      if (as_in_journals(pause.node) == who.node && pause.span.from + kUntilSignalled < at &&
          at + kUntilSignalled < pause.span.to)
        return "while its process was paused";
    return {};
  };
  for (const NodeJournal* journal : in_time(journals))
    for (const PlacedLine& placed : journal->lines) {
      const sim::TrueTime at = sim::TrueTime{} + (placed.line.now.at - facts.began);
      const std::string_view why = why_not(placed.line.who, at);
      if (why.empty()) continue;
      found.try_emplace(
          placed.line.who.node,
          fmt::format("{} was written {}, so faults do not reach what writes it: COMMAND is to keep "
                      "its processes in its process group",
                      place_text(*journal, placed.number), why));
    }
  std::vector<std::string> all;
  for (auto& [node, text] : found) all.push_back(std::move(text));
  return all;
}

}  // namespace tenure::lab
