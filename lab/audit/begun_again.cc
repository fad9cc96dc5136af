// Which work was begun again as "at least once" has it, and which is a duplicate.
#include <algorithm>
#include <map>
#include <optional>

#include "lab/audit/fire_evidence.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

// A life that goes on for longer than this after the end of work, and does not even try to tell the store,
// does not mean to: what others then do again is its bug.
constexpr Duration kTellsWithin = Duration::seconds(60);

struct DoneWork {
  Incarnation who;
  const WorkItem* item = nullptr;
  TrueTime began;
  std::optional<TrueTime> done;
};

// Whether the store may not have heard by `again` that this was done.
bool store_may_not_know(const DoneWork& work, const LifeHistory& life, TrueTime again) {
  bool tried = false;
  TrueTime last = *work.done;
  for (const LifeLine& line : life.lines)
    if (line.at <= again) last = std::max(last, line.at);
  for (const JournalCall& call : life.calls) {
    const auto* ack = reference_request<reference::AckEvents>(call.asked->submission.request);
    if (ack == nullptr || call.sent < *work.done || call.sent > again) continue;
    // Before version 4 journals did not say which events: then all that was done by then.
    bool meant = ack->events.empty() && ack->dead.empty();
    for_each_taken(*ack,
                   [&](const reference::EventId& event) { meant = meant || event == work.item->event; });
    if (!meant) continue;
    tried = true;
    if (call.applied() && call.heard <= again) return false;
  }
  if (tried) return true;
  if (life.stopped && !life.lines.empty() && life.lines.back().at <= again) return false;
  return last - *work.done <= kTellsWithin;
}

}  // namespace

BegunAgain begun_again(const JournalHistory& history) {
  std::map<reference::EventId, std::vector<DoneWork>> all;
  for (const auto& [who, life] : history.lives) {
    std::map<reference::EventId, DoneWork> open;
    for (const LifeLine& line : life.lines) {
      if (const auto* item = std::get_if<WorkItem>(&line.line->event); item != nullptr && item->once) {
        open[item->event] = {who, item, line.at, std::nullopt};
      } else if (const auto* done = std::get_if<WorkDone>(&line.line->event)) {
        const auto work = open.find(done->event);
        if (work == open.end()) continue;
        work->second.done = line.at;
        all[done->event].push_back(work->second);
        open.erase(work);
      }
    }
  }
  BegunAgain again;
  for (auto& each : all) {
    std::vector<DoneWork>& works = each.second;
    std::stable_sort(works.begin(), works.end(),
                     [](const DoneWork& a, const DoneWork& b) { return a.began < b.began; });
    for (std::size_t i = 1; i < works.size(); ++i) {
      const bool allowed = std::all_of(
          works.begin(), works.begin() + static_cast<std::ptrdiff_t>(i), [&](const DoneWork& before) {
            return before.who != works[i].who &&
                   store_may_not_know(before, history.lives.at(before.who), works[i].began);
          });
      if (allowed) again.insert({works[i].who, each.first, works[i].began});
    }
  }
  return again;
}

}  // namespace tenure::sim
