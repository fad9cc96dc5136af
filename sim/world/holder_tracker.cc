#include "sim/world/holder_tracker.h"

#include <optional>

#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"

namespace tenure::sim {
namespace {

// Whom this answer names as the holder; nullopt when it says nothing about that.
std::optional<Incarnation> holder_after(const Applied& applied) {
  if (const auto* reply = std::get_if<reference::Reply>(&applied.reply)) {
    if (std::holds_alternative<reference::Granted>(*reply)) return applied.who;
    if (std::holds_alternative<reference::Released>(*reply)) return Incarnation{};
  } else if (const auto* table = message_as<lease_table::Reply>(applied.reply)) {
    if (std::holds_alternative<lease_table::Locked>(*table)) return applied.who;
  } else if (const auto* written = message_as<record::Reply>(applied.reply)) {
    const auto* put = std::get_if<record::Put>(&*message_as<record::Request>(applied.request));
    if (put != nullptr && std::holds_alternative<record::Stored>(*written)) return put->record.holder;
  }
  return std::nullopt;
}

}  // namespace

bool HolderTracker::take(const Record& record) {
  if (std::holds_alternative<StoreReplicaStalled>(record)) replica_holder_ = holder_;
  if (std::holds_alternative<StoreFailedOver>(record)) holder_ = replica_holder_;
  const auto* applied = std::get_if<Applied>(&record);
  if (applied == nullptr) return false;
  const std::optional<Incarnation> holder = holder_after(*applied);
  if (!holder || *holder == holder_) return false;
  holder_ = *holder;
  return holder_.number != 0;
}

}  // namespace tenure::sim
