#include "sim/runner/lease_tracker.h"

#include <utility>
#include <variant>

#include "sim/stores/redis/requests.h"

namespace tenure::sim {

std::optional<LeaseTracker::Change> LeaseTracker::see(const Record& record) {
  if (const auto* stalled = std::get_if<StoreReplicaStalled>(&record)) {
    if (redis_.contains(stalled->store)) replicas_[stalled->store] = redis_[stalled->store];
  } else if (const auto* over = std::get_if<StoreFailedOver>(&record)) {
    if (redis_.contains(over->store)) return set(over->store, replicas_[over->store]);
  }
  const auto* applied = std::get_if<Applied>(&record);
  if (applied != nullptr && message_as<redis::Request>(applied->request) != nullptr)
    return see_redis(*applied);
  of_one_.see(record);
  if (of_one_.holder() == holds_) return std::nullopt;
  holds_ = of_one_.holder();
  return Change{applied != nullptr ? applied->store : StoreId{}, holds_};
}

std::optional<LeaseTracker::Change> LeaseTracker::see_redis(const Applied& applied) {
  const auto& request = *message_as<redis::Request>(applied.request);
  const auto* reply = message_as<redis::Reply>(applied.reply);
  if (reply == nullptr) return std::nullopt;
  if (const auto* asked = std::get_if<redis::Set>(&request)) {
    const auto* status = std::get_if<redis::Status>(reply);
    if (!asked->nx || status == nullptr || !status->ok) return std::nullopt;
    return set(applied.store, {asked->key, applied.who});
  }
  const auto* number = std::get_if<redis::Integer>(reply);
  if (number == nullptr || number->value == 0) return std::nullopt;
  const auto* plainly = std::get_if<redis::Del>(&request);
  const auto* compared = std::get_if<redis::CompareAndDelete>(&request);
  const std::string* key = plainly != nullptr    ? &plainly->key
                           : compared != nullptr ? &compared->key
                                                 : nullptr;
  const auto known = redis_.find(applied.store);
  if (key == nullptr || known == redis_.end() || known->second.key != *key) return std::nullopt;
  return set(applied.store, {*key, {}});
}

std::optional<LeaseTracker::Change> LeaseTracker::set(StoreId store, Server server) {
  Server& known = redis_[store];
  const bool changes = known.holder != server.holder;
  known = std::move(server);
  return changes ? std::optional(Change{store, known.holder}) : std::nullopt;
}

}  // namespace tenure::sim
