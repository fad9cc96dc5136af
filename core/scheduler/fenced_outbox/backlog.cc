#include "core/scheduler/fenced_outbox/backlog.h"

namespace tenure {

bool Backlog::add(const reference::OutboxEvent& event) {
  const bool run = event.id.run != 0;
  if (run && full() && !runs_.contains(event.seq)) return false;
  (run ? runs_ : slots_).try_emplace(event.seq, event.id);
  return true;
}

std::optional<reference::EventId> Backlog::take_first(Events& events) {
  if (events.empty()) return std::nullopt;
  const reference::EventId event = events.begin()->second;
  events.erase(events.begin());
  return event;
}

void Backlog::clear() {
  slots_.clear();
  runs_.clear();
}

void Backlog::hash(Hasher& hasher) const {
  for (const Events* events : {&slots_, &runs_}) {
    hasher.add(events->size());
    for (const auto& [seq, event] : *events)
      hasher.add(seq).add(event.schedule).add(event.slot).add(event.run);
  }
}

}  // namespace tenure
