#include "sim/models/resource.h"

#include <algorithm>

namespace tenure::sim {
namespace {

constexpr auto kByEvent = [](const auto& begun, const reference::EventId& event) {
  return begun.event < event;
};

}  // namespace

OutsideResource::Answer OutsideResource::land(TrueTime now, const WorkItem& item) {
  if (fenced_ && !admits(item)) return Answer::fenced;
  if (!honours_event_id_ || !item.once) return Answer::begin;
  std::deque<Begun>& begun = begun_of(item.event.schedule);
  // Nearly every event is later than all before it.
  const bool is_last = begun.empty() || begun.back().event < item.event;
  const auto place =
      is_last ? begun.end() : std::lower_bound(begun.begin(), begun.end(), item.event, kByEvent);
  if (place != begun.end() && place->event == item.event)
    return place->running ? Answer::running : Answer::duplicate;
  begun.insert(place, Begun{item.event, now});
  ++count_;
  forget_old(now, begun);
  return Answer::begin;
}

// Once it has seen a token, work without one is as suspect as work with an old one.
bool OutsideResource::admits(const WorkItem& item) {
  const auto newest = newest_.find(item.resource);
  if (!item.token) return newest == newest_.end();
  if (newest == newest_.end()) {
    newest_.emplace(item.resource, *item.token);
    return true;
  }
  if (item.token->older_than(newest->second)) return false;
  newest->second = *item.token;
  return true;
}

void OutsideResource::ended(TrueTime now, const reference::EventId& event) {
  Begun* const begun = find(event);
  if (begun == nullptr) return;
  begun->running = false;
  begun->changed = now;
}

void OutsideResource::failed(const reference::EventId& event) {
  std::deque<Begun>& begun = begun_of(event.schedule);
  const auto place = std::lower_bound(begun.begin(), begun.end(), event, kByEvent);
  if (place == begun.end() || place->event != event) return;
  begun.erase(place);
  --count_;
}

void OutsideResource::acknowledged(TrueTime now, const std::vector<reference::EventId>& events) {
  for (const reference::EventId& event : events) {
    Begun* const begun = find(event);
    if (begun == nullptr) continue;
    begun->acknowledged = true;
    begun->changed = now;
  }
}

// What is over, or acknowledged, mostly began a moment ago: it is near the end.
OutsideResource::Begun* OutsideResource::find(const reference::EventId& event) {
  std::deque<Begun>& begun = begun_of(event.schedule);
  auto place = begun.rbegin();
  while (place != begun.rend() && event < place->event) ++place;
  return place != begun.rend() && place->event == event ? &*place : nullptr;
}

std::deque<OutsideResource::Begun>& OutsideResource::begun_of(ScheduleId schedule) {
  if (begun_.size() <= schedule.value) begun_.resize(schedule.value + 1);
  return begun_[schedule.value];
}

void OutsideResource::forget_old(TrueTime now, std::deque<Begun>& begun) {
  const auto is_old = [now](const Begun& each) {
    return each.acknowledged && !each.running && each.changed + kMemory < now;
  };
  while (!begun.empty() && is_old(begun.front())) {
    begun.pop_front();
    --count_;
  }
}

}  // namespace tenure::sim
