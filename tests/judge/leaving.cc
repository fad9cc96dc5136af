#include "tests/judge/leaving.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/model/describe.h"
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

// Of what the scheduler asked for since `led` began: was something refused or executed late after `since`, and by the
// fact `end`, or is it late then?
bool was_let_down(const History& history, const Led& led, std::size_t end, sim::TrueTime since,
                  Duration in_time) {
  std::map<RequestId, sim::TrueTime> open;
  for (std::size_t place = 0; place < end; ++place) {
    const Kept& kept = history.facts[place];
    if (kept.at < led.begin) continue;
    if (const auto* asked = std::get_if<KeptSubmission>(&kept.fact)) {
      if (asked->who == led.who && asked->submission.part == Part::scheduler) open[asked->id] = kept.at;
    } else if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
      const auto request = open.find(applied->id);
      if (applied->who != led.who || request == open.end()) continue;
      const bool refused = as_house<reference::CommitRefused>(applied->reply) != nullptr;
      if (kept.at > since && (refused || kept.at - request->second > in_time)) return true;
      open.erase(request);
    }
  }
  const sim::TrueTime now = history.facts[end].at;
  return std::any_of(open.begin(), open.end(), [&](const auto& one) { return now - one.second > in_time; });
}

bool is_to_stop(const History& history, Incarnation who, std::size_t end) {
  return std::any_of(history.facts.begin(), history.facts.begin() + static_cast<std::ptrdiff_t>(end),
                     [who](const Kept& kept) {
                       const auto* heard = std::get_if<sim::StopHeard>(&kept.fact);
                       return heard != nullptr && heard->who == who;
                     });
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

// Has it stepped down by itself in the step that ends with the fact `place`?
bool steps_down_at(const History& history, Incarnation who, std::size_t place) {
  for (std::size_t before = place; before-- > 0 && history.facts[before].at == history.facts[place].at;) {
    const auto* note = std::get_if<KeptNote>(&history.facts[before].fact);
    if (note != nullptr && note->who == who && std::holds_alternative<StepsDown>(note->note)) return true;
  }
  return false;
}

}  // namespace

std::vector<Wrong> left_for_nothing(const Case& run, const std::vector<Led>& leaderships, Duration after) {
  const History& history = run.history;
  const Duration in_time = run.scenario.scheduling.duration("request_timeout") / 2;
  std::vector<Wrong> wrongs;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Kept& kept = history.facts[place];
    const auto* release = std::get_if<KeptSubmission>(&kept.fact);
    if (release == nullptr || as_house<reference::Release>(release->submission.request) == nullptr) continue;
    const auto led = std::find_if(leaderships.begin(), leaderships.end(), [&](const Led& one) {
      return one.who == release->who && one.end == kept.at && one.begin < one.end;
    });
    if (led == leaderships.end() || !steps_down_at(history, led->who, place)) continue;
    if (is_to_stop(history, led->who, place) || has_unread(history, led->who.node, place)) continue;
    const sim::TrueTime since = kept.at - after;
    if (was_disturbed(history, since, kept.at)) continue;
    if (was_let_down(history, *led, place, since, in_time)) continue;
    wrongs.push_back({kept.at, describe(led->who) + " gives its lease back for nothing"});
  }
  return wrongs;
}

}  // namespace tenure::judging
