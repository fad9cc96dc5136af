#include "sim/stores/registry.h"

#include <algorithm>
#include <array>

#include "sim/stores/blob_lease/blob_lease_store.h"
#include "sim/stores/consul/consul_store.h"
#include "sim/stores/dynamodb/dynamodb_store.h"
#include "sim/stores/etcd/etcd_store.h"
#include "sim/stores/lease_table/lease_table_store.h"
#include "sim/stores/placement/placement_store.h"
#include "sim/stores/queue/queue_store.h"
#include "sim/stores/record/record_store.h"
#include "sim/stores/redis/redis_store.h"
#include "sim/stores/schedule_table/schedule_table_store.h"
#include "sim/stores/zookeeper/zookeeper_store.h"

namespace tenure {

namespace {

template <class Machine>
std::unique_ptr<StoreMachine> make() {
  return std::make_unique<Machine>();
}

}  // namespace

constinit const StoreKind kLeaseTableStore = {
    .name = "lease-table",
    .summary = "one row a lock, with the database's clock or its users', and no token",
    .make = make<lease_table::LeaseTableStore>,
    .strongest_lease_lock = RowLock::no_key_update};

constinit const StoreKind kRecordStore = {.name = "record",
                                          .summary = "a record with a version, written by compare-and-set",
                                          .make = make<record::RecordStore>};

constinit const StoreKind kScheduleTableStore = {
    .name = "schedule-table",
    .summary = "rows with next_run, advanced without a guard",
    .make = make<schedule_table::ScheduleTableStore>,
    .put_schedule = [](ResourceId resource, ScheduleId schedule, const Definition& definition) {
      return Request{schedule_table::Request{schedule_table::PutRow{resource, schedule, definition}}};
    }};

constinit const StoreKind kRedisStore = {
    .name = "redis",
    .summary = "strings with an end on the server's wall clock, and the scripts of its lock",
    .make = make<redis::RedisStore>};

constinit const StoreKind kDynamodbStore = {
    .name = "dynamodb",
    .summary = "items that are written under conditions, and no clock of its own",
    .make = make<dynamodb::DynamodbStore>,
    .reads_wall_clock = false};

constinit const StoreKind kBlobLeaseStore = {
    .name = "blob-lease",
    .summary = "leases of Azure's blobs, on the service's clock, and writes that show one",
    .make = make<blob_lease::BlobLeaseStore>};

constinit const StoreKind kEtcdStore = {
    .name = "etcd",
    .summary = "keys with revisions, leases on the server's monotonic clock, and watches",
    .make = make<etcd::EtcdStore>,
    .has_sessions = true,
    .reads_wall_clock = false,
    .can_part = true};

constinit const StoreKind kConsulStore = {
    .name = "consul",
    .summary = "keys, sessions that lock them, and queries that wait; on the server's monotonic clock",
    .make = make<consul::ConsulStore>,
    .has_sessions = true,
    .reads_wall_clock = false};

constinit const StoreKind kQueueStore = {
    .name = "queue",
    .summary = "a queue of SQS, whose messages are hidden for a while from others than their receiver",
    .make = make<queue::QueueStore>,
    .has_sessions = true,
    .reads_wall_clock = false,
    .delivers_again = true};

constinit const StoreKind kZookeeperStore = {
    .name = "zookeeper",
    .summary = "a tree of nodes, sessions that some of them go with, and watches that tell once",
    .make = make<zookeeper::ZookeeperStore>,
    .has_sessions = true,
    .reads_wall_clock = false};

constinit const StoreKind kPlacementStore = {
    .name = "placement",
    .summary = "items, the workers that report, and who is to run what",
    .make = make<placement::PlacementStore>};

std::span<const StoreKind* const> store_kinds() {
  static constexpr std::array kKinds = {&kReferenceStore,     &kLeaseTableStore, &kRecordStore,
                                        &kScheduleTableStore, &kRedisStore,      &kDynamodbStore,
                                        &kBlobLeaseStore,     &kEtcdStore,       &kConsulStore,
                                        &kQueueStore,         &kZookeeperStore,  &kPlacementStore};
  return kKinds;
}

const StoreKind* find_store_kind(std::string_view name) {
  const std::span kinds = store_kinds();
  const auto found = std::ranges::find(kinds, name, &StoreKind::name);
  return found == kinds.end() ? nullptr : *found;
}

}  // namespace tenure
