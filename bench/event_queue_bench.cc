// The kernel alone: events a second with N pending, the running trace hash included.
#include <benchmark/benchmark.h>

#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"

namespace tenure::sim {
namespace {

// The hold model: each event puts the next one at a drawn distance.
class Hold final : public EventHandler {
 public:
  explicit Hold(std::int64_t pending) : handler_(timeline_.add_handler(*this)) {
    for (std::int64_t i = 0; i < pending; ++i) on_event({});
  }
  void on_event(const Event& event) override {
    const Duration ahead = Duration::nanos(KeyedRng(1).of(++draws_).between(1, 1'000'000'000));
    timeline_.at(timeline_.now() + ahead, {handler_, 0, event.subject, draws_});
  }
  Timeline timeline_;

 private:
  std::uint16_t handler_;
  std::uint64_t draws_ = 0;
};

void hold(benchmark::State& state) {
  Hold model(state.range(0));
  for (auto _ : state) model.timeline_.run_next(TrueTime::max());
  benchmark::DoNotOptimize(model.timeline_.trace_hash());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(hold)->Arg(16)->Arg(1'000)->Arg(100'000);

void set_and_cancel(benchmark::State& state) {
  EventQueue queue;
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push(TrueTime::from_ns(i * 1'000), {});
  std::int64_t at = 0;
  for (auto _ : state) queue.cancel(queue.push(TrueTime::from_ns((at += 777) % 1'000'000), {}));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(set_and_cancel)->Arg(16)->Arg(1'000)->Arg(100'000);

}  // namespace
}  // namespace tenure::sim
