// Every scenario says of itself what is to come of it; here it is held to that.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/runner/run.h"
#include "tests/scenarios/library.h"

namespace tenure::sim {
namespace {

// With seeds other than the file's own, what must happen sometimes may not happen, but nothing may go wrong.
constexpr std::uint64_t kMoreSeeds = 5;

class EveryScenario : public ::testing::TestWithParam<std::string> {
 protected:
  EveryScenario() : scenario_(parsed_file(GetParam())) {}

  std::uint64_t own_seed() const { return scenario_.seed.value_or(0); }

  Scenario scenario_;
};

std::string explain(const RunResult& result) {
  std::string text =
      "seed " + std::to_string(result.seed) + " " + std::string(name_of(result.verdict)) + "\n";
  for (const CheckResult& check : result.checks) {
    if (check.verdict == Verdict::pass) continue;
    text += "  " + check.name + (check.demanded ? "" : " (reported only)") + " " + check.detail + "\n";
    for (const ReportedViolation& violation : check.violations) text += "    " + violation.message + "\n";
  }
  return text;
}

const CheckResult* find_check(const RunResult& result, const std::string& name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == name; });
  return found == result.checks.end() ? nullptr : &*found;
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

TEST_P(EveryScenario, passes_with_its_own_seed_and_strikes_with_each_of_its_faults) {
  ASSERT_TRUE(scenario_.seed.has_value()) << "a scenario of the library has a seed";
  const RunResult result = run(scenario_, own_seed());
  EXPECT_EQ(result.verdict, Verdict::pass) << explain(result);
  for (const FaultSetting& fault : scenario_.faults) {
    const bool drawn = std::holds_alternative<FaultSetting::Every>(fault.when);
    const bool struck = std::any_of(result.faults.begin(), result.faults.end(), [&](const FaultRun& run) {
      return run.took_effect() && run.action == fault.action && (drawn || run.id == fault.id);
    });
    EXPECT_TRUE(struck || fault.optional) << fault.action << ", line " << fault.line;
  }
}

TEST_P(EveryScenario, fails_with_no_other_seed) {
  for (std::uint64_t seed = 1; seed <= kMoreSeeds; ++seed) {
    const RunResult result = run(scenario_, seed);
    EXPECT_NE(result.verdict, Verdict::fail) << explain(result);
  }
}

TEST_P(EveryScenario, is_named_like_its_file_and_says_what_it_shows) {
  EXPECT_EQ(scenario_.name, stem(GetParam()));
  EXPECT_FALSE(scenario_.summary.empty());
  EXPECT_FALSE(scenario_.tags.empty());
  const bool canary =
      std::find(scenario_.tags.begin(), scenario_.tags.end(), "canary") != scenario_.tags.end();
  EXPECT_EQ(canary, scenario_.expect.fails.has_value());
  // What a hunt runs is judged by the claims.
  EXPECT_TRUE(canary || file_at(GetParam()).plans.hunt || scenario_.expect.always.has_value())
      << "it says what it demands";
}

TEST_P(EveryScenario, needs_its_faults_if_it_is_a_canary) {
  if (!scenario_.expect.fails) return;
  // An interval that is kept in memory is off its slots from the first one on, and a ticker acts after its turn.
  for (const char* name :
       {"weekly-job-in-memory", "job-rarer-than-restarts-in-memory", "ticker-on-token-ring"})
    if (scenario_.name == name) return;
  scenario_.faults.clear();
  for (DestinationSetting& destination : scenario_.destinations) {
    destination.failing_ppm = 0;
    destination.answers_lost_ppm = 0;
  }
  const RunResult result = run(scenario_, own_seed());
  const CheckResult* check = find_check(result, *scenario_.expect.fails);
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check->violation_count, 0u) << "it fails without any fault: " << explain(result);
}

INSTANTIATE_TEST_SUITE_P(Library, EveryScenario, ::testing::ValuesIn(scenario_files()), [](const auto& one) {
  std::string name = stem(one.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tenure::sim
