#include "core/scheduler/fenced_outbox/lane.h"

#include <algorithm>
#include <utility>

namespace tenure {

void Lane::see(const reference::OutboxEvent& event, const Deliveries::Policy& policy, bool strict,
               std::uint64_t before) {
  if (waiting_.contains(event.seq)) return;
  if (unread_after_ && event.seq > *unread_after_) return;
  if (size() >= kMost) {
    unread_after_ = before;
    return;
  }
  waiting_.emplace(event.seq, Waiting{event.id, policy, strict});
  stuck_ = false;
}

std::size_t Lane::free_places() const {
  return in_hand_.running() < running_ ? running_ - in_hand_.running() : 0;
}

std::vector<Deliveries::Attempt> Lane::begin(MonoTime now, const Token& token) {
  Attempts attempts;
  if (std::min(in_hand_.next_ask(), in_hand_.next_answer()) <= now)
    begin_again(in_hand_.take_asks(now, free_places(), token), attempts);
  const bool fresh = !waiting_.empty() && !stuck_;
  if (in_hand_.next_retry() <= now && free_places() > 0) {
    const std::size_t half = free_places() / 2 + (retries_had_theirs_ ? 0 : free_places() % 2);
    retries_had_theirs_ = fresh;
    begin_again(in_hand_.take_retries(now, fresh ? half : free_places(), token), attempts);
  }
  if (fresh) begin_waiting(now, token, free_places(), attempts);
  return attempts;
}

void Lane::begin_again(const std::vector<reference::EventId>& events, Attempts& attempts) const {
  for (const reference::EventId& event : events) attempts.push_back(in_hand_.attempt(event));
}

void Lane::begin_waiting(MonoTime now, const Token& token, std::size_t room, Attempts& attempts) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (room == 0) return;
    const auto& [number, waiting] = *next;
    if (waiting.strict && in_hand_.unsettled_before(waiting.event.schedule, number)) {
      ++next;
      continue;
    }
    const Deliveries::Attempt first{waiting.event, number};
    const bool begun = in_hand_.begin(first, token, now, waiting.policy);
    next = waiting_.erase(next);
    if (!begun) continue;
    attempts.push_back(first);
    retries_had_theirs_ = false;
    --room;
  }
  stuck_ = !waiting_.empty();
}

MonoTime Lane::next(MonoTime now) const {
  MonoTime next = in_hand_.next_answer();
  if (free_places() == 0) return next;
  if (!waiting_.empty() && !stuck_) return now;
  return std::min({next, in_hand_.next_retry(), in_hand_.next_ask()});
}

Deliveries::Finish Lane::finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now) {
  const Deliveries::Finish finish = in_hand_.finish(done, token, now);
  stuck_ = false;
  return finish;
}

void Lane::read_anew() {
  waiting_.clear();
  unread_after_.reset();
  seen_ = 0;
  stuck_ = false;
}

void Lane::forget_waiting() {
  in_hand_.forget_waiting();
  read_anew();
}

void Lane::hash(Hasher& hasher, const Canon& canon) const {
  in_hand_.hash(hasher, canon);
  hasher.add(waiting_.size()).add(unread_after_).add(seen_).add(stuck_).add(retries_had_theirs_);
  for (const auto& [number, waiting] : waiting_) {
    const reference::EventId& event = waiting.event;
    hasher.add(number).add(event.schedule).add(event.slot).add(event.run).add(waiting.strict);
  }
}

}  // namespace tenure
