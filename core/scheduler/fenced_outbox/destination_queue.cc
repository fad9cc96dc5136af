#include "core/scheduler/fenced_outbox/destination_queue.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tenure {

void DestinationQueue::see(const reference::OutboxEvent& event, const Deliveries::Policy& policy,
                           Begins begins, std::uint64_t before) {
  const bool is_run = is_own_ && event.id.run != 0;
  if (waiting_.contains({is_run, event.seq})) return;
  if (!is_own_ || is_run) {
    if (left_.more && event.seq > left_.after.value_or(0)) return;
    if (kept() >= kMost) return left_.read_from(before);
  }
  waiting_.emplace(Place{is_run, event.seq}, Waiting{event.id, policy, begins});
  if (is_run) ++runs_;
  stuck_ = false;
}

bool DestinationQueue::wants_page() const {
  return left_.more && kept() <= kMost / 2 && (is_own_ || in_hand_.size() <= kMost * 10);
}

// What failed would wait for ever for what the others leave; and they for it, since what is begun again may fail again.
std::size_t DestinationQueue::room_to_retry(MonoTime now, std::size_t room, FiresWait fires_wait) const {
  if (room == 0 || (!has_fresh() && !fires_wait(now))) return room;
  return shares_.is_first(Share::again) ? (room + 1) / 2 : 0;
}

DestinationQueue::Attempts DestinationQueue::begin(MonoTime now, const Token& token, std::size_t room,
                                                   FiresWait fires_wait) {
  Attempts attempts;
  const auto begin_again = [&](const Attempts& again) {
    attempts.insert(attempts.end(), again.begin(), again.end());
    room -= again.size();
  };
  if (std::min(in_hand_.next_ask(), in_hand_.next_answer()) <= now)
    begin_again(in_hand_.take_asks(now, room, token));
  if (in_hand_.next_retry() <= now) {
    const std::size_t share = room_to_retry(now, room, fires_wait);
    if (share > 0) shares_.had(Share::again);
    begin_again(in_hand_.take_retries(now, share, token));
  }
  if (room > 0 && has_fresh()) begin_waiting(now, token, room, fires_wait, attempts);
  // Places that nobody else wants.
  if (room > 0 && in_hand_.next_retry() <= now && !fires_wait(now))
    begin_again(in_hand_.take_retries(now, room, token));
  return attempts;
}

void DestinationQueue::begin_waiting(MonoTime now, const Token& token, std::size_t& room,
                                     FiresWait fires_wait, Attempts& attempts) {
  bool came_to_runs = false;
  std::set<ScheduleId> held;  // an event of theirs is after_others
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto& [place, waiting] = *next;
    if (room == 0) return;
    // Manual runs and fires that are due: half for each, and a single place in turns.
    if (place.first && !std::exchange(came_to_runs, true) && fires_wait(now)) {
      if (!work_shares_.is_first(WorkShare::runs)) return;
      work_shares_.had(WorkShare::runs);
      room = (room + 1) / 2;
    }
    const ScheduleId schedule = waiting.event.schedule;
    if (waiting.begins == Begins::after_others) held.insert(schedule);
    const bool waits = waiting.begins == Begins::in_order &&
                       (held.contains(schedule) || in_hand_.unsettled_before(schedule, place.second));
    if (waits || waiting.begins == Begins::after_others) {
      ++next;
      continue;
    }
    const Deliveries::Attempt first{waiting.event, place.second, waiting.policy.before + 1};
    const bool begun = in_hand_.begin(first, token, now, waiting.policy);
    if (place.first) --runs_;
    next = waiting_.erase(next);
    if (!begun) continue;
    attempts.push_back(first);
    shares_.had(Share::first);
    --room;
  }
  stuck_ = !waiting_.empty();
}

MonoTime DestinationQueue::next(MonoTime now, std::size_t room, FiresWait fires_wait) const {
  MonoTime next = in_hand_.next_answer();
  if (room == 0) return next;
  next = std::min(next, in_hand_.next_ask());
  const MonoTime retry = in_hand_.next_retry();
  return retry < next && room_to_retry(now, room, fires_wait) > 0 ? retry : next;
}

void DestinationQueue::fires_had_places() {
  shares_.had(Share::first);
  work_shares_.had(WorkShare::fires);
}

Deliveries::Finish DestinationQueue::finish(const WorkDone& done, const std::optional<Token>& token,
                                            MonoTime now) {
  stuck_ = false;
  // Work of its own asks for no wait: it has this process to say when.
  return in_hand_.finish(is_own_ ? WorkDone{done.event, done.result, {}, done.why} : done, token, now);
}

void DestinationQueue::acknowledged() {
  in_hand_.acknowledged();
  stuck_ = false;
}

void DestinationQueue::read_anew() {
  waiting_.clear();
  runs_ = 0;
  left_ = {};
  seen_ = 0;
  stuck_ = false;
}

void DestinationQueue::forget_waiting() {
  in_hand_.forget_waiting();
  read_anew();
}

}  // namespace tenure
