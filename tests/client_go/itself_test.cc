// The model of client-go beside the library itself, which runs as a node in the same scenarios
// (scenarios/designs/go/client_go).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/designs.h"
#include "cli/engines.h"
#include "format/parse/parse.h"
#include "tests/client_go/measure.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kOfTheModel = 300;

// A run of the library takes a hundred times as long as one of the model. More can be asked for.
std::uint64_t seeds() {
  const char* asked = std::getenv("TENURE_CLIENT_GO_SEEDS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 25;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
  return text;
}

MeasuredScenario scenario_of(const std::string& name) {
  MeasuredScenario scenario = measured_scenario(name);
  // The times in a record have whole seconds. The library's begin with those of its wall clock, and the faults of these
  // scenarios come at whole seconds: so each clock is off by a part of one. The model draws that by itself.
  if (name != "g-rates") scenario.sets.push_back({"cluster.clock", "{ offset = \"0s..1s\" }"});
  return scenario;
}

Scenario parsed(MeasuredScenario scenario, const format::Override& set) {
  scenario.sets.push_back(set);
  format::ParseResult read = format::parse_scenario(
      TENURE_SOURCE_DIR "/scenarios/designs/go/here.toml", scenario.text, scenario.sets, only_utc(), nullptr,
      cli::store_engines(), nullptr, format::Unsafe::must_be_accepted, &cli::design_files());
  for (const format::Diagnostic& each : read.diagnostics)
    if (!read.scenario) ADD_FAILURE() << each.message;
  return read.scenario.value();
}

// How many requests a second the library's client sends at the most; 0: as many as it is asked for.
Scenario of_the_library(MeasuredScenario scenario, int limit) {
  scenario.text = replaced(scenario.text, "protocol = \"client-go\"",
                           "node = { command = [\"sh\", \"client_go/run.sh\", \"client_go/apiserver.go\", "
                           "\"client_go/main.go\"] }");
  return parsed(scenario, {"election.requests_per_second", std::to_string(limit)});
}
Scenario of_the_model(const MeasuredScenario& scenario) {
  return parsed(scenario, {"election.release", "\"0.29\""});
}

class ClientGoItself : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(TENURE_SOURCE_DIR "/.cache/client-go/src"))
      GTEST_SKIP() << "client-go is not here; `sh scenarios/designs/go/client_go/fetch.sh` brings it";
  }
};

// ---- what differs ----------------------------------------------------------------------------------------
// The library is v0.20.2, and the model stands for v0.27 to v0.29. Each of these was seen in the library's own words.

constexpr int kUsualLimit = 5;

// kubernetes#114872, repaired in v0.27.
TEST_F(ClientGoItself, takes_a_lease_after_its_own_duration_and_not_the_records) {
  const MeasuredScenario scenario = scenario_of("f-shorter-crash");
  const ManyRuns library = measure(of_the_library(scenario, 0), seeds());
  const ManyRuns model = measure(of_the_model(scenario), kOfTheModel);
  EXPECT_LT(library.numbers.at("failover").mean(), model.numbers.at("failover").mean() - 1);
}

// A get that fails leaves the lock with an empty Lease, and the client sends nothing for an object without a name. So a
// leader that is cut off does not wait for its release, and stops leading in time.
TEST_F(ClientGoItself, sends_no_release_after_a_get_that_failed) {
  for (const char* file : {"e-release-cut", "e-release-cut-patient"}) {
    const MeasuredScenario scenario = scenario_of(file);
    const ManyRuns library = measure(of_the_library(scenario, 0), seeds());
    EXPECT_LT(library.numbers.at("loss_after").mean(), 12) << file;
    EXPECT_EQ(library.overlap_share, 0) << file;
    EXPECT_GT(measure(of_the_model(scenario), kOfTheModel).overlap_share, 0.2) << file;
  }
}

// The model has no such limit: with a lease of 1 s, a client of the usual settings asks too rarely to keep it.
TEST_F(ClientGoItself, loses_a_lease_of_a_second_by_the_limit_of_its_own_client) {
  const MeasuredScenario scenario = scenario_of("s-seconds");
  EXPECT_GT(measure(of_the_library(scenario, kUsualLimit), seeds()).numbers.at("losses").mean(), 20);
  EXPECT_LT(measure(of_the_library(scenario, 0), seeds()).numbers.at("losses").mean(), 1);
}

// ---- what does not ---------------------------------------------------------------------------------------

class ClientGoItselfIn : public ClientGoItself, public ::testing::WithParamInterface<std::string> {};

TEST_P(ClientGoItselfIn, does_what_the_model_does) {
  const MeasuredScenario scenario = scenario_of(GetParam());
  expect_agreement(measure(of_the_library(scenario, 0), seeds()),
                   measure(of_the_model(scenario), kOfTheModel));
}

const std::set<std::string> kOthers = {"f-shorter-crash", "e-release-cut", "e-release-cut-patient"};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const MeasuredScenario& one : measured_scenarios())
    if (!kOthers.contains(one.name)) all.push_back(one.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Scenarios, ClientGoItselfIn, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tenure::sim
