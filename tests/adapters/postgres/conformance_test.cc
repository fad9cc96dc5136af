// Postgres against the machine: the histories and the clients of tests/adapters/conformance.
//
// A hundred histories of a thousand operations (`./dev test --all`: fifty); a million by
//   RC_PARAMS="seed=1 max_success=1000" tests/adapters/postgres/with_postgres.sh build/release/bin/postgres_test
//   --gtest_filter='PostgresConformance.*'
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/adapters/conformance/concurrent.h"
#include "tests/adapters/conformance/sequence.h"
#include "tests/adapters/postgres/conformance_database.h"

namespace tenure::conformance {
namespace {

constexpr Engine kPostgres{
    "postgres", []() -> std::unique_ptr<Database> { return std::make_unique<PostgresDatabase>(); }, false};

TEST(PostgresConformance, replies_of_one_client_after_the_other_are_the_machines) {
  Reached reached;
  int histories_done = 0;
  const bool passed = rc::check([&] {
    ++histories_done;
    const auto found = difference(kPostgres, *histories(), &reached);
    if (found) RC_FAIL("\n" + *found);
  });
  EXPECT_TRUE(passed);
  // The server's speed decides which requests the end of a connection meets: in few histories perhaps none.
  if (histories_done >= 20) {
    EXPECT_GE(reached["killed, unknown: lost"], 1u) << "no connection was ended under a request";
  }
}

TEST(PostgresConformance,
     replies_of_clients_at_the_same_time_are_the_machines_in_the_order_of_their_commits) {
  for (const ClockGoes clock : {ClockGoes::up, ClockGoes::up_and_back}) {
    const auto found = difference_when_concurrent(kPostgres, 4, 2'500, clock);
    EXPECT_FALSE(found) << *found;
  }
}

}  // namespace
}  // namespace tenure::conformance
