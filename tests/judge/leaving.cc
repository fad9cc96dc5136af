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
// or is it late when it leads no more?
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
      const bool refused = as_reference<reference::CommitRefused>(applied->reply) != nullptr ||
                           as_reference<reference::Refused>(applied->reply) != nullptr;
      const bool late = kept.at - request->second.asked > request->second.in_time;
      if (kept.at > since && (refused || late)) return true;
      open.erase(request);
    }
  }
  return std::any_of(open.begin(), open.end(),
                     [&](const auto& one) { return led.end - one.second.asked > one.second.in_time; });
}

// Is each renewal answered before the belief in the one before it ends, as long as nothing is broken? Only if the
// settings are safe, no segment is lost, and the slowest answer comes in time. What a design of a user does is its own.
bool renewals_come_in_time(const sim::Scenario& scenario) {
  if (scenario.protocol->design != nullptr || scenario.network.loss_ppm > 0) return false;
  const auto requests = static_cast<std::int64_t>(scenario.instances.size()) * 2 + 2;
  const Duration answer = scenario.departure.max() + scenario.network.latency.max() * 2 +
                          scenario.store.latency.max() * (1 + (requests - 1) / scenario.store.concurrent);
  std::vector<Parameters> settings;
  for (const sim::InstanceSetting& instance : scenario.instances) settings.push_back(instance.election);
  for (const sim::FaultSetting& fault : scenario.faults)
    if (fault.with_election) settings.push_back(*fault.with_election);
  for (const Parameters& election : settings) {
    if (election.find("request_timeout") < 0 || answer >= election.duration("request_timeout")) return false;
    for (const Complaint& complaint : scenario.protocol->validate(election))
      if (!complaint.warning) return false;
  }
  return true;
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
        as_reference<reference::CommitFires>(sent->submission.request) != nullptr)
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
  const bool in_time_at_rest = renewals_come_in_time(scenario);
  for (const Belief& belief : beliefs(history)) {
    const bool ran_out = belief.until == history.facts.size() && belief.end < history.end;
    const auto* note = belief.until == history.facts.size()
                           ? nullptr
                           : std::get_if<KeptNote>(&history.facts[belief.until].fact);
    const bool stepped_down =
        note != nullptr && note->who == belief.who && std::holds_alternative<StepsDown>(note->note);
    if (!stepped_down && !(ran_out && in_time_at_rest)) continue;
    const auto led = std::find_if(leaderships.begin(), leaderships.end(), [&](const Led& one) {
      return one.who == belief.who && one.end == belief.end && one.begin < one.end;
    });
    if (led == leaderships.end()) continue;
    const auto place = static_cast<std::size_t>(
        stepped_down ? belief.until
                     : std::lower_bound(history.facts.begin(), history.facts.end(), led->end,
                                        [](const Kept& kept, sim::TrueTime at) { return kept.at < at; }) -
                           history.facts.begin());
    if (is_to_stop(history, led->who, place) || has_unread(history, led->who.node, place)) continue;
    const sim::TrueTime since = led->end - after;
    if (was_disturbed(history, since, led->end)) continue;
    if (was_let_down(history, *led, place, since, in_time)) continue;
    wrongs.push_back({led->end, describe(led->who) + " leads no more for nothing"});
  }
  return wrongs;
}

}  // namespace tenure::judging
