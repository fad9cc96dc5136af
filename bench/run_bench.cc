// Whole runs: what a simulated day costs, and a step of the world.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "format/parse/parse.h"
#include "sim/runner/run.h"
#include "sim/world/world.h"

namespace tenure::sim {
namespace {

Scenario scenario(int instances, int schedules, const std::string& duration) {
  const std::string text = fmt::format(
      "format = 1\nname = \"bench\"\n[sim]\nduration = \"{}\"\ntail = \"60s\"\n"
      "[cluster]\ninstances = {}\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
      "[election]\nlease_duration = \"15s\"\nretry_period = \"2s\"\n"
      "[[schedule]]\nname = \"job\"\nevery = \"10s\"\ncount = {}\n",
      duration, instances, schedules);
  format::ParseResult parsed = format::parse_scenario("bench.toml", text, {});
  if (!parsed.scenario) {
    fmt::print(stderr, "{}\n", parsed.diagnostics.front().message);
    std::exit(1);
  }
  return *parsed.scenario;
}

// 5 instances, lease 15 s, 100 schedules every 10 s, one simulated day: 3.4 million events, 864,600 fires.
//
// Where the time goes, in instructions (callgrind, one simulated hour): 18,500 a fire. The observers and the trace
// hash take 47 %, the nodes 26 %, the store's machine 7 %, and network, timeline and processes the rest. The profile
// is flat: no function takes more than 3 %. There is one allocation for three fires, so that another allocator gives
// nothing. A day that nobody observes (world_step, times 86,400) takes half as long: no change of the checkers can
// save more than the other half.
void simulated_day(benchmark::State& state) {
  const Scenario day = scenario(5, 100, "24h");
  std::uint64_t events = 0;
  std::uint64_t fires = 0;
  for (auto _ : state) {
    const RunResult result = run(day, 1);
    if (result.verdict != Verdict::pass) state.SkipWithError("the run did not pass");
    events += result.events;
    fires += result.metrics.fires;
  }
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kAvgIterations);
  state.counters["fires"] =
      benchmark::Counter(static_cast<double>(fires), benchmark::Counter::kAvgIterations);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(simulated_day)->Unit(benchmark::kMillisecond);

// The election alone, for many short runs: what a hunt is made of.
void simulated_minute(benchmark::State& state) {
  const Scenario minute = scenario(3, 1, "1m");
  std::uint64_t seed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(run(minute, ++seed).trace_hash);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(simulated_minute)->Unit(benchmark::kMicrosecond);

// One second of a running world without checkers.
void world_step(benchmark::State& state) {
  const Scenario day = scenario(5, 100, "24h");
  World world(day, 1);
  world.begin();
  world.run_to(TrueTime{} + Duration::minutes(1));
  const std::uint64_t before = world.events();
  for (auto _ : state) world.run_to(world.now() + Duration::seconds(1));
  state.SetItemsProcessed(static_cast<std::int64_t>(world.events() - before));
}
BENCHMARK(world_step)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tenure::sim
