#include "core/scheduler/fenced_outbox/deliveries.h"

#include <algorithm>

namespace tenure {
namespace {

constexpr auto kBySlot = [](const auto& entry, const house::EventId& event) {
  const house::EventId& here = entry.event;
  if (here.slot != event.slot) return here.slot < event.slot;
  if (here.schedule != event.schedule) return here.schedule < event.schedule;
  return here.run < event.run;
};

}  // namespace

std::vector<Deliveries::Entry>::iterator Deliveries::place_of(const house::EventId& event) {
  if (entries_.empty() || kBySlot(entries_.back(), event)) return entries_.end();
  return std::lower_bound(entries_.begin(), entries_.end(), event, kBySlot);
}

bool Deliveries::begin(const house::EventId& event, const Token& token) {
  const auto place = place_of(event);
  if (place != entries_.end() && place->event == event) return false;
  entries_.insert(place, Entry{event, token, State::running});
  ++running_;
  return true;
}

bool Deliveries::holds(const house::EventId& event) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), event, kBySlot);
  return place != entries_.end() && place->event == event;
}

std::optional<Token> Deliveries::finish(const house::EventId& event, WorkResult result) {
  const auto place = place_of(event);
  if (place == entries_.end() || place->event != event || place->state != State::running) return std::nullopt;
  --running_;
  if (result == WorkResult::fenced) {
    const Token token = place->token;
    entries_.erase(place);
    return token;
  }
  place->state = State::done;
  ++done_;
  return std::nullopt;
}

std::vector<house::EventId> Deliveries::take_done(std::size_t limit) {
  std::vector<house::EventId> events;
  events.reserve(std::min(limit, done_));
  for (Entry& entry : entries_) {
    if (events.size() >= limit || done_ == 0) break;
    if (entry.state != State::done) continue;
    entry.state = State::acknowledging;
    --done_;
    events.push_back(entry.event);
  }
  return events;
}

void Deliveries::acknowledged() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.state == State::acknowledging; });
}

void Deliveries::not_acknowledged() {
  for (Entry& entry : entries_) {
    if (entry.state != State::acknowledging) continue;
    entry.state = State::done;
    ++done_;
  }
}

bool Deliveries::runs(ScheduleId schedule, StoreTime end) const {
  if (running_ == 0) return false;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.event.schedule == schedule && entry.event.slot < end && entry.state == State::running;
  });
}

void Deliveries::hash(Hasher& hasher) const {
  hasher.add(entries_.size());
  for (const Entry& entry : entries_) {
    const house::EventId& event = entry.event;
    hasher.add(event.schedule).add(event.slot).add(event.run).add(entry.token).add(entry.state);
  }
}

}  // namespace tenure
