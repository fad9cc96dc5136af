// Exhaustive exploration: states a second, on one core.
//
// A state is one of the whole cluster: each instance with its timers, effects and traffic, the store, and what is spent
// of the budgets. The rate is that of new states; for each of them three to four transitions are looked at.
#include <benchmark/benchmark.h>

#include "lab/explore/explore.h"
#include "sim/protocols/registry.h"

namespace tenure::sim::explore {
namespace {

void run(benchmark::State& state, const char* protocol, std::uint32_t instances,
         const lab::explore::Budgets& budgets, Duration horizon) {
  lab::explore::ExploreSettings settings;
  settings.protocol = find_elector_kind(protocol);
  for (std::uint32_t i = 0; i < instances; ++i)
    settings.instances.push_back({Parameters{settings.protocol->parameters()}, {}});
  settings.budgets = budgets;
  settings.horizon = horizon;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  for (auto _ : state) {
    const lab::explore::ExploreResult result = lab::explore::explore(settings);
    states += result.states;
    transitions += result.transitions;
    state.counters["MiB"] = static_cast<double>(result.bytes >> 20);
  }
  state.counters["states"] =
      benchmark::Counter(static_cast<double>(states), benchmark::Counter::kAvgIterations);
  state.counters["states/s"] = benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
  state.counters["transitions/s"] =
      benchmark::Counter(static_cast<double>(transitions), benchmark::Counter::kIsRate);
}

// Without pauses the space closes: the horizon cuts nothing off.
void fenced_lease_small(benchmark::State& state) {
  run(state, "fenced-lease", 2, {.crashes = 1, .pauses = 0, .losses = 1, .delays = 1},
      Duration::seconds(400));
}
BENCHMARK(fenced_lease_small)->Unit(benchmark::kMillisecond);

// The documented size (docs/exhaustive.md).
void fenced_lease(benchmark::State& state) { run(state, "fenced-lease", 2, {}, Duration::seconds(40)); }
BENCHMARK(fenced_lease)->Unit(benchmark::kMillisecond);

void fenced_lease_of_three(benchmark::State& state) {
  run(state, "fenced-lease", 3, {.crashes = 1, .pauses = 1, .losses = 0, .delays = 0}, Duration::seconds(40));
}
BENCHMARK(fenced_lease_of_three)->Unit(benchmark::kMillisecond);

void db_lease(benchmark::State& state) { run(state, "db-lease", 2, {}, Duration::seconds(30)); }
BENCHMARK(db_lease)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tenure::sim::explore
