// Each scenario beside a shipped design ends as it says, whatever the seed, and does the same each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/load.h"
#include "lab/session/scenario_reader.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kSeeds = 20;

std::vector<lab::ReadScenario> shipped() {
  const std::string paths[] = {TENURE_SOURCE_DIR "/designs"};
  return lab::read_scenarios(paths, cli::scenario_reader());
}

TEST(ShippedDesigns, end_as_their_files_say) {
  for (const lab::ReadScenario& each : shipped()) {
    ASSERT_TRUE(each.file.has_value())
        << each.path << ": "
        << (each.diagnostics.empty() ? each.unreadable : each.diagnostics.front().message);
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const RunResult result = run(each.file->scenario, seed, {.story = false});
      EXPECT_EQ(result.verdict, Verdict::pass) << each.path << ", seed " << seed;
      if (seed <= 2) {
        EXPECT_EQ(result.trace_hash, run(each.file->scenario, seed, {.story = false}).trace_hash);
      }
    }
  }
}

TEST(ShippedDesigns, each_have_a_scenario) {
  for (const auto& entry : std::filesystem::directory_iterator(TENURE_SOURCE_DIR "/designs")) {
    if (entry.path().extension() != ".lua") continue;
    const std::vector<lab::ReadScenario> all = shipped();
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&name](const lab::ReadScenario& each) {
      return each.file &&
             (each.file->scenario.design == name || each.file->scenario.scheduler_design == name);
    })) << name;
  }
}

void has_a_scenario_that_passes_and_a_canary(const std::string& program) {
  int canaries = 0;
  int others = 0;
  for (const lab::ReadScenario& each : shipped()) {
    if (!each.file) continue;
    const auto runs = [&program](const std::vector<std::string>& command) {
      return !command.empty() && command.back() == program;
    };
    if (!runs(each.file->scenario.command) && !runs(each.file->scenario.scheduler_command)) continue;
    ++(each.file->scenario.expect.fails ? canaries : others);
  }
  EXPECT_EQ(canaries, 1) << program;
  EXPECT_EQ(others, 1) << program;
}

TEST(ShippedDesigns, in_python_each_have_a_scenario_that_passes_and_a_canary) {
  for (const auto& entry : std::filesystem::directory_iterator(TENURE_SOURCE_DIR "/designs/python"))
    if (entry.path().extension() == ".py")
      has_a_scenario_that_passes_and_a_canary(entry.path().filename().string());
}

TEST(ShippedDesigns, in_go_each_have_a_scenario_that_passes_and_a_canary) {
  for (const auto& entry : std::filesystem::directory_iterator(TENURE_SOURCE_DIR "/designs/go"))
    if (entry.is_directory())
      has_a_scenario_that_passes_and_a_canary(entry.path().filename().string() + "/main.go");
}

}  // namespace
}  // namespace tenure::sim
