#include "sim/checkers/trackers/execution_tracker.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tenure::sim {

using reference::EventId;
using reference::Standing;

void ExecutionTracker::see(TrueTime at, const Record& record) {
  known_.see(record);
  const auto* applied = std::get_if<Applied>(&record);
  if (applied == nullptr) return;
  at_ = at;
  left_.begin(true);
  take(*applied);
}

void ExecutionTracker::take(const Applied& applied) {
  const StoreTime now = applied.store_now;
  if (const auto* claim = reference_request<reference::ClaimExecutions>(applied.request)) {
    take_claimed(applied, claim->duration);
  } else if (reference_reply<reference::ExecutionStates>(applied.reply) != nullptr) {
    take_states(applied);
  } else if (const auto* ack = reference_request<reference::AckEvents>(applied.request)) {
    for (const reference::DeliveredEvent& had : ack->events) {
      const KnownAttempt* last = find(had.id);
      if (rules_.is_for(had) && (last == nullptr || !stands(*last, now)))
        finish(had.id, Standing::completed, now);
    }
  } else if (reference_request<reference::GiveUpEvents>(applied.request) != nullptr) {
    for (const EventId& event : rules_.died()) finish(event, Standing::dead, now);
  } else if (const auto* redrive = reference_request<reference::Redrive>(applied.request)) {
    for (const EventId& event : redrive->events) {
      if (known_->dead.erase(event) == 0) continue;
      if (const EndedAttempt* last = ended(event)) known_->put_back.add(event) = last->number;
      add(event);
    }
  } else if (const auto* prune = reference_request<reference::Prune>(applied.request)) {
    known_->pruned = std::max(known_->pruned, prune->before);
  } else if (const auto* hold = reference_reply<reference::HoldSet>(applied.reply)) {
    take_hold(*hold, now);
  } else {
    take_committed(now);
  }
}

void ExecutionTracker::take_committed(StoreTime now) {
  for (const auto& [event, version] : rules_.came()) {
    const EventRules::Rules* rules = rules_.of(event.schedule, version);
    if (event.run == 0 && rules != nullptr && rules->overlap == Overlap::replace)
      take_place_of_earlier(event.schedule, now);
    if (event.run != 0 || rules != nullptr) commit(event);
  }
}

// What is over stays so for a reader that knows of no failover, though its commit is made again.
void ExecutionTracker::commit(const EventId& event) {
  if (ended(event) == nullptr) add(event);
}

void ExecutionTracker::add(const EventId& event) {
  const EventRules::Rules* rules = rules_.find(event);
  if (rules == nullptr) return;
  Here& here = known_->here.add(event);
  here.rules = rules;
  if (here.position == 0) here.position = ++position_;
  known_->by_schedule[event.schedule].emplace(here.position, event);
  if (rules->delivery.kind == Delivery::Kind::pull)
    known_->pulled.emplace(here.position, event);
  else
    known_->pulled.erase(here.position);
}

void ExecutionTracker::finish(const EventId& event, Standing how, StoreTime now) {
  if (!is_here(event)) return;
  const std::uint64_t left = position(event);
  left_.add({event, left, &rules(event), at_});
  if (const auto open = known_->open.find(event); open != known_->open.end()) {
    known_->ended.add(event) = {open->second.number, open->second.nonce, how, now};
    known_->open.erase(open);
  }
  if (how == Standing::dead) known_->dead.insert(event);
  const auto own = known_->by_schedule.find(event.schedule);
  own->second.erase(left);
  if (own->second.empty()) known_->by_schedule.erase(own);
  known_->pulled.erase(left);
  known_->here.erase(event);
}

// Manual runs are not replaced, nor is what is pushed. Nothing fires during a hold.
void ExecutionTracker::take_place_of_earlier(ScheduleId schedule, StoreTime now) {
  const Events here = of_schedule(schedule);
  for (const auto& [position, event] : here) {
    if (event.run != 0 || !known_->pulled.contains(position)) continue;
    const auto open = known_->open.find(event);
    const bool is_at_work = open != known_->open.end() &&
                            open->second.state == KnownAttempt::State::claimed && now < open->second.until;
    if (is_at_work) {
      open->second.gives_way = true;
    } else {
      finish(event, Standing::replaced, now);
    }
  }
}

void ExecutionTracker::begin_claim(TrueTime at, const reference::ClaimExecutions& claim, StoreTime now) {
  at_ = at;
  const bool went_back = now < known_->latest;
  std::map<std::uint64_t, std::pair<EventId, Standing>> over;
  for (auto& [event, attempt] : known_->open) {
    if (went_back && now < attempt.from) attempt.count_again(now);
    if (attempt.state != KnownAttempt::State::claimed || stands(attempt, now)) continue;
    if (routed_.topic(event.schedule) != claim.topic) continue;
    if (attempt.gives_way)
      over.emplace(position(event), std::pair(event, Standing::replaced));
    else if (attempt.spent() >= rules(event).delivery.attempts)
      over.emplace(position(event), std::pair(event, Standing::dead));
  }
  if (went_back) known_->latest = now;
  std::size_t settled = 0;
  for (const auto& [position, each] : over) {
    if (settled++ == reference::kSettledAtOnce) return;  // one claim finds out so many, and no more
    finish(each.first, each.second, now);
  }
}

void ExecutionTracker::take_claimed(const Applied& applied, Duration length) {
  const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
  if (claimed == nullptr) return;
  const StoreTime now = applied.store_now;
  for (const reference::Execution& each : claimed->executions) {
    if (rules_.find(each.token.event) == nullptr) continue;  // nobody has committed it
    const KnownAttempt* last = find(each.token.event);
    std::vector<std::uint32_t> released(put_back_after(each.token.event));
    std::iota(released.begin(), released.end(), 1u);
    if (last != nullptr) released = last->released;
    // One that begins has not been given back. A reader that knows of no failover may have seen its number before.
    std::erase_if(released, [&](std::uint32_t number) { return number >= each.token.attempt; });
    add(each.token.event);
    known_->open[each.token.event] = {.number = each.token.attempt,
                                      .nonce = each.token.nonce,
                                      .who = applied.who,
                                      .from = now,
                                      .until = now + length,
                                      .released = std::move(released)};
    known_->latest = std::max(known_->latest, now);
  }
}

void ExecutionTracker::take_states(const Applied& applied) {
  const auto* asked = reference_request<reference::ExtendExecutions>(applied.request);
  for_each_answer(applied, [&](const reference::ExecutionToken& token, Said, const auto& state) {
    if (asked != nullptr)
      extend(token, state, applied.store_now, asked->duration);
    else
      end(token, state, applied.store_now);
  });
}

void ExecutionTracker::take_hold(const reference::HoldSet& hold, StoreTime now) {
  known_->held = hold.hold.has_value();
  if (known_->held) return;
  for (auto& [event, attempt] : known_->open)
    if (attempt.state == KnownAttempt::State::claimed || now < attempt.from) attempt.count_again(now);
  known_->latest = now;
}

void ExecutionTracker::extend(const reference::ExecutionToken& token, const reference::ExecutionState& state,
                              StoreTime now, Duration length) {
  const auto open = open_of(token);
  if (open == known_->open.end()) return;
  if (state.standing != Standing::claimed && state.standing != Standing::cancelled)
    return end(token, state, now);  // a heartbeat is told of an end like any other
  open->second.until = now + (length == Duration{} ? open->second.length() : length);
  open->second.from = now;
  known_->latest = std::max(known_->latest, now);
}

void ExecutionTracker::end(const reference::ExecutionToken& token, const reference::ExecutionState& state,
                           StoreTime now) {
  const auto open = open_of(token);
  if (open == known_->open.end()) return;
  KnownAttempt& attempt = open->second;
  switch (state.standing) {
    case Standing::completed:
    case Standing::dead:
    case Standing::replaced: return finish(token.event, state.standing, now);
    case Standing::failed:
    case Standing::released: break;
    default: return;
  }
  if (attempt.state != KnownAttempt::State::claimed) return;  // said once more
  attempt.from = attempt.until = now;
  if (state.standing == Standing::released) {
    attempt.state = KnownAttempt::State::released;
    attempt.released.push_back(attempt.number);
  } else {
    attempt.state = KnownAttempt::State::failed;
    attempt.until = now + back_off_after(rules(token.event).delivery, attempt.spent());
  }
  known_->latest = std::max(known_->latest, now);
}

ExecutionTracker::Attempts::iterator ExecutionTracker::open_of(const reference::ExecutionToken& token) {
  const auto open = known_->open.find(token.event);
  return open != known_->open.end() && open->second.is_of(token) ? open : known_->open.end();
}

}  // namespace tenure::sim
