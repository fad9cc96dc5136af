#include "sim/models/resource.h"

#include <algorithm>

namespace tenure::sim {
namespace {

// Where the event is, or belongs. What lands is mostly later than all before it; what is acknowledged or fails began a
// moment ago, and is mostly the last one.
template <class Begun>
typename std::deque<Begun>::iterator place_of(std::deque<Begun>& begun, const reference::EventId& event) {
  const auto is_before = [](const Begun& one, const reference::EventId& other) { return one.event < other; };
  if (begun.empty() || is_before(begun.back(), event)) return begun.end();
  if (begun.back().event == event) return begun.end() - 1;
  return std::lower_bound(begun.begin(), begun.end(), event, is_before);
}

}  // namespace

OutsideResource::Answer OutsideResource::land(TrueTime now, const WorkItem& item) {
  if (!admits(item.resource, item.token)) return Answer::fenced;
  if (!honours_event_id_ || !item.once) return Answer::begin;
  std::deque<Begun>& begun = begun_of(item.event.schedule);
  const auto place = place_of(begun, item.event);
  if (place != begun.end() && place->event == item.event)
    return place->running ? Answer::running : Answer::duplicate;
  begun.insert(place, Begun{item.event, now});
  ++count_;
  forget_old(now, begun);
  return Answer::begin;
}

// Once it has seen a token, work without one is as suspect as work with an old one.
bool OutsideResource::admits(ResourceId resource, const std::optional<Token>& token) {
  if (!fenced_) return true;
  const auto newest = newest_.find(resource);
  if (!token) return newest == newest_.end();
  if (newest == newest_.end()) {
    newest_.emplace(resource, *token);
    return true;
  }
  if (token->older_than(newest->second)) return false;
  newest->second = *token;
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
  const auto place = place_of(begun, event);
  if (place == begun.end() || place->event != event) return;
  begun.erase(place);
  --count_;
}

void OutsideResource::acknowledged(TrueTime now, const reference::EventId& event) {
  Begun* const begun = find(event);
  if (begun == nullptr) return;
  begun->acknowledged = true;
  begun->changed = now;
}

OutsideResource::Begun* OutsideResource::find(const reference::EventId& event) {
  std::deque<Begun>& begun = begun_of(event.schedule);
  const auto place = place_of(begun, event);
  return place != begun.end() && place->event == event ? &*place : nullptr;
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
