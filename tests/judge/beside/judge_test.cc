// The fast checkers and the second judge say the same, in every scenario of the library and in hunted cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "format/print/print.h"
#include "lab/hunt/swarm.h"
#include "tests/judge/beside.h"
#include "tests/judge/histories.h"
#include "tests/scenarios/library.h"

namespace tenure::judging {

void PrintTo(const Source& source, std::ostream* out) { *out << source.name; }

namespace {

// How many seeds of each scenario, and which of each hunt.
std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// TENURE_JUDGE_KEEP: a file that the last case about which they differ is written to.
std::string kept(const sim::Scenario& scenario) {
  const char* path = std::getenv("TENURE_JUDGE_KEEP");
  if (path == nullptr) return {};
  std::ofstream(path) << format::print_scenario(scenario);
  return fmt::format(", kept in {}", path);
}

class Beside : public ::testing::TestWithParam<std::string> {};

TEST_P(Beside, the_checkers_agree_with_the_judge) {
  const sim::Scenario scenario = sim::parsed_file(GetParam());
  const std::uint64_t own = scenario.seed.value_or(1);
  for (std::uint64_t seed = own; seed < own + number("TENURE_JUDGE_SEEDS", 1); ++seed)
    EXPECT_EQ(differences({scenario, simulate(scenario, seed)}), "") << "seed " << seed;
}

std::string name_of_file(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(scenarios, Beside, ::testing::ValuesIn(sim::scenario_files()), name_of_file);

class Hunted : public ::testing::TestWithParam<Source> {};

TEST_P(Hunted, the_checkers_agree_with_the_judge) {
  const std::uint64_t first = number("TENURE_JUDGE_FIRST", 1);
  for (std::uint64_t seed = first; seed < first + number("TENURE_JUDGE_CASES", 100); ++seed) {
    const sim::Scenario drawn = lab::draw_case(GetParam().file, seed).scenario;
    EXPECT_EQ(differences({drawn, simulate(drawn, seed)}), "") << "seed " << seed << kept(drawn);
  }
}
INSTANTIATE_TEST_SUITE_P(hunts, Hunted, ::testing::ValuesIn(sources()),
                         [](const auto& source) { return source.param.name; });

TEST(Judges, are_of_checkers) {
  for (const Invariant& invariant : invariants())
    EXPECT_NE(sim::find_checker_kind(invariant.name), nullptr) << invariant.name;
}

}  // namespace
}  // namespace tenure::judging
