// The same design five times: db-lease in C++ on its own store machine, and article-lease in Lua on both engines for
// SQL, in Python, and in Go.
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

struct NarratedEvent {
  std::vector<std::string> beliefs;
  RunResult result;
};
NarratedEvent told(const Scenario& scenario, std::uint64_t seed) {
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
{}latency = {{ p50 = "2ms", p99 = "40ms", max = "1s" }}

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

// `elected`: the line that says by what; `store`: what else is said of the store.
Scenario troubled(const std::string& elected, const std::string& store = "", const char* tail = "60s") {
  return parsed(fmt::format("format = 1\nname = \"truth\"\n[sim]\nduration = \"4m\"\ntail = \"{}\"\n", tail) +
                fmt::format(fmt::runtime(kTroubled), elected, store));
}

void believes_what_the_one_in_cpp_does(const std::string& elected, std::uint64_t seeds,
                                       const std::string& store = "") {
  const Scenario in_cpp = troubled("protocol = \"db-lease\"");
  const Scenario other = troubled(elected, store);
  std::size_t beliefs = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const NarratedEvent cpp = told(in_cpp, seed);
    const NarratedEvent theirs = told(other, seed);
    ASSERT_EQ(cpp.beliefs, theirs.beliefs) << "seed " << seed;
    ASSERT_EQ(cpp.result.metrics.leaderless, theirs.result.metrics.leaderless) << "seed " << seed;
    beliefs += cpp.beliefs.size();
  }
  EXPECT_GT(beliefs, seeds * 33);
}

TEST(Truth, the_lease_in_sql_and_lua_believes_what_the_one_in_cpp_does) {
  believes_what_the_one_in_cpp_does("protocol = \"article-lease/article-lease.lua\"", 300);
}

TEST(Truth, the_lease_in_sql_and_python_believes_what_the_one_in_cpp_does) {
  believes_what_the_one_in_cpp_does(
      "node = { command = [\"python3\", \"../../adapters/process/shims/python/tenure\", "
      "\"python/article_lease.py\"] }",
      40);
}

TEST(Truth, the_lease_in_sql_and_go_believes_what_the_one_in_cpp_does) {
  believes_what_the_one_in_cpp_does(
      "node = { command = [\"sh\", \"../../../adapters/process/shims/go/tenure/run.sh\", "
      "\"article_lease/main.go\"], folder = "
      "\"go\" }",
      40);
}

TEST(Truth, the_lease_on_postgres_believes_what_the_one_in_cpp_does) {
  believes_what_the_one_in_cpp_does("protocol = \"article-lease/article-lease.lua\"", 15,
                                    "engine = \"postgres\"\n");
}

// Two programs, two engines.
TEST(Truth, portal_lock_ends_the_same_on_sqlite_and_on_postgres) {
  const Scenario on_sqlite = troubled("protocol = \"portal-lock/portal-lock.lua\"", "", "3m");
  const Scenario on_postgres =
      troubled("protocol = \"portal-lock/portal-lock.lua\"", "engine = \"postgres\"\n", "3m");
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const NarratedEvent one = told(on_sqlite, seed);
    const NarratedEvent other = told(on_postgres, seed);
    ASSERT_EQ(one.result.verdict, other.result.verdict) << "seed " << seed;
    ASSERT_EQ(one.beliefs, other.beliefs) << "seed " << seed;
  }
}

// What is done of the schedules, in its order, and by whom.
class DoneWork final : public Observer {
 public:
  void see(TrueTime, const Record& record) override {
    const auto* landed = std::get_if<WorkArrived>(&record);
    if (landed != nullptr)
      lines.push_back(fmt::format("{} {} {}", describe(landed->who), landed->item.event.schedule.value,
                                  landed->item.event.slot.ns()));
  }
  std::vector<std::string> lines;
};

std::vector<std::string> work_of(const Scenario& scenario, std::uint64_t seed) {
  DoneWork work;
  run(scenario, seed, {.trace = &work, .story = false});
  return std::move(work.lines);
}

// The instants differ by parts of a millisecond here and there.
TEST(Truth, the_scheduler_in_python_does_what_the_one_in_lua_does) {
  const auto scheduled = [](const std::string& scheduler, const std::string& scheduling) {
    return parsed(
        "format = 1\nname = \"truth\"\n[sim]\nduration = \"4m\"\ntail = \"60s\"\n" +
        fmt::format(fmt::runtime(kTroubled), "protocol = \"db-lease\"\n" + scheduler, "") + "[scheduling]\n" +
        scheduling +
        "[work]\nduration = { p50 = \"500ms\", max = \"3s\" }\n"
        "[[schedule]]\nname = \"sync\"\nevery = \"10s\"\n[[schedule]]\nname = \"mail\"\nevery = \"7s\"\n");
  };
  const Scenario in_lua = scheduled("scheduler = \"job-table/job-table.lua\"",
                                    "update = \"before\"\nguarded = true\nfrom = \"slot\"\n");
  const Scenario in_python = scheduled(
      "scheduler_node = { command = [\"python3\", \"../../adapters/process/shims/python/tenure\", "
      "\"python/job_table.py\"] }",
      "update = \"before\"\n");
  std::size_t done = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::string> lua = work_of(in_lua, seed);
    ASSERT_EQ(lua, work_of(in_python, seed)) << "seed " << seed;
    done += lua.size();
  }
  EXPECT_GT(done, 20U * 20);
}

}  // namespace
}  // namespace tenure::sim
