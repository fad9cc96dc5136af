// The same design three times: db-lease in C++ on its own store machine, and article-lease in Lua and in Python on SQL.
// Under the same seed all believe the same at the same instants. None knows the others' code, so that a mistake in a
// host of designs, in the SQL engine or in the model shows here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/describe.h"
#include "sim/runner/run.h"
#include "tests/designs/shipped.h"

namespace tenure::sim {
namespace {

// What the instances note of their belief, and when.
class Beliefs final : public Observer {
 public:
  void see(TrueTime now, const Record& record) override {
    const auto* noted = std::get_if<Noted>(&record);
    if (noted == nullptr) return;
    const bool belief =
        std::holds_alternative<Believes>(noted->note) || std::holds_alternative<StepsDown>(noted->note);
    if (belief)
      lines.push_back(fmt::format("{} {} {}", now.ns(), describe(noted->who), describe(noted->note)));
  }
  std::vector<std::string> lines;
};

struct Told {
  std::vector<std::string> beliefs;
  RunResult result;
};
Told told(const Scenario& scenario, std::uint64_t seed) {
  Beliefs beliefs;
  RunResult result = run(scenario, seed, {.trace = &beliefs, .story = false});
  return {std::move(beliefs.lines), std::move(result)};
}

// Faults of many kinds, drawn anew for each seed.
const char* const kTroubled = R"(
[cluster]
instances = 3
{}
start_spread = "2s"
clock = {{ offset = "-300ms..300ms", rate_ppm = "-100..100" }}

[store]
latency = {{ p50 = "2ms", p99 = "40ms", max = "1s" }}

[[fault]]
every = "20s"
action = "kill"
target = "believer"
duration = "1s..15s"

[[fault]]
every = "25s"
action = "pause"
target = "believer"
duration = "1s..12s"

[[fault]]
every = "30s"
action = "partition"
target = "one"
peers = "store"
duration = "2s..20s"

[[fault]]
every = "40s"
action = "stop"
target = "believer"
grace = "5s"
duration = "2s"

[[fault]]
every = "50s"
action = "store-down"
duration = "1s..8s"
)";

// `elected`: the line that says by what.
Scenario troubled(const std::string& elected) {
  return parsed("format = 1\nname = \"truth\"\n[sim]\nduration = \"4m\"\ntail = \"60s\"\n" +
                fmt::format(fmt::runtime(kTroubled), elected));
}

void believes_what_the_one_in_cpp_does(const std::string& elected, std::uint64_t seeds) {
  const Scenario in_cpp = troubled("protocol = \"db-lease\"");
  const Scenario other = troubled(elected);
  std::size_t beliefs = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Told cpp = told(in_cpp, seed);
    const Told theirs = told(other, seed);
    ASSERT_EQ(cpp.beliefs, theirs.beliefs) << "seed " << seed;
    ASSERT_EQ(cpp.result.metrics.leaderless, theirs.result.metrics.leaderless) << "seed " << seed;
    beliefs += cpp.beliefs.size();
  }
  EXPECT_GT(beliefs, seeds * 33);
}

TEST(Truth, the_lease_in_sql_and_lua_believes_what_the_one_in_cpp_does) {
  believes_what_the_one_in_cpp_does("protocol = \"article-lease.lua\"", 300);
}

TEST(Truth, the_lease_in_sql_and_python_believes_what_the_one_in_cpp_does) {
  believes_what_the_one_in_cpp_does(
      "node = { command = [\"python3\", \"../shims/python/tenure\", \"python/article_lease.py\"] }", 100);
}

}  // namespace
}  // namespace tenure::sim
