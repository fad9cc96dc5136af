#include "sim/checkers/trackers/retry_tracker.h"

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

void RetryTracker::see(TrueTime now, const Record& record) {
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    take(now, *asked);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    if (landed->landing == DeliveryOutcome::duplicate) erase(asked_.find(landed->item.event));
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    take(now, *ended);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    if (const auto* ack = reference_request<reference::AckEvents>(applied->request))
      for_each_taken(*ack, [this](const reference::EventId& event) { erase(asked_.find(event)); });
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    for (auto work = asked_.begin(); work != asked_.end();) {
      const auto next = std::next(work);
      if (work->second.who == died->who) erase(work);
      work = next;
    }
    asks_.erase(died->who);
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    asked_.clear();
    waiting_ = 0;
  }
}

void RetryTracker::take(TrueTime now, const WorkAsked& asked) {
  for (; !due_.empty() && due_.begin()->first < now; due_.erase(due_.begin())) {
    const auto work = asked_.find(due_.begin()->second);
    const bool waits = work != asked_.end() && work->second.failed == due_.begin()->first - after_;
    if (waits) work->second.before = asks_[work->second.who];
  }
  erase(asked_.find(asked.item.event));
  asked_.emplace(asked.item.event, Work{asked.who});
  ++asks_[asked.who];
}

void RetryTracker::take(TrueTime now, const WorkEnded& ended) {
  const auto work = asked_.find(ended.item.event);
  if (work == asked_.end() || work->second.who != ended.who) return;
  if (ended.ending != Ending::failed) return erase(work);
  work->second.failed = now;
  ++waiting_;
  due_.emplace(now + after_, ended.item.event);
}

void RetryTracker::erase(std::map<reference::EventId, Work>::iterator work) {
  if (work == asked_.end()) return;
  if (work->second.failed) --waiting_;
  asked_.erase(work);
}

}  // namespace tenure::sim
