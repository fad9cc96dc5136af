#include "core/scheduler/fenced_outbox/deliveries.h"

#include <algorithm>

namespace tenure {
namespace {

constexpr auto kBySlot = [](const auto& entry, const reference::EventId& event) {
  const reference::EventId& here = entry.event;
  if (here.slot != event.slot) return here.slot < event.slot;
  if (here.schedule != event.schedule) return here.schedule < event.schedule;
  return here.run < event.run;
};

}  // namespace

std::vector<Deliveries::Entry>::iterator Deliveries::place_of(const reference::EventId& event) {
  if (entries_.empty() || kBySlot(entries_.back(), event)) return entries_.end();
  return std::lower_bound(entries_.begin(), entries_.end(), event, kBySlot);
}

bool Deliveries::begin(const reference::EventId& event, const Token& token) {
  const auto place = place_of(event);
  if (place != entries_.end() && place->event == event) return false;
  entries_.insert(place, Entry{event, token, State::running});
  ++running_;
  return true;
}

bool Deliveries::holds(const reference::EventId& event) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), event, kBySlot);
  return place != entries_.end() && place->event == event;
}

Deliveries::Finish Deliveries::finish(const reference::EventId& event, WorkResult result,
                                      const std::optional<Token>& token, MonoTime now) {
  const auto place = place_of(event);
  if (place == entries_.end() || place->event != event || place->state != State::running)
    return Finish::not_here;
  --running_;
  const bool failed = result == WorkResult::failed;
  if (failed) ++place->failures;
  // Only the leader gives up: under another token, somebody else may have the event in hand by now.
  place->dead = failed && token == place->token && place->failures >= attempts_;
  const bool refused = result == WorkResult::fenced || result == WorkResult::running;
  if (place->dead || (!failed && !refused)) {
    place->state = State::done;
    ++done_;
    return place->dead ? Finish::given_up : Finish::delivered;
  }
  if (token && token->branch != place->token.branch) {
    entries_.erase(place);
    return Finish::lost;
  }
  const bool at_once = !failed && token && *token != place->token;
  const Duration wait = std::min(retry_ * (std::int64_t{1} << std::min(place->tries, 20u)), kLongest);
  if (!at_once) ++place->tries;
  place->retry_at = at_once ? now : now + wait;
  place->state = State::waiting;
  retries_.emplace(place->retry_at, event);
  return Finish::waits;
}

std::vector<reference::EventId> Deliveries::take_retries(MonoTime now, std::size_t limit,
                                                         const Token& token) {
  std::vector<reference::EventId> events;
  while (next_retry() <= now && events.size() < limit) {
    const auto entry = place_of(retries_.begin()->second);
    retries_.erase(retries_.begin());
    if (entry->token != token) entry->failures = 0;  // each leader counts from the beginning
    entry->state = State::running;
    entry->token = token;
    ++running_;
    events.push_back(entry->event);
  }
  return events;
}

void Deliveries::forget_waiting() {
  if (retries_.empty()) return;
  std::erase_if(entries_, [](const Entry& entry) { return entry.state == State::waiting; });
  retries_.clear();
}

void Deliveries::take_done(std::size_t limit, reference::AckEvents& ack) {
  ack.events.reserve(std::min(limit, done_));
  for (Entry& entry : entries_) {
    if (ack.events.size() + ack.dead.size() >= limit || done_ == 0) break;
    if (entry.state != State::done) continue;
    entry.state = State::acknowledging;
    --done_;
    if (entry.dead)
      ack.dead.push_back({entry.event, entry.failures});
    else
      ack.events.push_back(entry.event);
  }
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
  if (running_ + retries_.size() == 0) return false;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const bool over = entry.state == State::done || entry.state == State::acknowledging;
    return entry.event.schedule == schedule && entry.event.slot < end && !over;
  });
}

void Deliveries::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(entries_.size());
  for (const Entry& entry : entries_) {
    const reference::EventId& event = entry.event;
    hasher.add(event.schedule).add(event.slot).add(event.run).add(entry.token).add(entry.state);
    hasher.add(entry.tries).add(entry.failures).add(entry.dead).add(canon.offset(entry.retry_at));
  }
}

}  // namespace tenure
