// The speed of a tuning, on two threads as on a small machine.
//
//   tune_240   240 settings, 200 seeds each, 10 simulated minutes of 3 instances with crashes, pauses and cuts: 48,000
//              runs, judged by every checker (target: under 60 s)
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "format/parse/parse.h"
#include "lab/session/jobs.h"
#include "lab/tune/tuning.h"

namespace tenure::sim {
namespace {

constexpr std::string_view kText = R"(
format = 1
name = "bench"
[sim]
duration = "10m"
tail = "150s"
[cluster]
instances = 3
protocol = "fenced-lease"
[store]
latency = { p50 = "2ms", p99 = "50ms", max = "500ms" }
[[fault]]
every = { min = "60s", p50 = "90s", max = "180s" }
action = "kill"
target = "leader"
duration = "10s"
[[fault]]
every = { min = "60s", p50 = "2m", max = "5m" }
action = "pause"
target = "one"
duration = "100ms..8s"
[[fault]]
every = { min = "60s", p50 = "2m", max = "5m" }
action = "partition"
target = "one"
peers = "store"
duration = "500ms..5s"
[tune]
steps = 12
seeds = 200
constraints = ["one-believer"]
[tune.election]
lease_duration = ["5s", "8s", "10s", "12s", "15s", "20s", "25s", "30s", "40s", "60s"]
renew_period = "1s..12s"
retry_period = ["1s", "2s"]
)";

void tune_240(benchmark::State& state) {
  const lab::TuneFile file{"bench.toml", std::string(kText), {}, &only_utc()};
  std::uint64_t runs = 0;
  for (auto _ : state) {
    format::ParseResult parsed = format::parse_scenario(file.path, file.text);
    if (!parsed.scenario) {
      fmt::print(stderr, "{}\n", parsed.diagnostics.front().message);
      std::exit(1);
    }
    const format::TuneSetting tune = *parsed.plans.tune;
    const std::vector<lab::TunePoint> points = lab::plan_points(tune).value();
    std::vector<lab::Setting> settings;
    for (const lab::TunePoint& point : points)
      settings.push_back(*lab::make_setting(file, lab::overrides_of(tune.parameters, point)).setting);
    lab::Tuning tuning(tune, *lab::make_setting(file, {}).setting, std::move(settings));
    state.counters["settings"] = static_cast<double>(points.size());
    const std::vector<lab::TuneWork> works = tuning.next_round();
    lab::Waiting<std::vector<lab::RunNumbers>> finished;
    lab::run_jobs(
        works.size(), 2,
        [&](std::size_t i) {
          std::vector<lab::RunNumbers> numbers;
          for (std::uint64_t seed = works[i].first_seed; seed < works[i].first_seed + works[i].count; ++seed)
            numbers.push_back(lab::measure_run(tuning.setting(works[i].setting), seed, tuning.questions()));
          finished.put(i, std::move(numbers));
        },
        [&](std::size_t i) {
          tuning.take(works[i], finished.take(i));
          runs += works[i].count;
          return true;
        });
    benchmark::DoNotOptimize(tuning.judge().best.size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(runs));
}
BENCHMARK(tune_240)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace tenure::sim
