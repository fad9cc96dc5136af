// The speed of a hunt on one core.
//
//   hunt_minute/elections   cases of three instances for a minute with faults, drawn, made from earlier ones, run and
//                           judged by every checker; items/s is the figure (target 5,000)
//   hunt_minute/schedules   the same with a scheduler and its outbox on top, which makes five times the events
//   shrink                  from the first failure of a design with a known weakness to the smallest one (target under
//                           10 s)
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bench/hunt_case.h"
#include "format/parse/parse.h"
#include "lab/hunt/hunt.h"
#include "lab/hunt/shrink.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

format::ScenarioFile minute(const std::string& tail, const std::string& protocol,
                            const std::string& scheduler, const std::string& more) {
  const std::string text = fmt::format(
      "format = 1\nname = \"bench\"\n[sim]\nduration = \"1m\"\ntail = \"{}\"\n[cluster]\n"
      "instances = 3\nprotocol = \"{}\"\nscheduler = \"{}\"\n{}[hunt]\nfaults = \"1..8\"\n",
      tail, protocol, scheduler, more);
  format::ParseResult parsed = format::parse_scenario("bench.toml", text);
  if (!parsed.scenario) {
    fmt::print(stderr, "{}\n", parsed.diagnostics.front().message);
    std::exit(1);
  }
  return parsed.file();
}

void hunt_minute(benchmark::State& state, const format::ScenarioFile& file) {
  lab::Hunt hunt(file, {.first_seed = 1, .cases = 100'000'000});
  for (auto _ : state) {
    const std::vector<lab::Failure> failures = hunt_one_case(hunt);
    if (!failures.empty()) state.SkipWithError(failures.front().message.c_str());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["events/case"] =
      static_cast<double>(hunt.totals().events) / static_cast<double>(hunt.cases());
}
BENCHMARK_CAPTURE(hunt_minute, elections, minute("30s", "fenced-lease", "none", ""))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hunt_minute, schedules,
                  minute("30s", "fenced-lease", "fenced-outbox",
                         "[[schedule]]\nname = \"job\"\nevery = \"10s\"\n"))
    ->Unit(benchmark::kMicrosecond);

void shrink(benchmark::State& state) {
  format::ScenarioFile file = lab::as_hunted(minute("60s", "client-go", "none", ""));
  file.scenario.expect.always = {"one-believer"};
  const lab::TryCase try_case = [](const Scenario& scenario) {
    lab::SeedRun outcome{run(scenario, *scenario.seed, {.story = false}), {}};
    outcome.failures = lab::failures_of(*outcome.run);
    return outcome;
  };
  std::uint64_t seed = 1;
  while (try_case(lab::draw_case(file, seed).scenario).failures.empty()) ++seed;
  const Scenario failing = lab::draw_case(file, seed).scenario;
  std::uint64_t tries = 0;
  for (auto _ : state) {
    const lab::Shrunk shrunk =
        shrink(failing, try_case(failing).failures.front(), {.try_case = try_case, .zones = only_utc()});
    tries += shrunk.tries;
  }
  state.counters["tries"] =
      benchmark::Counter(static_cast<double>(tries), benchmark::Counter::kAvgIterations);
}
BENCHMARK(shrink)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tenure::sim
