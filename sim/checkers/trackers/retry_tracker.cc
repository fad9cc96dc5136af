#include "sim/checkers/trackers/retry_tracker.h"

#include <vector>

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
    if (const auto* ack = reference_request<reference::AckEvents>(applied->request))
      for_each_taken(*ack, [this](const reference::EventId& event) { erase(event); });
  } else if (const auto* death = std::get_if<NodeDied>(&record)) {
    died(now, death->who);
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    asked_ = {};
    waiting_ = 0;
  }
}

void RetryTracker::take(TrueTime now, const WorkAsked& asked) {
  for (; !due_.empty() && due_.begin()->first < now; due_.erase(due_.begin())) {
    Work* const work = asked_.find(due_.begin()->second);
    if (work != nullptr && work->since && *work->since == due_.begin()->first - after_) work->before = asks_;
  }
  const Work* const before = asked_.find(asked.item.event);
  const bool again = before != nullptr && (before->waits() || before->again);
  erase(asked.item.event);
  asked_.add(asked.item.event) = Work{.who = asked.who, .again = again};
  ++asks_;
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

void RetryTracker::wait(TrueTime now, const reference::EventId& event, Work& work) {
  if (!work.waits()) ++waiting_;
  work.since = now;
  work.before.reset();
  due_.emplace(now + after_, event);
}

void RetryTracker::died(TrueTime now, Incarnation who) {
  std::vector<reference::EventId> theirs;
  asked_.for_each([&](const reference::EventId& event, const Work& work) {
    if (work.who == who) theirs.push_back(event);
  });
  for (const reference::EventId& event : theirs) {
    Work& work = *asked_.find(event);
    if (work.waits() || work.again)
      wait(now, event, work);
    else
      erase(event);
  }
}

void RetryTracker::erase(const reference::EventId& event) {
  const Work* const work = asked_.find(event);
  if (work == nullptr) return;
  if (work->waits()) --waiting_;
  asked_.erase(event);
}

}  // namespace tenure::sim
