#include "majority_lease.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "lab/testing/generators.h"

namespace {

using namespace tenure::testing;
using tenure::ElectorKind;
using tenure::format::ScenarioFile;
using tenure::sim::Scenario;

// A minute of faults that a hunt would draw, and a minute in which a leader must be found again.
ScenarioFile three_nodes(const ElectorKind& protocol) {
  return scenario_from(
      "format = 1\nname = \"three-nodes\"\n[sim]\nduration = \"1m\"\ntail = \"1m\"\n"
      "[cluster]\ninstances = 3\nprotocol = \"" +
          std::string(protocol.name) +
          "\"\n"
          "[hunt]\nfamilies = [\"process\", \"pause\", \"network\"]\nfaults = \"1..8\"\nnetwork_latency = "
          "\"100us..50ms\"\n",
      &protocol);
}

RC_GTEST_PROP(MajorityLease, has_one_believer_whatever_breaks, ()) {
  const Outcome outcome = run(*scenarios(three_nodes(kMajorityLease), {.within_claims = true}));
  must_hold(outcome);
  RC_ASSERT(outcome.violations("one-believer") == 0U);
}

RC_GTEST_PROP(MajorityLease, finds_a_leader_again_after_the_heal, ()) {
  const Outcome outcome = run(*scenarios(three_nodes(kMajorityLease), {.cluster = true}));
  must_hold(outcome);
  RC_ASSERT(outcome.opportunities("leader-elected") > 0U);
}

TEST(TrustingLease, is_found_out_by_no_more_than_three_faults) {
  Scenario smallest;
  const bool held = rc::check("a lease without an end", [&] {
    const Outcome outcome = run(*scenarios(three_nodes(kTrustingLease)));
    if (outcome.failure) smallest = outcome.scenario;  // the last one to fail is where the shrink ends
    must_hold(outcome);
  });
  EXPECT_FALSE(held);
  EXPECT_GE(smallest.faults.size(), 1U);
  EXPECT_LE(smallest.faults.size(), 3U);
}

}  // namespace
