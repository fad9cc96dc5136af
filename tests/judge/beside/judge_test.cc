// The fast checkers and the second judge say the same, in every scenario of the library and in hunted cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "format/print/print.h"
#include "lab/hunt/swarm.h"
#include "tests/judge/beside.h"
#include "tests/judge/mixed.h"
#include "tests/scenarios/library.h"

namespace tenure::judging {
namespace {

// TENURE_JUDGE_SEEDS: how many seeds of each scenario, and of each hunt.
std::uint64_t seeds(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// TENURE_JUDGE_KEEP: a file that the last case about which they differ is written to.
std::string kept(const sim::Scenario& scenario) {
  const char* path = std::getenv("TENURE_JUDGE_KEEP");
  if (path == nullptr) return {};
  std::ofstream(path) << sim::print_scenario(scenario);
  return fmt::format(", kept in {}", path);
}

// A leader of ours steps aside when it is stuck, so there is little to see. Here it stays.
bool can_be_kept(const sim::Scenario& scenario) {
  return scenario.scheduler != nullptr && scenario.scheduling.find("stall_timeout") >= 0;
}
void compare_staying(const sim::Scenario& scenario, std::uint64_t seed) {
  sim::Scenario staying = scenario;
  staying.scheduling.set(scenario.scheduling.find("stall_timeout"), 0);
  EXPECT_EQ(differences(staying, seed, scenario), "") << scenario.name << " seed " << seed << kept(staying);
}

class Beside : public ::testing::TestWithParam<std::string> {};

TEST_P(Beside, the_checkers_agree_with_the_judge_also_about_leaders_that_stay) {
  const sim::Scenario scenario = sim::parsed_file(GetParam());
  const std::uint64_t own = scenario.seed.value_or(1);
  for (std::uint64_t seed = own; seed < own + seeds("TENURE_JUDGE_SEEDS", 1); ++seed)
    EXPECT_EQ(differences(scenario, seed, scenario), "") << "seed " << seed;
  if (can_be_kept(scenario)) compare_staying(scenario, own);
}

std::string name_of_file(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(scenarios, Beside, ::testing::ValuesIn(sim::scenario_files()), name_of_file);

void compare_hunted(const sim::ScenarioFile& hunted) {
  const std::uint64_t first = seeds("TENURE_JUDGE_FIRST", 1);
  for (std::uint64_t seed = first; seed < first + seeds("TENURE_JUDGE_CASES", 100); ++seed) {
    const sim::Case drawn = sim::draw_case(hunted, seed);
    EXPECT_EQ(differences(drawn.scenario, seed, drawn.scenario), "")
        << "seed " << seed << kept(drawn.scenario);
  }
}

class Hunted : public ::testing::TestWithParam<const char*> {};

TEST_P(Hunted, the_checkers_agree_with_the_judge) {
  compare_hunted(
      sim::as_hunted(sim::file_at(fmt::format("{}/scenarios/{}.toml", TENURE_SOURCE_DIR, GetParam()))));
}

std::string with_underscores(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}
std::string name_of_hunt(const ::testing::TestParamInfo<const char*>& info) {
  return with_underscores(info.param);
}
INSTANTIATE_TEST_SUITE_P(hunts, Hunted,
                         ::testing::Values("schedules/hunt-minute", "election/hunt-elections", "hunt",
                                           "delivery/hunt-deliveries"),
                         name_of_hunt);

// Schedules for workers, who are paused, die, and stop; and schedules that give up late slots without a ledger.
class HuntedWorkers : public ::testing::TestWithParam<const char*> {};

TEST_P(HuntedWorkers, the_checkers_agree_with_the_judge) {
  compare_hunted(sim::as_hunted(
      sim::file_at(fmt::format("{}/tests/judge/mutants/{}.toml", TENURE_SOURCE_DIR, GetParam()))));
}
INSTANTIATE_TEST_SUITE_P(hunts, HuntedWorkers, ::testing::Values("workers", "turns", "late"), name_of_hunt);

TEST(StayingLeaders, of_hunts_are_judged_alike) {
  for (const char* name : {"schedules/hunt-minute", "hunt"}) {
    const sim::ScenarioFile hunted =
        sim::as_hunted(sim::file_at(fmt::format("{}/scenarios/{}.toml", TENURE_SOURCE_DIR, name)));
    for (std::uint64_t seed = 1; seed <= seeds("TENURE_JUDGE_CASES", 100); ++seed)
      if (const sim::Scenario drawn = sim::draw_case(hunted, seed).scenario; can_be_kept(drawn))
        compare_staying(drawn, seed);
  }
}

class Mixed : public ::testing::TestWithParam<Pair> {};

TEST_P(Mixed, the_checkers_agree_with_the_judge) {
  for (const bool idempotent : {true, false}) {
    compare_hunted(mixed(GetParam(), idempotent));
  }
}

std::string name_of_pair(const ::testing::TestParamInfo<Pair>& info) {
  return with_underscores(info.param.first + "_" + info.param.second);
}
INSTANTIATE_TEST_SUITE_P(hunts, Mixed, ::testing::ValuesIn(pairs()), name_of_pair);

TEST(Judges, there_is_one_for_each_checker) {
  for (const sim::CheckerKind& kind : sim::checker_kinds()) {
    const auto all = invariants();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Invariant& invariant) {
      return invariant.name == kind.name;
    })) << kind.name;
  }
}

// A judge that never saw anything broken has shown nothing.
class Tallied : public ::testing::Environment {
 public:
  void TearDown() override {
    for (const auto& [name, counted] : tally())
      std::cout << fmt::format("{:<22} judged {:>7}  broken {:>6}\n", name, counted.judged, counted.broken);
  }
};
const auto* const kTallied = ::testing::AddGlobalTestEnvironment(new Tallied);

}  // namespace
}  // namespace tenure::judging
