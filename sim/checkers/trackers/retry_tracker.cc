#include "sim/checkers/trackers/retry_tracker.h"

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

void RetryTracker::see(TrueTime now, const Record& record) {
  if (const auto* asked = std::get_if<WorkAsked>(&record)) {
    asked_.insert_or_assign(asked->item.event, Work{asked->who});
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    if (landed->landing == DeliveryOutcome::duplicate) asked_.erase(landed->item.event);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    const auto work = asked_.find(ended->item.event);
    if (work == asked_.end() || work->second.who != ended->who) return;
    if (ended->ending == Ending::failed)
      work->second.failed = now;
    else
      asked_.erase(work);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    if (const auto* ack = reference_request<reference::AckEvents>(applied->request))
      for_each_taken(*ack, [this](const reference::EventId& event) { asked_.erase(event); });
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    std::erase_if(asked_, [&](const auto& work) { return work.second.who == died->who; });
  } else if (std::holds_alternative<StoreFailedOver>(record)) {
    asked_.clear();
  }
}

}  // namespace tenure::sim
