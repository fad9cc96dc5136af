// Every engine of the registry against the machine.
//
// A hundred histories of a thousand operations; a million by
//   RC_PARAMS="seed=1 max_success=1000" build/release/bin/conformance_test --gtest_filter=Conformance.*
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/adapters/conformance/concurrent.h"
#include "tests/adapters/conformance/sequence.h"

namespace tenure::conformance {
namespace {

RC_GTEST_PROP(Conformance, replies_of_one_client_after_the_other_are_the_machines, ()) {
  for (const Engine& engine : engines()) {
    const auto found = difference(engine, *histories());
    if (found) RC_FAIL(std::string(engine.name) + ": " + *found);
  }
}

TEST(Conformance, what_gives_way_and_is_given_back_is_over) {
  for (const Engine& engine : engines()) {
    const auto found = difference(engine, gives_back_what_gives_way());
    EXPECT_FALSE(found) << engine.name << ": " << *found;
  }
}

TEST(Conformance, replies_of_clients_at_the_same_time_are_the_machines_in_the_order_of_their_commits) {
  for (const Engine& engine : engines())
    for (const ClockGoes clock : {ClockGoes::up, ClockGoes::up_and_back}) {
      const auto found = difference_when_concurrent(engine, 4, 2'500, clock);
      EXPECT_FALSE(found) << engine.name << ": " << *found;
    }
}

}  // namespace
}  // namespace tenure::conformance
