// Shrinking: what is left fails in the same way, is small, and runs from its own file.
#include "lab/hunt/shrink.h"

#include <gtest/gtest.h>

#include <string>

#include "format/print/print.h"
#include "lab/hunt/regression.h"
#include "tests/lab/hunt/support.h"

namespace tenure::sim {
namespace {

struct Found {
  Scenario scenario;
  Failure failure;
};

// The first case of a design's hunt that fails.
Found first_failure(const ScenarioFile& hunted, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Scenario scenario = draw_case(hunted, seed).scenario;
    if (const auto failures = failures_by_its_seed(scenario); !failures.empty())
      return {scenario, failures.front()};
  }
  ADD_FAILURE() << "no case failed";
  return {};
}

ScenarioFile weak_design() {
  // What the design's authors demand, and what a pause takes from it: never two believers.
  ScenarioFile file = hunted("faults = \"6..12\"\ninstances = \"3..5\"", "client-go", "none");
  file.scenario.expect.always = {"one-believer"};
  return file;
}

TEST(Shrink, leaves_few_faults_that_fail_in_the_same_way) {
  const Found found = first_failure(weak_design(), 200);
  ASSERT_GE(found.scenario.faults.size(), 4u);
  const Shrunk shrunk =
      shrink(found.scenario, found.failure, {.try_case = failures_by_its_seed, .zones = only_utc()});
  EXPECT_EQ(shrunk.end, Shrunk::End::finished);
  EXPECT_LE(shrunk.scenario.faults.size(), 3u);
  EXPECT_LE(shrunk.scenario.instances.size(), found.scenario.instances.size());
  EXPECT_TRUE(shrunk.failure.same_as(found.failure)) << shrunk.failure.message << "\n"
                                                     << found.failure.message;

  const ParseResult again = parse_scenario("shrunk.toml", print_scenario(shrunk.scenario));
  ASSERT_TRUE(again.scenario);
  const auto failures = failures_by_its_seed(*again.scenario);
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures.front().message, shrunk.failure.message);
  EXPECT_EQ(run(*again.scenario, *again.scenario->seed).trace_hash,
            run(shrunk.scenario, *shrunk.scenario.seed).trace_hash);
}

TEST(Shrink, is_the_same_every_time) {
  const Found found = first_failure(weak_design(), 200);
  const ShrinkSetup setup{.try_case = failures_by_its_seed, .zones = only_utc()};
  EXPECT_EQ(print_scenario(shrink(found.scenario, found.failure, setup).scenario),
            print_scenario(shrink(found.scenario, found.failure, setup).scenario));
}

TEST(Shrink, stops_when_the_time_is_up_with_what_it_has) {
  const Found found = first_failure(weak_design(), 200);
  int left = 5;
  const Shrunk shrunk = shrink(
      found.scenario, found.failure,
      {.try_case = failures_by_its_seed, .zones = only_utc(), .go_on = [&left] { return left-- > 0; }});
  EXPECT_EQ(shrunk.end, Shrunk::End::time_up);
  EXPECT_LE(shrunk.tries, 5u);
  EXPECT_NE(find_same(failures_by_its_seed(shrunk.scenario), found.failure), nullptr);
}

TEST(Shrink, stops_after_a_number_of_tries_that_is_the_same_on_every_machine) {
  const Found found = first_failure(weak_design(), 200);
  const Shrunk shrunk = shrink(found.scenario, found.failure,
                               {.try_case = failures_by_its_seed, .zones = only_utc(), .most_tries = 5});
  EXPECT_EQ(shrunk.end, Shrunk::End::tries_up);
  EXPECT_EQ(shrunk.tries, 5u);
}

TEST(Shrink, follows_its_own_failure_among_others) {
  const Found found = first_failure(weak_design(), 200);
  const TryCase among_others = [](const Scenario& scenario) {
    std::vector<Failure> failures = failures_by_its_seed(scenario);
    failures.insert(failures.begin(), {"another-checker", "it fails as well", {}});
    return failures;
  };
  const Shrunk alone =
      shrink(found.scenario, found.failure, {.try_case = failures_by_its_seed, .zones = only_utc()});
  const Shrunk among = shrink(found.scenario, found.failure, {.try_case = among_others, .zones = only_utc()});
  EXPECT_EQ(print_scenario(among.scenario), print_scenario(alone.scenario));
}

TEST(Shrink, leaves_the_tail_to_what_is_owed_in_it) {
  Scenario failing = as_hunted(file_of(small(""))).scenario;
  failing.seed = 1;
  failing.tail = Duration::minutes(10);
  for (const auto& [checker, shorter] : {std::pair("leader-elected", false), std::pair("caught-up", false),
                                         std::pair("no-lost-fire", false), std::pair("one-believer", true)}) {
    const std::vector<Failure> always = {{checker, "it fails", {}}};
    const Shrunk shrunk = shrink(failing, always.front(),
                                 {.try_case = [&](const Scenario&) { return always; }, .zones = only_utc()});
    EXPECT_EQ(shrunk.scenario.tail < Duration::minutes(10), shorter) << checker;
  }
}

// The planted slip: another checker fails as soon as a fault is gone, and that must not count.
TEST(Shrink, does_not_go_over_to_another_failure) {
  const Found found = first_failure(weak_design(), 200);
  const std::size_t all = found.scenario.faults.size();
  const TryCase slippery = [&](const Scenario& scenario) -> std::vector<Failure> {
    if (scenario.faults.size() < all) return {{"another-checker", "it fails in another way", {}}};
    return failures_by_its_seed(scenario);
  };
  const Shrunk shrunk = shrink(found.scenario, found.failure, {.try_case = slippery, .zones = only_utc()});
  EXPECT_EQ(shrunk.scenario.faults.size(), all);
}

TEST(Shrink, takes_schedules_away_with_the_edits_that_name_them) {
  const Scenario scenario =
      as_hunted(file_of(small("[[schedule]]\nname = \"other\"\nevery = \"3s\"\n"
                              "[[change]]\nat = \"20s\"\naction = \"pause\"\nschedule = \"other\"\n"
                              "[[change]]\nat = \"30s\"\naction = \"delete\"\nschedule = \"job\"\n")))
          .scenario;
  Scenario failing = scenario;
  failing.seed = 1;
  // It fails as long as anything is left of `other`.
  const TryCase about_other = [](const Scenario& s) -> std::vector<Failure> {
    for (const ScheduleSetting& schedule : s.schedules)
      if (schedule.name == "other") return {{"planted", "other is there", {}}};
    return {};
  };
  const Shrunk shrunk =
      shrink(failing, about_other(failing).front(), {.try_case = about_other, .zones = only_utc()});
  ASSERT_EQ(shrunk.scenario.schedules.size(), 1u);
  EXPECT_EQ(shrunk.scenario.schedules.front().name, "other");
  EXPECT_TRUE(shrunk.scenario.changes.empty());
  EXPECT_EQ(shrunk.scenario.instances.size(), 1u);
}

}  // namespace
}  // namespace tenure::sim
