// Each scenario beside a shipped design ends as it says, whatever the seed, and does the same each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/load.h"
#include "lab/session/scenario_reader.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

constexpr const char* kFolder = TENURE_SOURCE_DIR "/scenarios/designs";
struct Seeds {
  std::uint64_t run;
  std::uint64_t repeated;
};
constexpr Seeds kSimulated = {.run = 10, .repeated = 2};
constexpr Seeds kOnAServer = {.run = 3, .repeated = 1};  // with real statements, hundreds a second

std::vector<lab::ReadScenario> shipped() {
  const std::string paths[] = {kFolder};
  return lab::read_scenarios(paths, cli::scenario_reader());
}

std::vector<std::string> shipped_files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// client-go itself is no part of this project; scenarios/designs/go/client_go/fetch.sh brings it.
constexpr std::string_view kClientGo = "client_go";
bool is_away(std::string_view path) {
  return path.find("/go/client-go") != std::string_view::npos &&
         !std::filesystem::exists(TENURE_SOURCE_DIR "/.cache/client-go/src");
}

class ShippedDesign : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedDesign, ends_as_its_file_says) {
  if (is_away(GetParam())) GTEST_SKIP() << "`sh scenarios/designs/go/client_go/fetch.sh` brings what it runs";
  const std::string paths[] = {GetParam()};
  for (const lab::ReadScenario& each : lab::read_scenarios(paths, cli::scenario_reader())) {
    ASSERT_TRUE(each.file.has_value())
        << each.path << ": "
        << (each.diagnostics.empty() ? each.unreadable : each.diagnostics.front().message);
    const Scenario& scenario = each.file->scenario;
    const Seeds seeds = scenario.store.engine == nullptr ? kSimulated : kOnAServer;
    for (std::uint64_t seed = 1; seed <= seeds.run; ++seed) {
      const RunResult result = run(scenario, seed, {.story = false});
      EXPECT_EQ(result.verdict, Verdict::pass) << "seed " << seed;
      if (seed <= seeds.repeated) {
        EXPECT_EQ(result.trace_hash, run(scenario, seed, {.story = false}).trace_hash);
      }
    }
  }
}

std::string name_of_file(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(std::string(kFolder).size() + 1);
  name.erase(name.rfind(".toml"));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(designs, ShippedDesign, ::testing::ValuesIn(shipped_files()), name_of_file);

TEST(ShippedDesigns, say_which_of_their_scenarios_are_canaries) {
  for (const lab::ReadScenario& each : shipped()) {
    if (!each.file) continue;
    const Scenario& scenario = each.file->scenario;
    EXPECT_EQ(std::count(scenario.tags.begin(), scenario.tags.end(), "canary"),
              scenario.expect.fails.has_value() ? 1 : 0)
        << each.path;
  }
}

// Its one statement is refused: there is nothing that it does well.
constexpr std::string_view kNeverRuns = "article-lease-as-printed.lua";

TEST(ShippedDesigns, in_lua_each_have_a_scenario_that_passes_and_a_canary) {
  const std::vector<lab::ReadScenario> all = shipped();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() != ".lua") continue;
    const std::string name = entry.path().filename().string();
    const auto has_one = [&all, &name](bool canary) {
      return std::any_of(all.begin(), all.end(), [&name, canary](const lab::ReadScenario& each) {
        return each.file && each.file->scenario.expect.fails.has_value() == canary &&
               (each.file->scenario.design == name || each.file->scenario.scheduler_design == name);
      });
    };
    EXPECT_TRUE(has_one(true)) << name;
    EXPECT_EQ(has_one(false), name != kNeverRuns) << name;
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
  for (const auto& entry : std::filesystem::directory_iterator(TENURE_SOURCE_DIR "/scenarios/designs/python"))
    if (entry.path().extension() == ".py")
      has_a_scenario_that_passes_and_a_canary(entry.path().filename().string());
}

TEST(ShippedDesigns, in_go_each_have_a_scenario_that_passes_and_a_canary) {
  for (const auto& entry : std::filesystem::directory_iterator(TENURE_SOURCE_DIR "/scenarios/designs/go"))
    if (entry.is_directory() && (entry.path().filename() != kClientGo || !is_away("/go/client-go")))
      has_a_scenario_that_passes_and_a_canary(entry.path().filename().string() + "/main.go");
}

}  // namespace
}  // namespace tenure::sim
