// The stores by name: an explicit table, one row each.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <span>
#include <string_view>

#include "core/store/store_kind.h"

namespace tenure {

extern const StoreKind kLeaseTableStore;
extern const StoreKind kRecordStore;
extern const StoreKind kScheduleTableStore;
extern const StoreKind kRedisStore;
extern const StoreKind kDynamodbStore;
extern const StoreKind kBlobLeaseStore;
extern const StoreKind kEtcdStore;
extern const StoreKind kConsulStore;
extern const StoreKind kQueueStore;
extern const StoreKind kZookeeperStore;
extern const StoreKind kPlacementStore;

std::span<const StoreKind* const> store_kinds();
const StoreKind* find_store_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure
