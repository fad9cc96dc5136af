#include "core/scheduler/fenced_outbox/deliveries.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tenure {

bool Deliveries::begin(const Attempt& first, const Token& token, MonoTime now, const Policy& policy) {
  const std::size_t before = entries_.size();
  Entry& entry = entries_.add(first.event);
  if (entries_.size() == before) return false;
  entry.token = token;
  entry.policy = policy;
  entry.sequence = first.sequence;
  if (policy.age != Duration::max()) entry.first = now;
  ++running_;
  return true;
}

void Deliveries::shown(const reference::EventId& event, std::uint64_t sequence) {
  Entry* const entry = entries_.find(event);
  if (entry == nullptr || entry->sequence == sequence) return;
  if (entry->dead && entry->sequence != 0) {
    disown(event);
    return;
  }
  if (entry->dead) std::erase(unnumbered_, event);
  entry->sequence = sequence;
  if (entry->dead) given_up_.push_back(event);
}

bool Deliveries::disown(const reference::EventId& event) {
  Entry& entry = *entries_.find(event);
  if (entry.state == State::running) {
    entry.disowned = true;
    return false;
  }
  for (Events* const over : {&delivered_, &given_up_, &unnumbered_, &taken_}) std::erase(*over, event);
  retries_.erase({entry.next, event});
  asks_.erase({entry.next, event});
  entries_.erase(event);
  return true;
}

Deliveries::Finish Deliveries::finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now) {
  const auto& [event, result, retry_after, why, unsent] = done;
  Entry* const entry = entries_.find(event);
  if (entry == nullptr || entry->state != State::running) return Finish::not_here;
  --running_;
  if (std::exchange(entry->unknown, false)) answers_.erase({entry->next, event});
  if (entry->disowned) {
    entries_.erase(event);
    return Finish::lost;
  }
  const bool failed = result == WorkResult::failed;
  if (failed) {
    unsent ? --entry->attempts : ++entry->failures;  // nobody has seen the number of what was not sent
    entry->why = reference::as_reason(why);
  }
  if (failed && entry->elsewhere) entry->tries = 0;  // it has begun here for the first time
  const Duration asked = failed ? std::clamp(retry_after, Duration{}, kLongestAsked) : Duration{};
  // Only the leader gives up: under another token, somebody else may have the event in hand by now.
  const Policy& policy = entry->policy;
  const bool too_old = policy.age != Duration::max() && now - entry->first + asked >= policy.age;
  entry->dead = failed && token == entry->token && (entry->failures >= policy.attempts || too_old);
  const bool elsewhere = result == WorkResult::running;
  const bool refused = result == WorkResult::fenced || elsewhere;
  entry->elsewhere = elsewhere;
  if (entry->dead || (!failed && !refused)) {
    entry->state = State::done;
    list_of(*entry).push_back(event);
    return entry->dead ? Finish::given_up : Finish::delivered;
  }
  if (token && token->branch != entry->token.branch) {
    entries_.erase(event);
    return Finish::lost;
  }
  const bool at_once = !failed && token && *token != entry->token;
  const Duration wait = wait_before_next(event, *entry);
  if (!at_once) ++entry->tries;
  entry->next = at_once ? now : now + std::max(wait, asked);
  entry->state = State::waiting;
  (elsewhere ? asks_ : retries_).emplace(entry->next, event);
  return Finish::waits;
}

Duration Deliveries::wait_before_next(const reference::EventId& event, const Entry& entry) {
  const Policy& policy = entry.policy;
  // No wait is so short that it is not the longest by then, and none so long that this is too much for 64 bits.
  const std::int64_t doubled = std::int64_t{1} << std::min(entry.tries, 20u);
  const Duration wait = policy.retry < policy.longest / doubled ? policy.retry * doubled
                                                                : std::max(policy.longest, policy.retry);
  if (!policy.spread) return wait;
  Hasher hasher(entry.tries);
  hasher.add(event.schedule).add(event.slot).add(event.run);
  const auto half = static_cast<std::uint64_t>((wait / 2).ns());
  return wait - Duration::nanos(static_cast<std::int64_t>(reduce(hasher.value(), half)));
}

Deliveries::Attempts Deliveries::take_retries(MonoTime now, std::size_t limit, const Token& token) {
  return take(retries_, now, limit, token);
}

Deliveries::Attempts Deliveries::take_asks(MonoTime now, std::size_t limit, const Token& token) {
  for (; next_answer() <= now; answers_.erase(answers_.begin()))
    entries_.find(answers_.begin()->second)->unknown = false;
  Attempts attempts = take(asks_, now, limit, token);
  for (const Attempt& attempt : attempts) {
    Entry& entry = *entries_.find(attempt.event);
    entry.next = now + kAnswer;
    if (entry.unknown) answers_.emplace(entry.next, attempt.event);
  }
  for (auto wait = asks_.begin(); wait != asks_.end() && wait->first <= now; ++wait)
    entries_.find(wait->second)->unknown = true;
  return attempts;
}

Deliveries::Attempts Deliveries::take(Waits& waits, MonoTime now, std::size_t limit, const Token& token) {
  Attempts attempts;
  while (first_of(waits) <= now && attempts.size() < limit) {
    const reference::EventId event = waits.begin()->second;
    Entry& entry = *entries_.find(event);
    waits.erase(waits.begin());
    if (entry.token != token) {  // each leader counts from the beginning
      entry.failures = entry.attempts = 0;
      entry.first = now;
    }
    ++entry.attempts;
    entry.state = State::running;
    entry.token = token;
    ++running_;
    attempts.push_back({event, entry.sequence, entry.policy.before + entry.attempts});
  }
  return attempts;
}

void Deliveries::forget_waiting() {
  for (const Waits* waits : {&retries_, &asks_})
    for (const auto& [next, event] : *waits) entries_.erase(event);
  for (Events* const dead : {&given_up_, &unnumbered_}) {
    for (const reference::EventId& event : *dead) entries_.erase(event);
    dead->clear();
  }
  retries_.clear();
  asks_.clear();
}

Deliveries::Events Deliveries::take_done(Events& events, std::size_t limit) {
  const auto end = events.begin() + static_cast<std::ptrdiff_t>(std::min(limit, events.size()));
  Events taken(events.begin(), end);
  events.erase(events.begin(), end);
  for (const reference::EventId& event : taken) entries_.find(event)->state = State::acknowledging;
  taken_.insert(taken_.end(), taken.begin(), taken.end());
  return taken;
}

std::vector<reference::EventId> Deliveries::take_delivered(std::size_t limit) {
  return take_done(delivered_, limit);
}

std::vector<reference::DeadEvent> Deliveries::take_given_up(std::size_t limit) {
  std::vector<reference::DeadEvent> dead;
  for (const reference::EventId& event : take_done(given_up_, limit)) {
    const Entry& entry = *entries_.find(event);
    // One that was never sent is dead by its age: that counts as one attempt.
    dead.push_back(
        {.id = event, .attempts = std::max(entry.failures, 1u), .seq = entry.sequence, .why = entry.why});
  }
  return dead;
}

void Deliveries::acknowledged() {
  for (const reference::EventId& event : taken_) entries_.erase(event);
  taken_.clear();
}

bool Deliveries::not_acknowledged(const std::optional<Token>& token) {
  bool kept = true;
  for (const reference::EventId& event : std::exchange(taken_, {})) {
    Entry& entry = *entries_.find(event);
    if (entry.dead && entry.token != token) {
      entries_.erase(event);
      kept = false;
      continue;
    }
    entry.state = State::done;
    list_of(entry).push_back(event);
  }
  return kept;
}

Deliveries::Overlap Deliveries::overlap(ScheduleId schedule, StoreTime end) const {
  Overlap overlap = Overlap::none;
  entries_.for_each_of(schedule, [&](const reference::EventId& event, const Entry& entry) {
    if (event.slot >= end || !is_open(entry) || overlap == Overlap::runs) return;
    overlap = entry.unknown ? Overlap::unknown : Overlap::runs;
  });
  return overlap;
}

bool Deliveries::unsettled_before(ScheduleId schedule, std::uint64_t sequence) const {
  bool unsettled = false;
  entries_.for_each_of(schedule, [&](const reference::EventId&, const Entry& entry) {
    unsettled = unsettled || ((is_open(entry) || entry.dead) && entry.sequence < sequence);
  });
  return unsettled;
}

}  // namespace tenure
