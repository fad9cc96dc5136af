#include "sim/checkers/trackers/retry_tracker.h"

#include <vector>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

void RetryTracker::see(TrueTime now, const Record& record) {
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    take(now, *asked);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    if (landed->landing == DeliveryOutcome::duplicate) erase(landed->item.event);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    take(now, *ended);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    if (const auto* ack = reference_request<reference::AckEvents>(applied->request))
      for_each_taken(*ack, [this](const reference::EventId& event) { erase(event); });
  } else if (const auto* death = std::get_if<NodeDied>(&record)) {
    died(death->who);
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    asked_ = {};
    waiting_ = 0;
  }
}

void RetryTracker::take(TrueTime now, const WorkAsked& asked) {
  for (; !due_.empty() && due_.begin()->first < now; due_.erase(due_.begin())) {
    Work* const work = asked_.find(due_.begin()->second);
    const bool waits = work != nullptr && work->failed == due_.begin()->first - after_;
    if (waits) work->before = asks_[work->who];
  }
  erase(asked.item.event);
  asked_.add(asked.item.event).who = asked.who;
  ++asks_[asked.who];
}

void RetryTracker::take(TrueTime now, const WorkEnded& ended) {
  Work* const work = asked_.find(ended.item.event);
  if (work == nullptr || work->who != ended.who) return;
  if (ended.ending != Ending::failed) return erase(ended.item.event);
  work->failed = now;
  ++waiting_;
  due_.emplace(now + after_, ended.item.event);
}

void RetryTracker::died(Incarnation who) {
  std::vector<reference::EventId> theirs;
  asked_.for_each([&](const reference::EventId& event, const Work& work) {
    if (work.who == who) theirs.push_back(event);
  });
  for (const reference::EventId& event : theirs) erase(event);
  asks_.erase(who);
}

void RetryTracker::erase(const reference::EventId& event) {
  const Work* const work = asked_.find(event);
  if (work == nullptr) return;
  if (work->failed) --waiting_;
  asked_.erase(event);
}

}  // namespace tenure::sim
