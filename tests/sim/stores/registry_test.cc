// What every store machine must do, by the registry.
#include "sim/stores/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "core/base/check.h"
#include "core/store/store_kind.h"
#include "sim/stores/blob_lease/requests.h"
#include "sim/stores/consul/requests.h"
#include "sim/stores/dynamodb/requests.h"
#include "sim/stores/etcd/requests.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/placement/requests.h"
#include "sim/stores/queue/requests.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/redis/requests.h"
#include "sim/stores/schedule_table/requests.h"
#include "sim/stores/zookeeper/requests.h"

namespace tenure::registry_tests {
namespace {

constexpr ResourceId kResource{1};
const StoreTime kNow = StoreTime{} + Duration::seconds(1'000);

// For each family a request that is applied and changes something.
std::vector<Request> samples() {
  const Incarnation who{.node = {1}, .number = 1};
  const Duration second = Duration::seconds(1);
  const Definition definition{
      .recurrence = Interval{.start = kNow, .period = second}, .misfire = {}, .paused = false};
  return {reference::Request{reference::Acquire{kResource, who, 0, 7, second}},
          reference::Request{reference::PutSchedule{kResource, {1}, 0, definition}},
          lease_table::Request{lease_table::TryLock{kResource, who, second}},
          record::Request{record::Put{kResource, 0, {who, second, 0, {}, {}}}},
          schedule_table::Request{schedule_table::PutRow{kResource, {1}, definition}},
          redis::Request{redis::Set{"key", "value", true, second}},
          dynamodb::Request{dynamodb::PutItem{{{"key", "value"}}, {}, {}, {}}},
          blob_lease::Request{blob_lease::AcquireLease{"blob", second * 15, "id"}},
          etcd::Request{etcd::Put{"key", "value", {}}},
          consul::Request{consul::KvPut{"key", "value", {}, {}, {}}},
          queue::Request{queue::SendMessage{"body"}},
          zookeeper::Request{zookeeper::Connect{second * 10, {}}},
          placement::Request{placement::AssignItem{1, 1, 0, false, {}}}};
}

std::uint64_t hash_of(const StoreMachine& machine) {
  Hasher hasher;
  machine.hash(hasher, StoreTime{});
  return hasher.value();
}

TEST(StoreRegistry, finds_each_kind_by_its_own_name_alone) {
  std::set<std::string_view> names;
  for (const StoreKind* kind : store_kinds()) {
    EXPECT_EQ(find_store_kind(kind->name), kind);
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    EXPECT_FALSE(kind->summary.empty()) << kind->name;
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"reference", "lease-table", "record", "schedule-table",
                                               "redis", "dynamodb", "blob-lease", "etcd", "consul", "queue",
                                               "zookeeper", "placement"}));
  EXPECT_EQ(find_store_kind("hous"), nullptr);
  EXPECT_EQ(find_store_kind(""), nullptr);
}

TEST(StoreRegistry, has_exactly_one_kind_for_each_family_of_requests) {
  for (const Request& request : samples()) {
    int handling = 0;
    for (const StoreKind* kind : store_kinds()) handling += kind->make()->handles(request) ? 1 : 0;
    EXPECT_EQ(handling, 1) << "store " << int{store_number(request)};
  }
}

TEST(StoreMachines, are_functions_of_state_request_and_time) {
  for (const StoreKind* kind : store_kinds()) {
    const auto one = kind->make();
    const auto other = kind->make();
    EXPECT_EQ(hash_of(*one), hash_of(*other)) << kind->name;
    std::vector<Notification> heard;
    std::vector<Notification> heard_too;
    for (const Request& request : samples()) {
      if (!one->handles(request)) continue;
      const std::uint64_t before = hash_of(*one);
      EXPECT_EQ(store_number(one->apply(request, kNow, heard)), store_number(request)) << kind->name;
      other->apply(request, kNow, heard_too);
      EXPECT_NE(hash_of(*one), before) << kind->name;
      EXPECT_EQ(hash_of(*one), hash_of(*other)) << kind->name;
    }
    EXPECT_EQ(heard, heard_too) << kind->name;
  }
}

TEST(StoreMachines, are_cloned_whole_and_apart) {
  for (const StoreKind* kind : store_kinds()) {
    const auto original = kind->make();
    std::vector<Notification> heard;
    for (const Request& request : samples()) {
      if (!original->handles(request)) continue;
      const auto clone = original->clone();
      EXPECT_EQ(hash_of(*clone), hash_of(*original)) << kind->name;
      const std::uint64_t before = hash_of(*original);
      clone->apply(request, kNow, heard);
      EXPECT_EQ(hash_of(*original), before) << kind->name;
      original->apply(request, kNow, heard);
      EXPECT_EQ(hash_of(*clone), hash_of(*original)) << kind->name;
    }
  }
}

TEST(StoreMachines, can_be_promoted) {
  for (const StoreKind* kind : store_kinds()) {
    const auto machine = kind->make();
    machine->promote(2);
    std::vector<Notification> heard;
    for (const Request& request : samples()) {
      if (machine->handles(request)) machine->apply(request, kNow, heard);
    }
  }
}

TEST(StoreMachines, refuse_requests_of_another_family) {
  CheckHandler const before = set_check_handler([](const CheckFailure&) { throw std::logic_error("check"); });
  std::vector<Notification> heard;
  for (const StoreKind* kind : store_kinds()) {
    const auto machine = kind->make();
    for (const Request& request : samples()) {
      if (!machine->handles(request)) {
        EXPECT_THROW(machine->apply(request, kNow, heard), std::logic_error) << kind->name;
      }
    }
  }
  set_check_handler(before);
}

}  // namespace
}  // namespace tenure::registry_tests
