// What an exploration finds, and what it does not: on the protocols of the registry, and on planted bugs.
#include "lab/explore/explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/protocols/registry.h"
#include "tests/lab/explore/cluster.h"

namespace tenure::lab::explore {
namespace {

using lab::explore::testing::cluster;
using lab::explore::testing::kNothingFails;
using lab::explore::testing::planted;

std::size_t lines_with(const ExploreViolation& violation, std::string_view words) {
  return static_cast<std::size_t>(
      std::count_if(violation.trace.begin(), violation.trace.end(),
                    [&](const std::string& line) { return line.find(words) != std::string::npos; }));
}

std::string broken(const ExploreResult& result) {
  return result.violation ? result.violation->check : "nothing";
}

// ---- fenced-lease ------------------------------------------------------------------------------------

TEST(Explore, fenced_lease_is_finished_without_a_violation) {
  ExploreSettings settings = cluster("fenced-lease", 2, {.crashes = 1, .pauses = 1, .losses = 0, .delays = 1},
                                     Duration::seconds(33));
  settings.acting = true;
  const ExploreResult result = explore(settings);
  EXPECT_TRUE(result.finished) << report(settings, result);
  EXPECT_FALSE(result.endless);
  EXPECT_EQ(broken(result), "nothing") << report(settings, result);
  EXPECT_GT(result.states, 100'000u);
  EXPECT_LE(result.reached - sim::TrueTime{}, Duration::seconds(33));
}

TEST(Explore, fenced_lease_of_three_is_finished_without_a_violation) {
  const ExploreSettings settings = cluster(
      "fenced-lease", 3, {.crashes = 0, .pauses = 1, .losses = 0, .delays = 0}, Duration::seconds(40));
  const ExploreResult result = explore(settings);
  EXPECT_TRUE(result.finished) << report(settings, result);
  EXPECT_EQ(broken(result), "nothing") << report(settings, result);
}

TEST(Explore, fenced_lease_is_asked_to_stop) {
  const ExploreSettings settings =
      cluster("fenced-lease", 2, {.crashes = 0, .pauses = 0, .stops = 2, .losses = 1, .delays = 1},
              Duration::seconds(30));
  const ExploreResult result = explore(settings);
  EXPECT_TRUE(result.finished) << report(settings, result);
  EXPECT_EQ(broken(result), "nothing") << report(settings, result);
}

// Without pauses a space closes: whatever happens later, the cluster has been in that state before.
TEST(Explore, a_space_that_the_horizon_does_not_cut_holds_for_any_length_of_time) {
  const ExploreSettings settings = cluster(
      "fenced-lease", 2, {.crashes = 1, .pauses = 0, .losses = 1, .delays = 1}, Duration::hours(24 * 365));
  const ExploreResult result = explore(settings);
  EXPECT_TRUE(result.finished);
  EXPECT_TRUE(result.endless) << report(settings, result);
  EXPECT_LT(result.reached - sim::TrueTime{}, Duration::minutes(5));
  EXPECT_EQ(broken(result), "nothing");
}

// ---- the weak points that others publish -------------------------------------------------------------------

TEST(Explore, finds_that_client_go_has_two_leaders_after_a_pause) {
  const ExploreResult result = explore(
      cluster("client-go", 2, {.crashes = 0, .pauses = 1, .losses = 0, .delays = 0}, Duration::seconds(40)));
  ASSERT_EQ(broken(result), "one-believer");
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(lines_with(*result.violation, "is paused"), 1u);
  // The record has stood still for a whole lease since n2 last saw it change, and n2 polls every 2 s.
  EXPECT_EQ(result.violation->at - sim::TrueTime{}, Duration::seconds(16));
}

TEST(Explore, finds_that_db_lease_has_two_leaders_when_a_clock_is_behind_and_a_request_is_lost) {
  ExploreSettings settings =
      cluster("db-lease", 2, {.crashes = 0, .pauses = 0, .losses = 1, .delays = 0}, Duration::seconds(40));
  EXPECT_EQ(broken(explore(settings)), "nothing");
  settings.instances[0].wall_offset = -Duration::seconds(10);
  const ExploreResult result = explore(settings);
  ASSERT_EQ(broken(result), "one-believer");
  EXPECT_EQ(lines_with(*result.violation, "is lost"), 1u);
}

TEST(Explore, finds_that_work_of_db_lease_lands_after_its_successors) {
  ExploreSettings settings =
      cluster("db-lease", 2, {.crashes = 0, .pauses = 1, .losses = 0, .delays = 0}, Duration::seconds(40));
  EXPECT_EQ(broken(explore(settings)), "nothing");
  settings.acting = true;
  const ExploreResult result = explore(settings);
  ASSERT_EQ(broken(result), "no-stale-act");
  EXPECT_EQ(lines_with(*result.violation, "its work lands, and is done"), 2u);
}

TEST(Explore, finds_nothing_when_nothing_fails) {
  for (const char* protocol : {"fenced-lease", "db-lease", "client-go"}) {
    ExploreSettings settings = cluster(protocol, 3, kNothingFails, Duration::seconds(20));
    settings.acting = true;
    const ExploreResult result = explore(settings);
    EXPECT_TRUE(result.finished);
    EXPECT_EQ(broken(result), "nothing") << report(settings, result);
  }
}

// ---- planted bugs ------------------------------------------------------------------------------------------

TEST(Explore, finds_belief_that_is_counted_from_the_reply) {
  const ElectorKind kind = planted<lab::explore::testing::FromTheReply>();
  const ExploreResult result =
      explore(cluster(kind, 2, {.crashes = 0, .pauses = 1, .losses = 0, .delays = 1}, Duration::seconds(40)));
  EXPECT_EQ(broken(result), "one-believer");
}

TEST(Explore, finds_unknown_that_is_taken_for_success) {
  const ElectorKind kind = planted<lab::explore::testing::UnknownIsYes>();
  const ExploreResult result =
      explore(cluster(kind, 2, {.crashes = 0, .pauses = 0, .losses = 3, .delays = 0}, Duration::seconds(40)));
  EXPECT_EQ(broken(result), "one-believer");
}

TEST(Explore, finds_a_token_that_was_granted_to_another) {
  const ElectorKind kind = planted<lab::explore::testing::TakesAnothersToken>();
  const ExploreResult result = explore(cluster(kind, 2, kNothingFails, Duration::seconds(40)));
  EXPECT_EQ(broken(result), "one-holder-per-epoch");
}

// The only instance dies, and with it all that was due; the lease outlasts it, and then it starts again.
TEST(Explore, finds_what_happens_when_all_were_down_until_the_lease_was_over) {
  const ElectorKind kind = planted<lab::explore::testing::TakesWhatIsOver>();
  const ExploreResult result =
      explore(cluster(kind, 1, {.crashes = 1, .pauses = 0, .losses = 0, .delays = 0}, Duration::seconds(40)));
  ASSERT_EQ(broken(result), "one-holder-per-epoch");
  EXPECT_GT(result.violation->at - sim::TrueTime{}, Duration::seconds(15));
}

TEST(Explore, finds_acts_outside_the_declared_belief) {
  const ElectorKind kind = planted<lab::explore::testing::LeadsOn>();
  ExploreSettings settings = cluster(kind, 2, kNothingFails, Duration::seconds(40));
  EXPECT_EQ(broken(explore(settings)), "nothing");  // nobody acts
  settings.acting = true;
  EXPECT_EQ(broken(explore(settings)), "acts-within-belief");
}

// ---- the bounds --------------------------------------------------------------------------------------------

TEST(Explore, keeps_to_its_budgets) {
  // With a pause alone, client-go fails by it; with a crash beside it, by no more than one of each.
  const ExploreResult result = explore(
      cluster("client-go", 2, {.crashes = 1, .pauses = 1, .losses = 0, .delays = 0}, Duration::seconds(40)));
  ASSERT_TRUE(result.violation);
  EXPECT_EQ(lines_with(*result.violation, "is paused"), 1u);
  EXPECT_LE(lines_with(*result.violation, "is killed"), 1u);
  EXPECT_EQ(lines_with(*result.violation, "is lost"), 0u);
  const ExploreResult without = explore(
      cluster("client-go", 2, {.crashes = 1, .pauses = 0, .losses = 0, .delays = 0}, Duration::seconds(30)));
  EXPECT_TRUE(without.finished);
  EXPECT_EQ(broken(without), "nothing");
}

TEST(Explore, keeps_to_its_number_of_requests) {
  Budgets budgets = kNothingFails;
  const ExploreResult all = explore(cluster("fenced-lease", 2, budgets, Duration::seconds(20)));
  budgets.requests = 3;
  const ExploreResult few = explore(cluster("fenced-lease", 2, budgets, Duration::seconds(20)));
  EXPECT_TRUE(few.finished);
  EXPECT_LT(few.reached, all.reached);
}

TEST(Explore, gives_up_at_its_number_of_states) {
  ExploreSettings settings = cluster("fenced-lease", 2, {}, Duration::seconds(40));
  settings.states_max = 1'000;
  const ExploreResult result = explore(settings);
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.why_not, "more than 1000 states");
  EXPECT_LT(result.states, 1'010u);
}

TEST(Explore, gives_the_same_result_twice) {
  const ExploreSettings settings =
      cluster("client-go", 2, {.crashes = 0, .pauses = 1, .losses = 0, .delays = 0}, Duration::seconds(40));
  const ExploreResult one = explore(settings);
  const ExploreResult two = explore(settings);
  EXPECT_EQ(report(settings, one), report(settings, two));
  EXPECT_EQ(one.violation->trace, two.violation->trace);
}

TEST(Explore, sees_more_with_a_tick_and_with_both_ends_of_random_waits) {
  ExploreSettings settings = cluster("fenced-lease", 2, kNothingFails, Duration::seconds(12));
  settings.budgets.delays = 1;
  const std::uint64_t plain = explore(settings).states;
  settings.jitter_ends = true;
  const ExploreResult jittered = explore(settings);
  EXPECT_GT(jittered.states, plain);
  EXPECT_EQ(broken(jittered), "nothing");
  settings.jitter_ends = false;
  settings.tick = Duration::seconds(1);
  const ExploreResult ticking = explore(settings);
  EXPECT_GT(ticking.states, plain);
  EXPECT_EQ(broken(ticking), "nothing");
}

// ---- settings ----------------------------------------------------------------------------------------------

TEST(ExploreSettings, come_from_a_scenario) {
  sim::Scenario scenario;
  scenario.protocol = find_elector_kind("db-lease");
  scenario.start_ns = 5'000'000'000;
  scenario.store.clock.offset = {Duration::seconds(1), Duration::seconds(3)};
  for (int i = 0; i < 3; ++i) scenario.instances.push_back({{}, Parameters{scenario.protocol->parameters()}});
  scenario.instances[0].clock.offset = {-Duration::seconds(10), -Duration::seconds(10)};
  format::ExhaustiveSetting bounds;
  bounds.instances = 2;
  const ExploreSettings settings = settings_of(scenario, bounds);
  EXPECT_EQ(why_not_explorable(settings), "");
  EXPECT_EQ(settings.instances.size(), 2u);
  EXPECT_EQ(settings.instances[0].wall_offset, -Duration::seconds(10));
  EXPECT_EQ(settings.store_offset, Duration::seconds(2));
  EXPECT_EQ(settings.start_ns, 5'000'000'000);
  EXPECT_EQ(settings_of(scenario, {}).instances.size(), 3u);
}

TEST(ExploreSettings, say_what_cannot_be_explored) {
  EXPECT_NE(why_not_explorable(cluster("token-ring", 2, {}, Duration::seconds(1))).find("no store"),
            std::string::npos);
  EXPECT_NE(why_not_explorable(cluster("db-lease", 4, {}, Duration::seconds(1))), "");
  EXPECT_NE(why_not_explorable(cluster("db-lease", 0, {}, Duration::seconds(1))), "");
  EXPECT_NE(why_not_explorable(cluster("db-lease", 2, {}, Duration{})), "");
  EXPECT_NE(why_not_explorable(cluster("db-lease", 2, {.crashes = 15}, Duration::seconds(1))), "");
  ElectorKind whole = kFencedLease;
  whole.make = nullptr;
  EXPECT_NE(why_not_explorable(cluster(whole, 2, {}, Duration::seconds(1))).find("whole nodes"),
            std::string::npos);
  ExploreSettings settings = cluster("db-lease", 2, {}, Duration::seconds(1));
  settings.tick = Duration::nanos(1);
  EXPECT_NE(why_not_explorable(settings), "");
}

}  // namespace
}  // namespace tenure::lab::explore
