#include "core/scheduler/fenced_outbox/deliveries.h"

#include <algorithm>
#include <utility>

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

bool Deliveries::begin(const Attempt& first, const Token& token, MonoTime now, const Policy& policy) {
  const auto place = place_of(first.event);
  if (place != entries_.end() && place->event == first.event) return false;
  entries_.insert(place, Entry{first.event, token, State::running, now, policy, first.sequence});
  ++running_;
  open_.add(first.event);
  return true;
}

const Deliveries::Entry* Deliveries::find(const reference::EventId& event) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), event, kBySlot);
  return place != entries_.end() && place->event == event ? &*place : nullptr;
}

Deliveries::Attempt Deliveries::attempt(const reference::EventId& event) const {
  const Entry* const entry = find(event);
  return {event, entry->sequence, entry->attempts};
}

void Deliveries::renumber(const reference::EventId& event, std::uint64_t sequence) {
  if (find(event) != nullptr) place_of(event)->sequence = sequence;
}

bool Deliveries::disown(const reference::EventId& event) {
  const auto place = place_of(event);
  if (place->state == State::acknowledging) return false;
  if (place->state == State::running) {
    place->disowned = true;
    return false;
  }
  if (place->state == State::done) {
    --done_;
    if (place->dead) --given_up_;
  } else {
    retries_.erase({place->next, event});
    asks_.erase({place->next, event});
    open_.erase(event);
  }
  entries_.erase(place);
  return true;
}

Deliveries::Finish Deliveries::finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now) {
  const auto& [event, result, retry_after, why, unsent] = done;
  const auto place = place_of(event);
  if (place == entries_.end() || place->event != event || place->state != State::running)
    return Finish::not_here;
  --running_;
  if (std::exchange(place->unknown, false)) answers_.erase({place->next, event});
  if (place->disowned) {
    entries_.erase(place);
    open_.erase(event);
    return Finish::lost;
  }
  const bool failed = result == WorkResult::failed;
  if (failed) {
    if (!unsent) ++place->failures;
    place->why = reference::as_reason(why);
  }
  if (failed && place->elsewhere) place->tries = 0;  // it has begun here for the first time
  const Duration asked = failed ? std::clamp(retry_after, Duration{}, kLongestAsked) : Duration{};
  // Only the leader gives up: under another token, somebody else may have the event in hand by now.
  const Policy& policy = place->policy;
  const bool too_old = policy.age != Duration::max() && now - place->first + asked >= policy.age;
  place->dead = failed && token == place->token && (place->failures >= policy.attempts || too_old);
  const bool elsewhere = result == WorkResult::running;
  const bool refused = result == WorkResult::fenced || elsewhere;
  place->elsewhere = elsewhere;
  if (place->dead || (!failed && !refused)) {
    place->state = State::done;
    open_.erase(event);
    ++done_;
    if (place->dead) ++given_up_;
    return place->dead ? Finish::given_up : Finish::delivered;
  }
  if (token && token->branch != place->token.branch) {
    entries_.erase(place);
    open_.erase(event);
    return Finish::lost;
  }
  const bool at_once = !failed && token && *token != place->token;
  const Duration wait = wait_before_next(*place);
  if (!at_once) ++place->tries;
  place->next = at_once ? now : now + std::max(wait, asked);
  place->state = State::waiting;
  (elsewhere ? asks_ : retries_).emplace(place->next, event);
  return Finish::waits;
}

Duration Deliveries::wait_before_next(const Entry& entry) {
  const Policy& policy = entry.policy;
  // No wait is so short that it is not the longest by then, and none so long that this is too much for 64 bits.
  const std::int64_t doubled = std::int64_t{1} << std::min(entry.tries, 20u);
  const Duration wait = policy.retry < policy.longest / doubled ? policy.retry * doubled
                                                                : std::max(policy.longest, policy.retry);
  if (!policy.spread) return wait;
  const reference::EventId& event = entry.event;
  Hasher hasher(entry.tries);
  hasher.add(event.schedule).add(event.slot).add(event.run);
  const auto half = static_cast<std::uint64_t>((wait / 2).ns());
  return wait - Duration::nanos(static_cast<std::int64_t>(reduce(hasher.value(), half)));
}

std::vector<reference::EventId> Deliveries::take_retries(MonoTime now, std::size_t limit,
                                                         const Token& token) {
  return take(retries_, now, limit, token);
}

std::vector<reference::EventId> Deliveries::take_asks(MonoTime now, std::size_t limit, const Token& token) {
  for (; next_answer() <= now; answers_.erase(answers_.begin()))
    place_of(answers_.begin()->second)->unknown = false;
  std::vector<reference::EventId> events = take(asks_, now, limit, token);
  for (const reference::EventId& event : events) {
    Entry& entry = *place_of(event);
    entry.next = now + kAnswer;
    if (entry.unknown) answers_.emplace(entry.next, event);
  }
  for (auto wait = asks_.begin(); wait != asks_.end() && wait->first <= now; ++wait)
    place_of(wait->second)->unknown = true;
  return events;
}

std::vector<reference::EventId> Deliveries::take(Waits& waits, MonoTime now, std::size_t limit,
                                                 const Token& token) {
  std::vector<reference::EventId> events;
  while (first_of(waits) <= now && events.size() < limit) {
    const auto entry = place_of(waits.begin()->second);
    waits.erase(waits.begin());
    if (entry->token != token) {  // each leader counts from the beginning
      entry->failures = entry->attempts = 0;
      entry->first = now;
    }
    ++entry->attempts;
    entry->state = State::running;
    entry->token = token;
    ++running_;
    events.push_back(entry->event);
  }
  return events;
}

void Deliveries::forget_waiting() {
  std::erase_if(entries_, [this](const Entry& entry) {
    if (entry.state == State::waiting) open_.erase(entry.event);
    return entry.state == State::waiting || (entry.state == State::done && entry.dead);
  });
  done_ -= std::exchange(given_up_, 0);
  retries_.clear();
  asks_.clear();
}

template <class See>
void Deliveries::take_done(bool dead, std::size_t limit, See&& see) {
  limit = std::min(limit, dead ? given_up_ : done_ - given_up_);
  done_ -= limit;
  if (dead) given_up_ -= limit;
  for (auto entry = entries_.begin(); limit > 0; ++entry) {
    if (entry->state != State::done || entry->dead != dead) continue;
    entry->state = State::acknowledging;
    see(*entry);
    --limit;
  }
}

std::vector<reference::EventId> Deliveries::take_delivered(std::size_t limit) {
  std::vector<reference::EventId> events;
  events.reserve(std::min(limit, done_));
  take_done(false, limit, [&](const Entry& entry) { events.push_back(entry.event); });
  return events;
}

std::vector<reference::DeadEvent> Deliveries::take_given_up(std::size_t limit) {
  std::vector<reference::DeadEvent> events;
  take_done(true, limit, [&](const Entry& entry) {
    // One that was never sent is dead by its age: that counts as one attempt.
    events.push_back({.id = entry.event, .attempts = std::max(entry.failures, 1u), .why = entry.why});
  });
  return events;
}

void Deliveries::acknowledged() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.state == State::acknowledging; });
}

bool Deliveries::not_acknowledged(const std::optional<Token>& token) {
  const auto forgotten = std::erase_if(entries_, [&](const Entry& entry) {
    return entry.state == State::acknowledging && entry.dead && entry.token != token;
  });
  for (Entry& entry : entries_) {
    if (entry.state != State::acknowledging) continue;
    entry.state = State::done;
    ++done_;
    if (entry.dead) ++given_up_;
  }
  return forgotten == 0;
}

Deliveries::Overlap Deliveries::overlap(ScheduleId schedule, StoreTime end) const {
  Overlap overlap = Overlap::none;
  open_.for_each_of(schedule, [&](const reference::EventId& event, std::monostate) {
    if (event.slot >= end || overlap == Overlap::runs) return;
    const auto entry = std::lower_bound(entries_.begin(), entries_.end(), event, kBySlot);
    overlap = entry->unknown ? Overlap::unknown : Overlap::runs;
  });
  return overlap;
}

bool Deliveries::unsettled_before(ScheduleId schedule, std::uint64_t sequence) const {
  bool is_open = false;
  open_.for_each_of(schedule, [&](const reference::EventId& event, std::monostate) {
    is_open = is_open || find(event)->sequence < sequence;
  });
  return is_open || std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
           return entry.dead && entry.event.schedule == schedule && entry.sequence < sequence;
         });
}

void Deliveries::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(entries_.size());
  for (const Entry& entry : entries_) {
    const reference::EventId& event = entry.event;
    hasher.add(event.schedule).add(event.slot).add(event.run).add(entry.token).add(entry.state);
    hasher.add(entry.tries).add(entry.failures).add(entry.dead).add(canon.offset(entry.next));
    hasher.add(entry.elsewhere).add(entry.unknown).add(entry.attempts).add(canon.offset(entry.first));
    hasher.add(entry.why).add(entry.sequence).add(entry.disowned);
  }
}

}  // namespace tenure
