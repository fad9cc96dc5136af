// Mutants keep to what the file allows, and mutants of mutants do not grow without end.
#include "lab/hunt/mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "format/print/print.h"
#include "lab/hunt/strikes.h"
#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

// A line of descent: each is made from the one before.
std::vector<Case> descendants(const format::ScenarioFile& hunted, std::uint64_t generations,
                              std::uint64_t first_seed) {
  std::vector<Case> cases = {draw_case(hunted, first_seed)};
  const Case other = draw_case(hunted, first_seed + 1'000'000);
  for (std::uint64_t i = 1; i <= generations; ++i)
    cases.push_back(mutate(cases.back(), other, hunted, first_seed * 10'000 + i));
  return cases;
}

const std::string kOwn =
    "[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"
    "[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"20s\"\n";

TEST(Mutants, have_no_more_faults_than_hunt_allows) {
  for (const std::size_t most : {0U, 2U, 5U}) {
    const std::string range = most == 0 ? "0" : "1.." + std::to_string(most);
    const format::ScenarioFile bare = hunted("faults = \"" + range + "\"\n");
    const format::ScenarioFile own =
        as_hunted(sim::file_of(sim::small(kOwn + "[hunt]\nfaults = \"" + range + "\"\n")));
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      for (const Case& each : descendants(bare, 100, seed)) ASSERT_LE(each.scenario.faults.size(), most);
      for (const Case& each : descendants(own, 100, seed)) ASSERT_LE(each.scenario.faults.size(), most + 2);
    }
  }
}

TEST(Mutants, of_a_file_without_hunt_are_struck_by_its_own_faults_alone) {
  const format::ScenarioFile own = as_hunted(sim::file_of(sim::small(kOwn)));
  for (const Case& each : descendants(own, 300, 1)) ASSERT_LE(each.scenario.faults.size(), 2U);
}

TEST(Mutants, of_a_case_inside_the_claims_stay_inside) {
  const format::ScenarioFile scenario = hunted("faults = \"1..8\"\n");
  std::size_t lines_inside = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Case> line = descendants(scenario, 30, seed);
    if (!line.front().inside) continue;
    ++lines_inside;
    for (const Case& each : line) {
      ASSERT_TRUE(each.inside);
      ASSERT_TRUE(inside_claims(each.scenario));
    }
  }
  EXPECT_GT(lines_inside, 10U);
}

TEST(Mutants, of_a_hunt_are_inside_the_claims_about_as_often_as_not) {
  Hunt hunt(sim::file_of(sim::small("[hunt]\n")), {.first_seed = 1, .cases = 1'536});
  std::size_t mutants = 0;
  std::size_t inside = 0;
  while (hunt.begin_generation() > 0)
    while (hunt.generation_size() > 0) {
      Case made = hunt.make(hunt.next_case());
      if (made.mutated) ++mutants;
      if (made.mutated && made.inside) ++inside;
      const CaseResult result = result_of(made.scenario);
      hunt.take(std::move(made), result);
    }
  EXPECT_GT(inside * 100, mutants * 40) << inside << " of " << mutants;
  EXPECT_LT(inside * 100, mutants * 65) << inside << " of " << mutants;
}

// The longest of anything that may be stretched, and the latest of "the nth time".
struct Longest {
  Duration lasts;
  Duration waits;
  std::int64_t nth = 0;
  void see(const sim::FaultSetting& fault) {
    lasts = std::max(lasts, fault.duration.value_or(sim::Range<Duration>{}).high);
    const auto* on = std::get_if<sim::FaultSetting::On>(&fault.when);
    if (on == nullptr) return;
    waits = std::max(waits, on->after);
    nth = std::max(nth, on->nth);
  }
};

Longest longest_of(const format::ScenarioFile& scenario, std::uint64_t generations) {
  Longest longest;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const Case& each : descendants(scenario, generations, seed))
      for (const sim::FaultSetting& fault : each.scenario.faults) longest.see(fault);
  return longest;
}

TEST(Mutants, never_strike_for_longer_than_what_is_drawn) {
  const format::ScenarioFile scenario = hunted("faults = \"1..4\"\n");
  const Longest longest = longest_of(scenario, 400);
  EXPECT_LE(longest.lasts, longest_strike(scenario.scenario));
  EXPECT_LE(longest.waits, longest_strike(scenario.scenario));
  EXPECT_LE(longest.nth, 64);
}

// What the file has already is let be, however long it is.
TEST(Mutants, of_a_long_fault_of_the_file_do_not_outgrow_it) {
  const format::ScenarioFile scenario = as_hunted(sim::file_of(
      sim::small("[[fault]]\non = \"leads\"\nafter = \"90m\"\naction = \"pause\"\ntarget = \"leader\"\n"
                 "duration = \"1000h\"\n")));
  const Longest longest = longest_of(scenario, 200);
  EXPECT_EQ(longest.lasts, Duration::hours(1'000));
  EXPECT_EQ(longest.waits, Duration::minutes(90));
}

TEST(Mutants, of_mutants_are_files_still) {
  const format::ScenarioFile scenario = hunted("faults = \"1..8\"\n");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Case last = descendants(scenario, 500, seed).back();
    const format::ParseResult again =
        format::parse_scenario("mutant.toml", format::print_scenario(last.scenario));
    ASSERT_TRUE(again.scenario) << again.diagnostics.front().message << format::print_scenario(last.scenario);
  }
}

}  // namespace
}  // namespace tenure::lab
