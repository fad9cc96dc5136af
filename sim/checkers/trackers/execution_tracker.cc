#include "sim/checkers/trackers/execution_tracker.h"

#include <algorithm>
#include <utility>

namespace tenure::sim {

void ExecutionTracker::see(const Record& record) {
  found_dead_.clear();
  if (std::holds_alternative<StoreReplicaStalled>(record)) {
    replica_ = known_;
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    if (replica_) known_ = *std::move(replica_);
    replica_.reset();
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take(*applied);
  }
}

void ExecutionTracker::take(const Applied& applied) {
  const StoreTime now = applied.store_now;
  if (const auto* claim = reference_request<reference::ClaimExecutions>(applied.request)) {
    begin_claim(claim->topic, now);
    take_claimed(applied, claim->duration);
  } else if (reference_reply<reference::ExecutionStates>(applied.reply) != nullptr) {
    take_states(applied);
  } else if (const auto* ack = reference_request<reference::AckEvents>(applied.request)) {
    for (const reference::EventId& event : ack->events) {
      const auto open = known_.open.find(event);
      if (open != known_.open.end() && !stands(open->second, now))
        finish(open, KnownAttempt::State::completed, now);
    }
  } else if (const auto* redrive = reference_request<reference::Redrive>(applied.request)) {
    for (const reference::EventId& event : redrive->events) {
      known_.over.erase(event);
      // The last claim may have been over before anybody was told that the event is dead.
      const auto open = known_.open.find(event);
      if (open != known_.open.end() && !stands(open->second, now)) known_.open.erase(open);
    }
  } else if (const auto* prune = reference_request<reference::Prune>(applied.request)) {
    known_.pruned = std::max(known_.pruned, prune->before);
  } else if (const auto* hold = reference_reply<reference::HoldSet>(applied.reply)) {
    take_hold(*hold, now);
  } else {
    for_each_covered(applied, [&](const reference::LedgerRow& row) {
      if (row.what == reference::Disposition::fired && routed_.replaces(row.schedule))
        take_place_of_earlier(row.schedule, now);
    });
  }
}

// Manual runs are not replaced. Nothing fires during a hold.
void ExecutionTracker::take_place_of_earlier(ScheduleId schedule, StoreTime now) {
  for (auto it = known_.open.lower_bound({schedule, StoreTime::min(), 0});
       it != known_.open.end() && it->first.schedule == schedule; ++it) {
    KnownAttempt& attempt = it->second;
    if (it->first.run != 0) continue;
    if (attempt.state != KnownAttempt::State::claimed || now >= attempt.until)
      attempt.may_be_gone = true;
    else
      attempt.may_give_way = true;
    attempt.gives_way = attempt.gives_way || (attempt.may_give_way && routed_.always_replaces(schedule));
  }
}

void ExecutionTracker::take_claimed(const Applied& applied, Duration length) {
  const auto* claimed = reference_reply<reference::ClaimedExecutions>(applied.reply);
  if (claimed == nullptr) return;
  const StoreTime now = applied.store_now;
  for (const reference::Execution& each : claimed->executions) {
    const KnownAttempt* last = find(each.token.event);
    std::vector<std::uint32_t> released = last != nullptr ? last->released : std::vector<std::uint32_t>{};
    // One that begins has not been given back. A reader that knows of no failover may have seen its number before.
    std::erase_if(released, [&](std::uint32_t number) { return number >= each.token.attempt; });
    known_.over.erase(each.token.event);
    known_.open[each.token.event] = {.number = each.token.attempt,
                                     .nonce = each.token.nonce,
                                     .who = applied.who,
                                     .from = now,
                                     .until = now + length,
                                     .released = std::move(released),
                                     .seq = each.seq};
    known_.latest = std::max(known_.latest, now);
  }
}

void ExecutionTracker::take_states(const Applied& applied) {
  const auto& states = reference_reply<reference::ExecutionStates>(applied.reply)->executions;
  const StoreTime now = applied.store_now;
  if (const auto* asked = reference_request<reference::ExtendExecutions>(applied.request)) {
    for (std::size_t i = 0; i < asked->executions.size() && i < states.size(); ++i)
      extend(asked->executions[i], states[i], now, asked->duration);
  } else if (const auto* ends = reference_request<reference::EndExecutions>(applied.request)) {
    for (std::size_t i = 0; i < ends->ends.size() && i < states.size(); ++i)
      end(ends->ends[i].token, states[i], now);
  } else if (const auto* back = reference_request<reference::ReleaseExecutions>(applied.request)) {
    for (std::size_t i = 0; i < back->executions.size() && i < states.size(); ++i)
      end(back->executions[i], states[i], now);
  }
}

void ExecutionTracker::take_hold(const reference::HoldSet& hold, StoreTime now) {
  known_.held = hold.hold.has_value();
  if (known_.held) return;
  for (auto& [event, attempt] : known_.open)
    if (attempt.state == KnownAttempt::State::claimed || now < attempt.from) attempt.count_again(now);
  known_.latest = now;
}

void ExecutionTracker::extend(const reference::ExecutionToken& token, const reference::ExecutionState& state,
                              StoreTime now, Duration length) {
  const auto open = open_of(token);
  if (open == known_.open.end()) return;
  const bool stands =
      state.standing == reference::Standing::claimed || state.standing == reference::Standing::cancelled;
  if (!stands) return end(token, state, now);  // a heartbeat is told of an end like any other
  open->second.from = now;
  open->second.until = now + length;
  open->second.may_be_dead = open->second.is_dead = open->second.may_be_gone = false;
  if (state.standing == reference::Standing::cancelled)
    open->second.gives_way = open->second.may_give_way = true;
  known_.latest = std::max(known_.latest, now);
}

void ExecutionTracker::end(const reference::ExecutionToken& token, const reference::ExecutionState& state,
                           StoreTime now) {
  const auto open = open_of(token);
  if (open == known_.open.end()) return;
  KnownAttempt& attempt = open->second;
  switch (state.standing) {
    case reference::Standing::completed: return finish(open, KnownAttempt::State::completed, now);
    case reference::Standing::dead: return finish(open, KnownAttempt::State::dead, now);
    case reference::Standing::replaced: return finish(open, KnownAttempt::State::replaced, now);
    case reference::Standing::failed:
    case reference::Standing::released: break;
    default: return;
  }
  if (attempt.state != KnownAttempt::State::claimed) return;  // said once more
  attempt.state = KnownAttempt::State::failed;
  if (state.standing == reference::Standing::released) {
    attempt.state = KnownAttempt::State::released;
    attempt.may_be_dead = attempt.is_dead = false;
    attempt.released.push_back(attempt.number);
  }
  attempt.from = now;
  attempt.until = state.until;
  known_.latest = std::max(known_.latest, now);
}

void ExecutionTracker::finish(Attempts::iterator open, KnownAttempt::State how, StoreTime now) {
  KnownAttempt attempt = open->second;
  attempt.state = how;
  attempt.from = now;
  const reference::EventId event = open->first;
  known_.open.erase(open);
  known_.over[event] = attempt;
  known_.over_in_order.push_back(event);
  if (known_.over_in_order.size() <= kRemembered) return;
  known_.over.erase(known_.over_in_order.front());
  known_.over_in_order.pop_front();
  known_.forgot = true;
}

ExecutionTracker::Attempts::iterator ExecutionTracker::open_of(const reference::ExecutionToken& token) {
  const auto open = known_.open.find(token.event);
  return open != known_.open.end() && open->second.is_of(token) ? open : known_.open.end();
}

}  // namespace tenure::sim
