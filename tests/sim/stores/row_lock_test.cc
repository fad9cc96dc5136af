// What requests lock the lease row with, and which locks exclude each other.
#include "core/store/row_lock.h"

#include <gtest/gtest.h>

#include "core/store/store_kind.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr RowLock kAll[] = {RowLock::none, RowLock::key_share, RowLock::no_key_update, RowLock::update};

RowLock lock_of(const Request& request) {
  for (const StoreKind* kind : store_kinds()) {
    const auto machine = kind->make();
    if (machine->handles(request)) return machine->lease_lock(request);
  }
  ADD_FAILURE() << "no store answers it";
  return RowLock::none;
}

TEST(RowLock, excludes_both_ways_and_nobody_waits_for_who_takes_none) {
  for (const RowLock a : kAll) {
    EXPECT_FALSE(conflict(a, RowLock::none));
    for (const RowLock b : kAll) EXPECT_EQ(conflict(a, b), conflict(b, a));
  }
}

// Trace 8: what commits share the row with, and what they stop.
TEST(RowLock, a_commit_stops_who_would_change_the_holder_and_no_renewal) {
  const RowLock commit = lock_of(reference::Request{reference::CommitFires{}});
  EXPECT_FALSE(conflict(commit, lock_of(reference::Request{reference::Renew{}})));
  EXPECT_FALSE(conflict(commit, commit));
  EXPECT_TRUE(conflict(commit, lock_of(reference::Request{reference::Acquire{}})));
  EXPECT_TRUE(conflict(commit, lock_of(reference::Request{reference::Release{}})));
}

TEST(RowLock, no_two_change_the_row_at_once) {
  const RowLock renew = lock_of(reference::Request{reference::Renew{}});
  EXPECT_TRUE(conflict(renew, renew));
  EXPECT_TRUE(conflict(renew, lock_of(reference::Request{reference::Acquire{}})));
  const RowLock upsert = lock_of(lease_table::Request{lease_table::TryLock{}});
  EXPECT_TRUE(conflict(upsert, upsert));
  EXPECT_EQ(lock_of(lease_table::Request{lease_table::Beat{}}), upsert);
}

TEST(RowLock, reads_edits_and_acknowledgements_wait_for_nobody) {
  for (const reference::Request& request :
       {reference::Request{reference::ReadDue{}}, reference::Request{reference::ReadOutbox{}},
        reference::Request{reference::AckEvents{}}, reference::Request{reference::ChangesSince{}},
        reference::Request{reference::PutSchedule{}}, reference::Request{reference::Prune{}}})
    EXPECT_EQ(lock_of(request), RowLock::none);
  EXPECT_EQ(lock_of(record::Request{record::Put{}}), RowLock::none);
}

TEST(RowLock, the_registry_knows_the_strongest_of_each_store) {
  EXPECT_EQ(find_store_kind("reference")->strongest_lease_lock,
            lock_of(reference::Request{reference::Acquire{}}));
  EXPECT_EQ(find_store_kind("lease-table")->strongest_lease_lock,
            lock_of(lease_table::Request{lease_table::TryLock{}}));
  EXPECT_EQ(find_store_kind("record")->strongest_lease_lock, RowLock::none);
}

}  // namespace
}  // namespace tenure
