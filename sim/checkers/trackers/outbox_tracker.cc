#include "sim/checkers/trackers/outbox_tracker.h"

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {

void OutboxTracker::see(TrueTime now, const Record& record, const EventRules& rules) {
  came_.clear();
  left_.clear();
  known_.see(record);
  const auto* applied = std::get_if<Applied>(&record);
  if (applied == nullptr) return;
  for (const auto& [id, version] : rules.came()) {
    if (find(id) != nullptr) continue;
    Event& event = known_->add(id);
    event = {++position_, applied->who, now};
    came_.emplace_back(id, event);
  }
  for_each_taken(*applied, rules, [this](const reference::EventId& id) { take(id); });
  for_each_executed(*applied, [this](const reference::EventId& id) { take(id); });
}

void OutboxTracker::take(const reference::EventId& id) {
  const Event* const event = find(id);
  if (event == nullptr) return;
  left_.emplace_back(id, *event);
  known_->erase(id);
}

}  // namespace tenure::sim
