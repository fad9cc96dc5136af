// What a month costs: arithmetic, and what one event costs in the simulator.
#include "sim/tune/profile.h"

#include <gtest/gtest.h>

#include "sim/tune/closed_form.h"
#include "tests/sim/tune/support.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

RunNumbers lost(std::int64_t leaderless, std::int64_t false_failovers) {
  return {.seed = 1,
          .values = {{false_failovers * kSecond}},
          .leaderless_by_cause = {{"crash", leaderless}, {"start", 5 * kSecond}},
          .broken = {}};
}

TEST(Costs, of_events_are_those_of_one_times_how_often_they_happen) {
  ProfilePart part;
  part.events_micro = 3 * kMillion / 2;
  const ProfileCost cost = cost_of(part, {lost(10 * kSecond, 0), lost(20 * kSecond, 1)}, {});
  EXPECT_EQ(cost.leaderless, Duration::millis(22'500));  // the start is nobody's fault
  EXPECT_EQ(cost.false_failovers_micro, 750'000);
}

TEST(Costs, of_the_rest_go_by_time) {
  ProfilePart part;
  part.setting = made(tune_file(""));  // 450 s
  const ProfileCost cost = cost_of(part, {lost(kSecond, 1), lost(kSecond, 0)}, {});
  EXPECT_EQ(cost.leaderless, Duration::seconds(30 * 86'400 / 450));
  EXPECT_EQ(cost.false_failovers_micro, 30 * 86'400 / 450 * kMillion / 2);
}

std::vector<RunNumbers> runs_of(const ProfilePart& part) {
  std::vector<RunNumbers> runs;
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    runs.push_back(measure_run(*part.setting, seed, profile_questions()));
  return runs;
}

TEST(Costs, of_events_leave_out_what_is_lost_without_them) {
  ProfilePart part;
  part.events_micro = kMillion;
  const std::vector<RunNumbers> quiet = {lost(2 * kSecond, 1), lost(4 * kSecond, 1)};
  const ProfileCost cost = cost_of(part, {lost(10 * kSecond, 3)}, quiet);
  EXPECT_EQ(cost.leaderless, Duration::seconds(7));
  EXPECT_EQ(cost.false_failovers_micro, 2 * kMillion);
}

// One node in three is the leader.
TEST(Profiles, cost_a_failover_for_every_third_crash_and_little_for_a_deploy_that_releases) {
  const TuneFile file = tune_file(
      "[profile]\ncrashes = \"3 a month\"\ndeploys = \"3 a month\"\nstore_failovers = \"3 a month\"\n");
  const std::vector<ProfilePart> parts = profile_parts(file, {}, *parsed(file).profile);
  ASSERT_EQ(parts.size(), 5u);
  EXPECT_EQ(parts[0].cause, kByItself);
  const std::vector<RunNumbers> quiet = runs_of(parts[0]);
  const auto leaderless = [&](std::size_t i) {
    return cost_of(parts[i], runs_of(parts[i]), quiet).leaderless;
  };
  const double failover = static_cast<double>(closed_form(made(file).scenario)->failover->mean->ns()) / 1e9;
  for (const ProfilePart& part : parts) ASSERT_TRUE(part.setting) << part.cause << ": " << part.why_not;
  EXPECT_NEAR(static_cast<double>(leaderless(1).ns()) / 1e9, failover, failover / 10);
  EXPECT_LT(leaderless(2), Duration::seconds(3));
  // The file's own crashes are counted apart, and nothing else breaks in it.
  EXPECT_EQ(parts[4].cause, "the rest");
  EXPECT_EQ(leaderless(4), Duration{});
}

TEST(Profiles, count_the_strikes_of_disturbances) {
  const TuneFile file = tune_file(
      "[[fault]]\nevery = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"2s\"\n"
      "[profile]\ndisturbances = \"60 a month\"\n");
  const std::vector<ProfilePart> parts = profile_parts(file, {}, *parsed(file).profile);
  ASSERT_EQ(parts.size(), 2u);
  const ProfileCost cost = cost_of(parts[1], runs_of(parts[1]), runs_of(parts[0]));
  EXPECT_NEAR(static_cast<double>(cost.leaderless.ns()) / 1e9, 120, 1);
}

}  // namespace
}  // namespace tenure::sim
