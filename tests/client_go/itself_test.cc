// The model of client-go beside the library itself, which runs as a node in the same scenarios (designs/go/client_go).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/designs.h"
#include "cli/engines.h"
#include "format/build/parse.h"
#include "tests/client_go/measure.h"

namespace tenure::sim {
namespace {

const std::string kScenarios = TENURE_SOURCE_DIR "/tests/client_go/scenarios/";

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

std::string text_of(const std::string& file) {
  std::ifstream in(kScenarios + file + ".toml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  // The times in a record have whole seconds. The library's begin with those of its wall clock, and the faults of these
  // scenarios come at whole seconds: so each clock is off by a part of one. The model draws that by itself.
  if (text.find("clock =") != std::string::npos) return text;
  return replaced(text, "[cluster]\n", "[cluster]\nclock = { offset = \"0s..1s\" }\n");
}

Scenario parsed(const std::string& text, const std::vector<Override>& sets) {
  ParseResult read =
      parse_scenario(TENURE_SOURCE_DIR "/designs/go/here.toml", text, sets, only_utc(), nullptr,
                     cli::store_engines(), nullptr, Unsafe::must_be_accepted, &cli::design_files());
  for (const Diagnostic& each : read.diagnostics)
    if (!read.scenario) ADD_FAILURE() << each.message;
  return read.scenario.value();
}

Scenario of_the_library(const std::string& text) {
  return parsed(replaced(text, "protocol = \"client-go\"",
                         "node = { command = [\"sh\", \"client_go/run.sh\", \"client_go/apiserver.go\", "
                         "\"client_go/main.go\"] }"),
                {});
}
Scenario of_the_model(const std::string& text) { return parsed(text, {{"election.release", "\"0.29\""}}); }

class ClientGoItself : public testing::TestWithParam<std::string> {
  void SetUp() override {
    if (!std::filesystem::exists(TENURE_SOURCE_DIR "/.cache/client-go/src"))
      GTEST_SKIP() << "client-go is not here; `sh designs/go/client_go/fetch.sh` brings it";
  }
};

TEST_P(ClientGoItself, does_what_the_model_does) {
  const std::string text = text_of(GetParam());
  expect_agreement(measure(of_the_library(text), seeds()),
                   measure(of_the_model(text), std::max<std::uint64_t>(seeds(), 300)));
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(Scenarios, ClientGoItself, testing::ValuesIn(files()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace tenure::sim
