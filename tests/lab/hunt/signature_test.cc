// Signatures: the same for the same run, another when something else happened.
#include "lab/hunt/signature.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

Signature signature_of(const sim::Scenario& scenario, std::uint64_t seed) {
  sim::Scenario seeded = scenario;
  seeded.seed = seed;
  return result_of(seeded).signature;
}

const std::string kKill =
    "[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n";

TEST(Signature, is_the_same_for_the_same_run) {
  const sim::Scenario scenario = sim::parsed(sim::small(kKill));
  EXPECT_EQ(signature_of(scenario, 3), signature_of(scenario, 3));
}

TEST(Signature, has_each_feature_once_in_order) {
  const Signature signature = signature_of(sim::parsed(sim::small(kKill)), 1);
  EXPECT_FALSE(signature.empty());
  EXPECT_TRUE(std::is_sorted(signature.begin(), signature.end()));
  EXPECT_EQ(std::adjacent_find(signature.begin(), signature.end()), signature.end());
  EXPECT_LT(signature.back(), kFeatures);
}

TEST(Signature, shows_a_fault_and_what_it_did) {
  const Signature quiet = signature_of(sim::parsed(sim::small("")), 1);
  const Signature killed = signature_of(sim::parsed(sim::small(kKill)), 1);
  Signature fresh;
  std::set_difference(killed.begin(), killed.end(), quiet.begin(), quiet.end(), std::back_inserter(fresh));
  EXPECT_GT(fresh.size(), 10u);
}

// The same fault in another role is another behaviour.
TEST(Signature, tells_a_paused_leader_from_a_paused_standby) {
  const auto paused = [](std::string_view whom) {
    return signature_of(sim::parsed(sim::small("[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"" +
                                               std::string(whom) + "\"\nduration = \"1s\"\n")),
                        1);
  };
  EXPECT_NE(paused("leader"), paused("standby"));
}

TEST(Coverage, counts_what_is_new_and_nothing_twice) {
  Coverage coverage;
  EXPECT_EQ(coverage.add({1, 5, 9}), (Signature{1, 5, 9}));
  EXPECT_EQ(coverage.add({1, 5, 9}), Signature{});
  EXPECT_EQ(coverage.add({5, 6}), Signature{6});
  EXPECT_EQ(coverage.size(), 4u);
  EXPECT_EQ(coverage.seen(5), 3u);
  EXPECT_EQ(coverage.seen(6), 1u);
  EXPECT_EQ(coverage.seen(7), 0u);
}

}  // namespace
}  // namespace tenure::lab
