// A failure that was met among many runs, kept as a scenario of its own: literal, with the one checker demanded
// whatever is claimed, and as small as it can be made.
//
// Thread rule: touches files; runs on its caller's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "lab/session/regression_writer.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// Where counterexamples are saved, and how small they are made.
struct CounterexampleSetup {
  std::string folder = "counterexamples";
  bool shrink = true;
  Duration shrink_time = Duration::seconds(10);
};

// Is told what becomes of one. Thread rule: the caller's thread.
class CounterexampleObserver {
 public:
  CounterexampleObserver() = default;
  CounterexampleObserver(const CounterexampleObserver&) = delete;
  CounterexampleObserver& operator=(const CounterexampleObserver&) = delete;
  virtual ~CounterexampleObserver() = default;

  // It has been saved, or could not be; is about to be shrunk; has its final form.
  virtual void saved(const SavedRegression&) {}
  virtual void shrinking(const SavedRegression&) {}
  virtual void kept(const SavedRegression&) {}
  // A failed run does not fail again alone: a bug of ours.
  virtual void does_not_fail_again(std::uint64_t /*seed*/) {}
};

// What a run must show to be as bad as the one that is kept; null: that the checker fails is enough.
using ShowsAsMuch = std::function<bool(const sim::Scenario&, const sim::RunResult&)>;

// `place.origin` has the seed that fails. nullopt: it does not fail again.
std::optional<SavedRegression> keep_counterexample(const sim::Scenario& scenario, std::string_view checker,
                                                   const RegressionPlace& place,
                                                   const CounterexampleSetup& setup,
                                                   CounterexampleObserver& observer,
                                                   const ShowsAsMuch& shows_as_much = nullptr);

}  // namespace tenure::lab
