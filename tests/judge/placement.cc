// Who runs which item, and who assigned it: each item by one worker at a time, each assignment over the one that its
// leader knew, and in the end everything by somebody.
#include <algorithm>
#include <map>
#include <string>

#include "core/model/describe.h"
#include "sim/stores/placement/requests.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {
namespace {

template <class Message, class Any>
const Message* as_placement(const Any& any) {
  using Family = std::conditional_t<std::is_same_v<Any, Request>, placement::Request, placement::Reply>;
  const auto* family = message_as<Family>(any);
  return family != nullptr ? std::get_if<Message>(family) : nullptr;
}

// A worker runs an item, and stands.
struct Run {
  std::int64_t item = 0;
  Incarnation who;
  sim::TrueTime begin;
  sim::TrueTime end;
};

// One life's: from each report to what ends it.
std::vector<Run> runs_of(const History& history, Incarnation who) {
  std::vector<Run> runs;
  std::map<std::int64_t, sim::TrueTime> open;
  bool stands = true;
  const auto close = [&](sim::TrueTime at, const auto& ends) {
    for (auto it = open.begin(); it != open.end();) {
      if (!ends(it->first)) {
        ++it;
        continue;
      }
      runs.push_back({it->first, who, it->second, at});
      it = open.erase(it);
    }
  };
  std::vector<std::int64_t> declared;
  const auto all = [](std::int64_t) { return true; };
  for (const Kept& kept : history.facts) {
    if (const auto* sent = std::get_if<KeptSubmission>(&kept.fact)) {
      if (!(sent->who == who)) continue;
      const auto* report = as_placement<placement::ReportWork>(sent->submission.request);
      if (report == nullptr) continue;
      declared = report->runs;
      close(kept.at, [&](std::int64_t item) {
        return std::find(declared.begin(), declared.end(), item) == declared.end();
      });
      if (stands)
        for (const std::int64_t item : declared) open.emplace(item, kept.at);
    } else if (const auto* died = std::get_if<sim::NodeDied>(&kept.fact)) {
      if (!(died->who == who)) continue;
      close(kept.at, all);
      return runs;
    } else if (const auto* paused = std::get_if<sim::NodePaused>(&kept.fact)) {
      if (!(paused->who == who)) continue;
      stands = false;
      close(kept.at, all);
    } else if (const auto* resumed = std::get_if<sim::NodeResumed>(&kept.fact)) {
      if (!(resumed->who == who)) continue;
      stands = true;
      for (const std::int64_t item : declared) open.emplace(item, kept.at);
    }
  }
  close(sim::TrueTime::max(), all);
  return runs;
}

std::vector<Run> all_runs(const History& history) {
  std::vector<Run> runs;
  for (const Kept& kept : history.facts)
    if (const auto* started = std::get_if<sim::NodeStarted>(&kept.fact))
      for (const Run& run : runs_of(history, started->who)) runs.push_back(run);
  return runs;
}

}  // namespace

std::vector<Wrong> items_run_once(const Case& run) {
  std::vector<Wrong> wrongs;
  const std::vector<Run> runs = all_runs(run.history);
  for (const Run& one : runs)
    for (const Run& other : runs) {
      if (one.item != other.item || one.who == other.who) continue;
      const sim::TrueTime from = std::max(one.begin, other.begin);
      // Without length it is beside nothing; nor at the very end, where nobody can see that it went on.
      if (from >= std::min({one.end, other.end, run.history.end})) continue;
      wrongs.push_back({from, "item " + std::to_string(one.item) + " is run by " + describe(one.who) +
                                  " and " + describe(other.who)});
    }
  return wrongs;
}

std::vector<Wrong> no_stale_assignment(const Case& run) {
  std::vector<Wrong> wrongs;
  std::map<std::int64_t, std::int64_t> versions;
  std::map<std::int64_t, std::int64_t> of_replica;
  for (const Kept& kept : run.history.facts) {
    if (std::holds_alternative<sim::StoreReplicaStalled>(kept.fact)) of_replica = versions;
    if (std::holds_alternative<sim::StoreFailedOver>(kept.fact)) versions = of_replica;
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr || as_placement<placement::Assigned>(applied->reply) == nullptr) continue;
    const auto* assign = as_placement<placement::AssignItem>(applied->request);
    std::int64_t& version = versions[assign->item];
    if (assign->seen != version)
      wrongs.push_back({kept.at, describe(applied->who) + " assigns item " + std::to_string(assign->item) +
                                     " by another version than it has"});
    ++version;
  }
  return wrongs;
}

std::vector<Wrong> items_placed(const Case& run) {
  std::vector<Wrong> wrongs;
  const std::vector<Run> runs = all_runs(run.history);
  for (std::int64_t item = 1; item <= run.scenario.scheduling.number("items"); ++item) {
    const bool placed = std::any_of(runs.begin(), runs.end(), [&](const Run& each) {
      return each.item == item && each.end == sim::TrueTime::max();
    });
    if (!placed) wrongs.push_back({run.history.end, "nobody runs item " + std::to_string(item)});
  }
  return wrongs;
}

}  // namespace tenure::judging
