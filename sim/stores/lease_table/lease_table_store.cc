#include "sim/stores/lease_table/lease_table_store.h"

namespace tenure::lease_table {

// An upsert that changes no key.
RowLock LeaseTableStore::lease_lock(const tenure::Request&) const { return RowLock::no_key_update; }

Reply LeaseTableStore::answer(const TryLock& asked, StoreTime now) {
  return upsert(asked.resource, {.holder = asked.holder, .expires_at = now + asked.duration}, now);
}

Reply LeaseTableStore::answer(const Beat& asked, StoreTime) {
  return upsert(asked.resource,
                {.holder = asked.holder, .expires_at = StoreTime::from_ns(asked.heartbeat.ns())},
                StoreTime::from_ns(asked.stale_before.ns()));
}

Reply LeaseTableStore::upsert(ResourceId resource, const LeaseRow& mine, StoreTime free_before) {
  const auto [it, inserted] = rows_.try_emplace(resource, mine);
  LeaseRow& row = it->second;
  if (!inserted && row.holder != mine.holder && row.expires_at >= free_before) return NoRow{};
  row = mine;
  return Locked{row.expires_at};
}

void LeaseTableStore::hash(Hasher& hasher, StoreTime now) const {
  for (const auto& [resource, row] : rows_) hasher.add(resource).add(row.holder).add(row.expires_at - now);
}

}  // namespace tenure::lease_table
