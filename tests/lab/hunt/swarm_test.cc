// Cases: literal, by the seed alone, inside the claims or beyond them, of families that are on.
#include "lab/hunt/swarm.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "format/print/print.h"
#include "lab/hunt/mutation.h"
#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

struct Design {
  std::string_view protocol;
  std::string_view scheduler;
};
constexpr Design kDesigns[] = {{"fenced-lease", "fenced-outbox"},
                               {"fenced-lease", "in-memory"},
                               {"client-go", "ticker"},
                               {"db-lease", "none"},
                               {"token-ring", "none"}};
constexpr std::string_view kAll =
    "faults = \"1..12\"\ninstances = \"1..6\"\nstore_latency = \"1ms..4s\"\nnetwork_latency = \"1ms..2s\"\n";

// What is printed and parsed again is the same run.
void expect_literal(const sim::Scenario& scenario) {
  const std::string text = format::print_scenario(scenario);
  const format::ParseResult again = format::parse_scenario("case.toml", text);
  ASSERT_TRUE(again.scenario) << again.diagnostics.front().message << "\n" << text;
  const sim::RunResult drawn = sim::run(scenario, *scenario.seed, {.story = false});
  const sim::RunResult literal = sim::run(*again.scenario, *again.scenario->seed, {.story = false});
  EXPECT_EQ(drawn.trace_hash, literal.trace_hash) << text;
}

TEST(Swarm, a_case_runs_from_its_print_with_the_same_trace) {
  for (const Design& design : kDesigns) {
    const format::ScenarioFile scenario = hunted(kAll, design.protocol, design.scheduler);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) expect_literal(draw_case(scenario, seed).scenario);
  }
}

TEST(Swarm, a_mutant_runs_from_its_print_with_the_same_trace) {
  for (const Design& design : kDesigns) {
    const format::ScenarioFile scenario = hunted(kAll, design.protocol, design.scheduler);
    Case made = draw_case(scenario, 1);
    for (std::uint64_t seed = 2; seed <= 60; ++seed) {
      made = mutate(made, draw_case(scenario, seed), scenario, seed);
      EXPECT_TRUE(made.mutated);
      expect_literal(made.scenario);
    }
  }
}

TEST(Swarm, a_case_follows_from_its_seed_alone) {
  const format::ScenarioFile scenario = hunted(kAll);
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    EXPECT_EQ(format::print_scenario(draw_case(scenario, seed).scenario),
              format::print_scenario(draw_case(scenario, seed).scenario));
  EXPECT_NE(format::print_scenario(draw_case(scenario, 1).scenario),
            format::print_scenario(draw_case(scenario, 2).scenario));
}

TEST(Swarm, about_half_of_the_families_stay_away) {
  const format::ScenarioFile scenario = hunted("faults = 60");
  std::array<int, sim::kFaultFamilies> seen{};
  constexpr int kSeeds = 400;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::set<sim::FaultFamily> families;
    const Case made = draw_case(scenario, seed);
    if (made.inside) continue;  // there, what breaks claims is drawn again
    for (const sim::FaultSetting& fault : made.scenario.faults)
      families.insert(sim::find_fault_kind(fault.action)->family);
    for (const sim::FaultFamily family : families) ++seen[static_cast<std::size_t>(family)];
  }
  std::set<sim::FaultFamily> there;
  for (const sim::FaultKind& kind : sim::fault_kinds()) there.insert(kind.family);
  for (const sim::FaultFamily family : there) {
    const int times = seen[static_cast<std::size_t>(family)];
    EXPECT_GT(times, kSeeds / 10) << name_of(family);
    EXPECT_LT(times, kSeeds * 6 / 10) << name_of(family);
  }
}

TEST(Swarm, about_half_of_the_cases_stay_inside_the_claims) {
  const format::ScenarioFile scenario = hunted("faults = \"4..8\"");
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Case made = draw_case(scenario, seed);
    if (made.inside) ++inside;
    EXPECT_EQ(made.inside, inside_claims(made.scenario));
  }
  EXPECT_GT(inside, 160);
  EXPECT_LT(inside, 260);
}

// The planted fault: one that breaks what a claim rests on, in a case that is said to be inside.
TEST(Swarm, a_clock_beyond_the_bound_is_not_inside_the_claims) {
  const std::string fault = "[[fault]]\nat = \"10s\"\naction = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = ";
  EXPECT_TRUE(inside_claims(sim::parsed(sim::small(fault + "400\n"))));
  EXPECT_FALSE(inside_claims(sim::parsed(sim::small(fault + "600\n"))));
}

// By what the settings break it is judged, and not by the faults alone.
TEST(Swarm, a_store_that_is_slower_than_anybody_waits_is_not_inside_the_claims_and_is_struck_all_the_same) {
  EXPECT_FALSE(inside_claims(sim::parsed(sim::small("[store]\nlatency = \"4s\"\n"))));
  const format::ScenarioFile scenario = hunted("faults = 4\nstore_latency = \"4s..5s\"");
  std::size_t struck = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Case made = draw_case(scenario, seed);
    EXPECT_FALSE(made.inside) << seed;
    struck += made.scenario.faults.empty() ? 0 : 1;
  }
  EXPECT_GT(struck, 40U);
}

TEST(Swarm, a_file_that_says_nothing_of_hunts_is_judged_by_claims_alone) {
  const format::ScenarioFile scenario = as_hunted(
      sim::file_of(sim::small("[expect]\nalways = [\"one-believer\"]\neventually = [\"leader-elected\"]\n")));
  EXPECT_EQ(scenario.scenario.expect.always, std::vector<std::string>{});
  EXPECT_EQ(scenario.scenario.expect.eventually, std::vector<std::string>{});
}

TEST(Swarm, a_family_that_is_not_named_never_strikes) {
  const format::ScenarioFile scenario = hunted("families = [\"pause\", \"network\"]\nfaults = 10");
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    for (const sim::FaultSetting& fault : draw_case(scenario, seed).scenario.faults) {
      const sim::FaultFamily family = sim::find_fault_kind(fault.action)->family;
      EXPECT_TRUE(family == sim::FaultFamily::pause || family == sim::FaultFamily::network) << fault.action;
    }
}

TEST(Swarm, clusters_come_from_the_ranges_of_the_file) {
  const format::ScenarioFile scenario = hunted(kAll);
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const sim::Scenario made = draw_case(scenario, seed).scenario;
    sizes.insert(made.instances.size());
    EXPECT_GE(made.store.latency.max(), Duration::millis(1));
    EXPECT_LE(made.store.latency.max(), Duration::seconds(4));
    EXPECT_LE(made.network.latency.max(), Duration::seconds(2));
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Swarm, a_file_with_faults_of_its_own_is_struck_by_those_alone) {
  const format::ScenarioFile scenario = as_hunted(sim::file_of(
      sim::small("[[fault]]\nevery = \"20s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"
                 "[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"20s\"\n")));
  std::set<std::size_t> kills;
  std::set<std::size_t> pauses;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::size_t killed = 0;
    std::size_t paused = 0;
    for (const sim::FaultSetting& fault : draw_case(scenario, seed).scenario.faults)
      ++(fault.action == "kill" ? killed : paused);
    kills.insert(killed);
    pauses.insert(paused);
  }
  EXPECT_GT(kills.size(), 3u);  // none, and more or less often
  EXPECT_EQ(kills.count(0), 1u);
  EXPECT_EQ(pauses, (std::set<std::size_t>{0, 1}));
}

TEST(Swarm, a_canary_is_hunted_for_what_it_shows) {
  const format::ScenarioFile canary =
      as_hunted(sim::file_of(sim::small("[expect]\nfails = \"one-believer\"\n", "client-go", "none")));
  EXPECT_FALSE(canary.scenario.expect.fails);
  ASSERT_TRUE(canary.scenario.expect.always);
  EXPECT_EQ(canary.scenario.expect.always->back(), "one-believer");
}

TEST(Swarm, magnitudes_are_as_likely_short_as_long) {
  int short_ones = 0;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    const Duration length = draw_magnitude(sim::KeyedRng(i), Duration::millis(1), Duration::seconds(100));
    EXPECT_GE(length, Duration::millis(1));
    EXPECT_LE(length, Duration::seconds(100));
    if (length < Duration::millis(316)) ++short_ones;  // the middle, by magnitude
  }
  EXPECT_NEAR(short_ones, 500, 80);
}

}  // namespace
}  // namespace tenure::lab
