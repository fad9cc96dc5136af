// The work that a leader is to begin: events that the outbox has shown to it, and work of its that failed or was
// refused. What it has asked for, or is done with, is none.
//
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "core/store/reference/event_map.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Work that came back in vain is begun again within this time by its scheduler's own clock (decision 18), and by true
// time on the slowest clock that is allowed.
inline Duration retries_within(const Scenario& scenario) {
  constexpr std::int64_t kMillion = 1'000'000;
  const Parameters& scheduling = scenario.scheduling;
  const bool drifts = scheduling.find("max_clock_drift_ppm") >= 0;
  return Duration::seconds(60) * kMillion /
         (kMillion - (drifts ? scheduling.number("max_clock_drift_ppm") : 0));
}

class WaitingWork {
 public:
  struct Waiting {
    reference::EventId event;
    TrueTime since;
  };

  // A page of the outbox, from behind the number `after`. What had its number there and is gone is nobody's to begin.
  // `from(event)`: since when the event that is on it waits; nullopt if it is not to be begun.
  template <class From>
  void shown(std::uint64_t after, const reference::Outbox& page, From&& from) {
    auto old = numbers_.upper_bound(after);
    const auto forget_before = [&](std::uint64_t number) {
      while (old != numbers_.end() && old->first < number) {
        waiting_.erase(old->second);
        old = numbers_.erase(old);
      }
    };
    for (const reference::OutboxEvent& one : page.events) {
      forget_before(one.seq);
      const bool known = old != numbers_.end() && old->first == one.seq;
      if (known && old->second == one.id) {
        ++old;
        continue;
      }
      if (known) forget_before(one.seq + 1);
      const auto since = from(one.id);
      if (!since) continue;
      numbers_.emplace_hint(old, one.seq, one.id);
      waiting_.add(one.id) = {one.seq, *since};
    }
    if (!page.more || page.events.empty()) forget_before(UINT64_MAX);
  }
  // Its work came back in vain: from `since` on it waits.
  void came_back(const reference::EventId& event, TrueTime since) { waiting_.add(event).since = since; }
  // It is asked for, or taken from the outbox.
  void is_begun(const reference::EventId& event) {
    const Entry* entry = waiting_.find(event);
    if (entry == nullptr) return;
    numbers_.erase(entry->number);
    waiting_.erase(event);
  }

  std::size_t size() const { return waiting_.size(); }
  // What has waited longest.
  std::optional<Waiting> oldest() const {
    std::optional<Waiting> oldest;
    waiting_.for_each([&](const reference::EventId& event, const Entry& entry) {
      if (!oldest || entry.since < oldest->since) oldest = {event, entry.since};
    });
    return oldest;
  }

 private:
  struct Entry {
    std::uint64_t number = 0;  // in the outbox; 0: it was not shown
    TrueTime since;
  };

  std::map<std::uint64_t, reference::EventId> numbers_;  // of those that were shown
  reference::EventMap<Entry> waiting_;
};

}  // namespace tenure::sim
