#include "sim/stores/record/record_store.h"

namespace tenure::record {

Reply RecordStore::answer(const Get& asked, StoreTime) {
  const auto found = records_.find(asked.resource);
  if (found == records_.end()) return NotFound{};
  return found->second;
}

Reply RecordStore::answer(const Put& asked, StoreTime) {
  const auto found = records_.find(asked.resource);
  const std::uint64_t version = found == records_.end() ? 0 : found->second.version;
  if (asked.version != version) return Conflict{};
  records_.insert_or_assign(asked.resource, Found{.version = ++last_version_, .record = asked.record});
  return Stored{last_version_};
}

// The times of a record are its writer's, and go on with everybody's.
void RecordStore::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(last_version_);
  for (const auto& [resource, found] : records_) {
    hasher.add(resource).add(found.version).add(found.record.holder).add(found.record.duration);
    hasher.add(found.record.transitions);
    hasher.add(found.record.acquired.ns() - now.ns()).add(found.record.renewed.ns() - now.ns());
  }
}

}  // namespace tenure::record
