#include "sim/hunt/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/scenario/toml/diagnostic.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kLongestMessage = 400;

std::string missing_events(const RunResult& run) {
  std::string missing;
  for (const CheckResult& check : run.checks)
    if (check.kind == CheckResult::Kind::sometimes && check.opportunities == 0)
      missing += (missing.empty() ? "" : ", ") + check.name;
  return missing;
}

}  // namespace

bool is_of_failures(std::string_view event) {
  constexpr std::string_view kOfFailures[] = {"believer-overlap", "work-overlap", "fault-skipped",
                                              "duplicate-refused"};
  return std::find(std::begin(kOfFailures), std::end(kOfFailures), event) != std::end(kOfFailures);
}

std::string trace_hash_text(std::uint64_t trace_hash) { return fmt::format("{:016x}", trace_hash); }

Scenario as_regression(const Scenario& failing, const Failure& failure, const RunResult* result,
                       const RegressionOrigin& origin) {
  Scenario kept = failing;
  kept.name = fmt::format("{}-{}-{}", failing.name, failure.checker, origin.seed);
  kept.summary = fmt::format("Found by a hunt: {} failed.", failure.checker);
  kept.tags = {"regression"};
  kept.hunt.reset();
  kept.thresholds.clear();
  kept.expect.sometimes.clear();
  if (result != nullptr)
    for (const CheckResult& check : result->checks)
      if (check.kind == CheckResult::Kind::sometimes && check.opportunities > 0 &&
          !is_of_failures(check.name))
        kept.expect.sometimes.push_back(check.name);
  kept.regression = RegressionNote{
      .checker = failure.checker,
      .message = printable(failure.message, kLongestMessage),
      .trace_hash = result != nullptr ? trace_hash_text(result->trace_hash) : std::string{},
      .version = origin.version,
      .origin = fmt::format("{} seed {}", origin.scenario, origin.seed),
  };
  return kept;
}

Replayed replay(const Scenario& regression, const std::function<SeedRun(std::uint64_t)>& run_seed) {
  const std::uint64_t own = regression.seed.value_or(1);
  const SeedRun first = run_seed(own);
  if (first.failure) {
    const bool same = regression.regression && first.failure->checker == regression.regression->checker &&
                      shape_of(printable(first.failure->message, kLongestMessage)) ==
                          shape_of(regression.regression->message);
    return {Replayed::State::still_fails, own, {}, first.failure, same};
  }
  const std::string missing = missing_events(*first.run);
  if (missing.empty()) return {Replayed::State::passed, own, {}, {}, false};
  Replayed found{Replayed::State::stale, own, missing, {}, false};
  for (std::uint64_t i = 1; i <= kNeighbours; ++i) {
    const SeedRun run = run_seed(own + i);
    if (run.failure) return {Replayed::State::neighbour_fails, own + i, missing, run.failure, false};
    if (found.state == Replayed::State::stale && missing_events(*run.run).empty())
      found = {Replayed::State::moved, own + i, missing, {}, false};
  }
  return found;
}

}  // namespace tenure::sim
