#include "sim/checkers/trackers/retry_tracker.h"

#include <utility>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

void RetryTracker::see(TrueTime now, const Record& record) {
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    take(now, *asked);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    take(now, *landed);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    take(now, *ended);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    take(*applied);
  } else if (const auto* death = std::get_if<NodeDied>(&record)) {
    died(now, death->who);
  } else if (std::holds_alternative<StoreReplicaStalled>(record)) {
    stalled_ = now;
  } else if (const auto* failed_over_to = std::get_if<StoreFailedOver>(&record)) {
    branch_ = failed_over_to->branch;
    failed_over(now);
  }
}

void RetryTracker::take(TrueTime now, const WorkAsked& asked) {
  for (; !due_.empty() && due_.begin()->first < now; due_.erase(due_.begin())) {
    Work* const work = asked_.find(due_.begin()->second);
    if (work != nullptr && work->since && *work->since == due_.begin()->first - after_) work->before = asks_;
  }
  if (asked.item.token && asked.item.token->branch < branch_) return;
  Work* const before = asked_.find(asked.item.event);
  Work work{.who = asked.who, .first = now};
  if (before != nullptr) {
    work.first = before->first;
    work.again = before->waits() || before->again;
    if (before->waits()) --waiting_;
  }
  ++asks_.all;
  if (work.again) ++asks_.again;
  if (!dead_.empty() && dead_.find(asked.item.event) != nullptr)
    asked_.erase(asked.item.event);
  else
    (before != nullptr ? *before : asked_.add(asked.item.event)) = work;
}

void RetryTracker::take(const Applied& applied) {
  for_each_taken(applied, rules_, [this](const reference::EventId& event) { erase(event); });
  if (reference_reply<reference::GivenUp>(applied.reply) != nullptr) {
    for_each_taken(applied.request, [this](const reference::EventId& event) { dead_.add(event); });
  } else if (const auto* redrive = reference_request<reference::Redrive>(applied.request)) {
    for (const reference::EventId& event : redrive->events) dead_.erase(event);
  }
}

void RetryTracker::take(TrueTime now, const WorkLanded& landed) {
  const reference::EventId& event = landed.item.event;
  Work* const work = asked_.find(event);
  if (work == nullptr || work->who != landed.who) return;
  switch (landed.landing) {
    case DeliveryOutcome::begun: work->again = false; break;
    case DeliveryOutcome::fenced:
      if (work->again) wait(now, event, *work);
      break;
    case DeliveryOutcome::running:
      work->elsewhere = true;
      ++waiting_;
      break;
    case DeliveryOutcome::duplicate: erase(event); break;
  }
}

void RetryTracker::take(TrueTime now, const WorkEnded& ended) {
  Work* const work = asked_.find(ended.item.event);
  if (work == nullptr) return;
  if (work->who == ended.who ? ended.ending == Ending::failed : work->elsewhere)
    wait(now, ended.item.event, *work);
  else if (work->who == ended.who)
    erase(ended.item.event);
}

template <class Which>
std::vector<reference::EventId> RetryTracker::those(const Which& which) const {
  std::vector<reference::EventId> events;
  asked_.for_each([&](const reference::EventId& event, const Work& work) {
    if (which(work)) events.push_back(event);
  });
  return events;
}

void RetryTracker::wait(TrueTime now, const reference::EventId& event, Work& work) {
  if (!work.waits()) ++waiting_;
  work.since = now;
  work.before.reset();
  due_.emplace(now + after_, event);
}

void RetryTracker::died(TrueTime now, Incarnation who) {
  for (const reference::EventId& event : those([who](const Work& work) { return work.who == who; })) {
    Work& work = *asked_.find(event);
    if (deliveries_.is_running(event)) {
      // It may be in hand where it runs, and is owed when it is over there.
      if (!work.waits()) ++waiting_;
      work.since.reset();
      work.elsewhere = true;
    } else if (work.waits() || work.again) {
      wait(now, event, work);
    } else {
      erase(event);
    }
  }
}

void RetryTracker::failed_over(TrueTime now) {
  const auto lost = std::exchange(stalled_, std::nullopt);
  if (!lost) return;
  dead_ = {};
  for (const reference::EventId& event : those([&](const Work& work) { return work.first >= *lost; }))
    erase(event);
  for (const reference::EventId& event : those([](const Work& work) { return work.since.has_value(); }))
    wait(now, event, *asked_.find(event));
}

void RetryTracker::erase(const reference::EventId& event) {
  const Work* const work = asked_.find(event);
  if (work == nullptr) return;
  if (work->waits()) --waiting_;
  asked_.erase(event);
}

}  // namespace tenure::sim
