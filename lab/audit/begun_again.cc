// Which work was begun again as "at least once" has it, and which is a duplicate.
#include <algorithm>
#include <map>
#include <set>

#include "lab/audit/evidence.h"

namespace tenure::lab {
namespace {

// A life that goes on for longer than this after the end of work, and does not even try to tell the store,
// does not mean to: what others then do again is its bug.
constexpr Duration kTellsWithin = Duration::seconds(60);

struct DoneWork {
  Incarnation who;
  const JournalWork* work = nullptr;
  sim::TrueTime began;
  sim::TrueTime done;

  // From then on it may begin again, wherever that is: no-duplicate-fire counts the failures itself.
  bool had_failed(sim::TrueTime at) const { return work->done->result == WorkResult::failed && done <= at; }
};

// Since when the life has had work in hand without a break, when it begins this.
sim::TrueTime busy_since(const LifeHistory& life, const DoneWork& again) {
  std::set<reference::EventId> in_hand;
  sim::TrueTime since = again.began;
  for (const LifeLine& line : life.lines) {
    if (const auto* item = line.as<WorkItem>()) {
      if (in_hand.empty()) since = line.at;
      if (item == again.work->item) return since;
      in_hand.insert(item->event);
    } else if (const auto* done = line.as<WorkDone>()) {
      in_hand.erase(done->event);
    }
  }
  return since;
}

// Whether the life may have read of the event in the outbox before the store executed this acknowledgement, and have
// begun it only now, since its workers were busy.
bool may_have_waited(const LifeHistory& life, const DoneWork& again, const JournalCall& ack) {
  const sim::TrueTime since = busy_since(life, again);
  return std::any_of(life.calls.begin(), life.calls.end(), [&](const JournalCall& read) {
    return read.request<reference::ReadOutbox>() != nullptr && read.applied() && read.at() <= ack.at() &&
           since <= read.heard && read.heard <= again.began;
  });
}

// Whether who began it again may not have known that this was done: the store had not heard of it when that life read
// the outbox.
bool may_not_be_known(const DoneWork& work, const LifeHistory& life, const DoneWork& begun_again,
                      const LifeHistory& other) {
  const sim::TrueTime again = begun_again.began;
  bool tried = false;
  sim::TrueTime last = work.done;
  for (const LifeLine& line : life.lines)
    if (line.at <= again) last = std::max(last, line.at);
  for (const JournalCall& call : life.calls) {
    if (call.sent < work.done || call.sent > again) continue;
    // Before version 4 journals did not say which events: then all that was done by then.
    const auto* ack = call.request<reference::AckEvents>();
    bool meant = ack != nullptr && ack->events.empty();
    sim::for_each_taken(call.asked->submission.request, [&](const reference::EventId& event) {
      meant = meant || event == work.work->item->event;
    });
    if (!meant) continue;
    tried = true;
    if (call.applied() && call.heard <= again && !may_have_waited(other, begun_again, call)) return false;
  }
  if (tried) return true;
  if (life.stopped && life.ended_at <= again) return false;
  return last - work.done <= kTellsWithin;
}

}  // namespace

BegunAgain begun_again(const JournalHistory& history) {
  std::map<reference::EventId, std::vector<DoneWork>> all;
  for (const auto& [who, life] : history.lives)
    for (const JournalWork& work : life.works)
      if (work.done != nullptr && !is_of_a_term(*work.item))
        all[work.item->event].push_back(
            {who, &work, life.lines[work.line].at, life.lines[work.done_line].at});
  BegunAgain again;
  for (auto& each : all) {
    std::vector<DoneWork>& works = each.second;
    std::stable_sort(works.begin(), works.end(),
                     [](const DoneWork& a, const DoneWork& b) { return a.began < b.began; });
    for (std::size_t i = 1; i < works.size(); ++i) {
      bool failed = true;  // all of it
      bool allowed = true;
      for (std::size_t j = 0; j < i && allowed; ++j) {
        const DoneWork& before = works[j];
        if (before.had_failed(works[i].began)) continue;
        failed = false;
        allowed = before.who != works[i].who && may_not_be_known(before, history.lives.at(before.who),
                                                                 works[i], history.lives.at(works[i].who));
      }
      if (allowed && !failed) again.insert({works[i].who, each.first, works[i].began});
    }
  }
  return again;
}

}  // namespace tenure::lab
