// Who runs which item, and who assigned it: each item by one worker at a time, and each assignment over the one that
// its leader knew.
#include <map>
#include <set>
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

// What each life has last said that it runs, and who stands still.
class Runners {
 public:
  void see(const Fact& fact) {
    if (const auto* sent = std::get_if<KeptSubmission>(&fact)) {
      if (const auto* report = as_placement<placement::ReportWork>(sent->submission.request))
        runs_[sent->who] = {report->runs.begin(), report->runs.end()};
    } else if (const auto* died = std::get_if<sim::NodeDied>(&fact)) {
      runs_.erase(died->who);
    } else if (const auto* paused = std::get_if<sim::NodePaused>(&fact)) {
      still_.insert(paused->who);
    } else if (const auto* resumed = std::get_if<sim::NodeResumed>(&fact)) {
      still_.erase(resumed->who);
    }
  }
  // Items that two run.
  std::set<std::int64_t> twice() const {
    std::set<std::int64_t> once;
    std::set<std::int64_t> twice;
    for (const auto& [who, items] : runs_)
      for (const std::int64_t item : items)
        if (!still_.contains(who) && !once.insert(item).second) twice.insert(item);
    return twice;
  }

 private:
  std::map<Incarnation, std::set<std::int64_t>> runs_;
  std::set<Incarnation> still_;
};

}  // namespace

// What is over at the instant at which it begins is beside nothing; nor what begins at the very end.
std::vector<Wrong> items_run_once(const Case& run) {
  std::vector<Wrong> wrongs;
  Runners runners;
  sim::TrueTime now;
  for (const Kept& kept : run.history.facts) {
    if (kept.at > now)
      for (const std::int64_t item : runners.twice())
        wrongs.push_back({now, "two run item " + std::to_string(item)});
    now = kept.at;
    runners.see(kept.fact);
  }
  if (run.history.end > now)
    for (const std::int64_t item : runners.twice())
      wrongs.push_back({now, "two run item " + std::to_string(item)});
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

}  // namespace tenure::judging
