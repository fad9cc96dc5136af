// Tracks which worker runs which item, by what each declares: a worker reports in the step in which that changes.
//
// A worker that stands still runs nothing meanwhile, and goes on with what it had declared. A dead one runs nothing.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/placement/requests.h"
#include "sim/world/record.h"

namespace tenure::sim {

template <class Message>
const Message* placement_request(const Request& request) {
  const auto* family = message_as<placement::Request>(request);
  return family != nullptr ? std::get_if<Message>(family) : nullptr;
}
template <class Message>
const Message* placement_reply(const Reply& reply) {
  const auto* family = message_as<placement::Reply>(reply);
  return family != nullptr ? std::get_if<Message>(family) : nullptr;
}

class PlacementTracker {
 public:
  static constexpr std::uint32_t kReads = record_mask<Submitted, NodeDied, NodePaused, NodeResumed>();

  struct Run {
    Incarnation who;
    TrueTime since;
  };

  // What the last see() began, by item: the worker runs it from now on.
  const std::vector<std::int64_t>& begun() const { return begun_; }
  // Those who run the item now.
  std::vector<Run> runners(std::int64_t item) const {
    std::vector<Run> runners;
    for (const auto& [who, life] : lives_)
      if (const auto run = life.runs.find(item); !life.paused && run != life.runs.end())
        runners.push_back({who, run->second});
    return runners;
  }

  void see(TrueTime now, const Record& record) {
    begun_.clear();
    if (const auto* submitted = std::get_if<Submitted>(&record)) {
      if (const auto* report = placement_request<placement::ReportWork>(submitted->submission.request))
        declare(now, lives_[submitted->who], report->runs);
    } else if (const auto* died = std::get_if<NodeDied>(&record)) {
      lives_.erase(died->who);
    } else if (const auto* paused = std::get_if<NodePaused>(&record)) {
      lives_[paused->who].paused = true;
    } else if (const auto* resumed = std::get_if<NodeResumed>(&record)) {
      Life& life = lives_[resumed->who];
      life.paused = false;
      for (auto& [item, since] : life.runs) {
        since = now;
        begun_.push_back(item);
      }
    }
  }

 private:
  struct Life {
    bool paused = false;
    std::map<std::int64_t, TrueTime> runs;  // since when
  };

  void declare(TrueTime now, Life& life, const std::vector<std::int64_t>& runs) {
    const std::set<std::int64_t> declared(runs.begin(), runs.end());
    std::erase_if(life.runs, [&](const auto& each) { return !declared.contains(each.first); });
    for (const std::int64_t item : declared)
      if (life.runs.emplace(item, now).second) begun_.push_back(item);
  }

  std::map<Incarnation, Life> lives_;
  std::vector<std::int64_t> begun_;
};

}  // namespace tenure::sim
