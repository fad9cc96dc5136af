// The model of client-go beside numbers of the library itself, and of a second model (README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "format/parse/parse.h"
#include "tests/client_go/measure.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kSeeds = 150;
const std::string kOfTheLibrary = TENURE_SOURCE_DIR "/tests/client_go/";

// The build draws some (draw.py); TENURE_CLIENT_GO_DRAWN names others.
std::string drawn() {
  const char* folder = std::getenv("TENURE_CLIENT_GO_DRAWN");
  return folder != nullptr ? folder + std::string("/") : TENURE_DRAWN;
}

// What somebody else measured, and wrote down.
ManyRuns written(const nlohmann::json& real) {
  ManyRuns all;
  all.runs = real["runs"];
  all.overlap_share = real["overlap_share"];
  for (const char* what : {"losses", "loss_after", "failover", "overlap", "leaderless", "requests"}) {
    const nlohmann::json& number = real[what];
    if (number["n"] > 0) all.numbers[what] = Numbers::of(number["n"], number["mean"], number["sd"]);
  }
  return all;
}

void model_agrees(MeasuredScenario scenario, const nlohmann::json& real, std::string_view release) {
  scenario.sets.push_back({"election.release", "\"" + std::string(release) + "\""});
  const format::ParseResult parsed = format::parse_scenario(scenario.name, scenario.text, scenario.sets);
  ASSERT_TRUE(parsed.scenario) << format::render(parsed.diagnostics.front());
  expect_agreement(written(real), measure(*parsed.scenario, kSeeds));
}

nlohmann::json expected(const std::string& folder, const std::string& name, const std::string& tag) {
  return nlohmann::json::parse(std::ifstream(folder + "expected.json"))[name][tag];
}

std::string test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class ClientGoReference : public ::testing::TestWithParam<MeasuredScenario> {};

TEST_P(ClientGoReference, the_model_does_what_v0_29_0_does) {
  model_agrees(GetParam(), expected(kOfTheLibrary, GetParam().name, "v0.29.0"), "0.29");
}
TEST_P(ClientGoReference, the_model_does_what_v0_36_0_does) {
  model_agrees(GetParam(), expected(kOfTheLibrary, GetParam().name, "v0.36.0"), "0.36");
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ClientGoReference, ::testing::ValuesIn(measured_scenarios()),
                         [](const auto& test) { return test_name(test.param.name); });

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "scenarios"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class ClientGoSecondModel : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ClientGoSecondModel, the_two_models_agree) {
  const auto& [file, release] = GetParam();
  std::ifstream in(drawn() + "scenarios/" + file + ".toml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  model_agrees({.name = file, .text = text, .sets = {}}, expected(drawn(), file, release), release);
}

INSTANTIATE_TEST_SUITE_P(Drawn, ClientGoSecondModel,
                         ::testing::Combine(::testing::ValuesIn(files_of(drawn())),
                                            ::testing::Values("0.29", "0.31", "0.33", "0.36", "0.37")),
                         [](const auto& test) {
                           return test_name(std::get<0>(test.param) + "_" + std::get<1>(test.param));
                         });

}  // namespace
}  // namespace tenure::sim
