#include "tests/judge/leaving.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

// Was a fault there between the two?
bool was_disturbed(const History& history, sim::TrueTime from, sim::TrueTime to) {
  std::set<std::uint64_t> lasting;
  for (const Kept& kept : history.facts) {
    if (kept.at > to) break;
    const auto* fault = std::get_if<KeptFault>(&kept.fact);
    const bool heals = std::holds_alternative<sim::Healed>(kept.fact);
    if (fault == nullptr && !heals) continue;
    if (kept.at > from) return true;
    if (heals) lasting.clear();
    if (fault != nullptr && !fault->begins) lasting.erase(fault->id);
    if (fault != nullptr && fault->begins && fault->lasts) lasting.insert(fault->id);
  }
  return !lasting.empty();
}

// Within that a store that works executes what each part asks for.
struct InTime {
  Duration elector = Duration::max();
  Duration scheduler;
};
InTime in_time_of(const sim::Scenario& scenario) {
  InTime in_time{Duration::max(), scenario.scheduling.duration("request_timeout") / 2};
  for (const sim::InstanceSetting& instance : scenario.instances)
    if (instance.election.find("request_timeout") >= 0)
      in_time.elector = std::min(in_time.elector, instance.election.duration("request_timeout") / 2);
  return in_time;
}

// Of what it asked for since `led` began: was something refused or executed late after `since`, and by the fact `end`,
// or is it late then?
bool was_let_down(const History& history, const Led& led, std::size_t end, sim::TrueTime since,
                  const InTime& in_time) {
  struct Open {
    sim::TrueTime asked;
    Duration in_time;
  };
  std::map<RequestId, Open> open;
  for (std::size_t place = 0; place < end; ++place) {
    const Kept& kept = history.facts[place];
    if (kept.at < led.begin) continue;
    if (const auto* asked = std::get_if<KeptSubmission>(&kept.fact)) {
      const bool elects = asked->submission.part == Part::elector;
      if (asked->who == led.who) open[asked->id] = {kept.at, elects ? in_time.elector : in_time.scheduler};
    } else if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
      const auto request = open.find(applied->id);
      if (applied->who != led.who || request == open.end()) continue;
      const bool refused = as_house<reference::CommitRefused>(applied->reply) != nullptr ||
                           as_house<reference::Refused>(applied->reply) != nullptr;
      const bool late = kept.at - request->second.asked > request->second.in_time;
      if (kept.at > since && (refused || late)) return true;
      open.erase(request);
    }
  }
  const sim::TrueTime now = history.facts[end].at;
  return std::any_of(open.begin(), open.end(),
                     [&](const auto& one) { return now - one.second.asked > one.second.in_time; });
}

// What it commits after it has heard of the stop shows that it goes on.
bool is_to_stop(const History& history, Incarnation who, std::size_t end) {
  bool stops = false;
  for (std::size_t place = 0; place < end; ++place) {
    const Fact& fact = history.facts[place].fact;
    const auto* heard = std::get_if<sim::StopHeard>(&fact);
    const auto* sent = std::get_if<KeptSubmission>(&fact);
    if (heard != nullptr && heard->who == who) stops = true;
    if (sent != nullptr && sent->who == who &&
        as_house<reference::CommitFires>(sent->submission.request) != nullptr)
      stops = false;
  }
  return stops;
}

bool has_unread(const History& history, NodeId node, std::size_t end) {
  std::set<ScheduleId> unread;
  for (std::size_t place = 0; place < end; ++place) {
    const auto* read = std::get_if<sim::DefinitionRead>(&history.facts[place].fact);
    if (read == nullptr || read->node != node) continue;
    if (read->readable)
      unread.erase(read->schedule);
    else
      unread.insert(read->schedule);
  }
  return !unread.empty();
}

}  // namespace

std::vector<Wrong> left_for_nothing(const Case& run, const std::vector<Led>& leaderships, Duration after) {
  const History& history = run.history;
  const sim::Scenario& scenario = run.scenario;
  std::vector<Wrong> wrongs;
  if (scenario.protocol->store == nullptr || !scenario.protocol->store->issues_tokens) return wrongs;
  const InTime in_time = in_time_of(scenario);
  const std::vector<Belief> all = beliefs(history);
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Kept& kept = history.facts[place];
    const auto* note = std::get_if<KeptNote>(&kept.fact);
    if (note == nullptr || !std::holds_alternative<StepsDown>(note->note)) continue;
    const bool ends_by_it = std::any_of(all.begin(), all.end(), [&](const Belief& belief) {
      return belief.who == note->who && belief.until == place;
    });
    if (!ends_by_it) continue;  // it was over
    const auto led = std::find_if(leaderships.begin(), leaderships.end(), [&](const Led& one) {
      return one.who == note->who && one.end == kept.at && one.begin < one.end;
    });
    if (led == leaderships.end()) continue;
    if (is_to_stop(history, led->who, place) || has_unread(history, led->who.node, place)) continue;
    const sim::TrueTime since = kept.at - after;
    if (was_disturbed(history, since, kept.at)) continue;
    if (was_let_down(history, *led, place, since, in_time)) continue;
    wrongs.push_back({kept.at, describe(led->who) + " leads no more for nothing"});
  }
  return wrongs;
}

}  // namespace tenure::judging
