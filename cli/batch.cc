#include "cli/batch.h"

#include <algorithm>
#include <utility>

#include "sim/runner/thresholds.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kFailuresKept = 20;

// The checks that the verdict comes from.
std::string reasons(const sim::RunResult& result, const sim::Expectation& expect) {
  std::string text;
  for (const sim::CheckResult& check : result.checks) {
    const bool canary = expect.fails == check.name;
    const bool counts =
        canary ? check.verdict != sim::Verdict::fail : check.demanded && check.verdict == result.verdict;
    if (counts) text += (text.empty() ? "" : ", ") + check.name;
  }
  return text;
}

}  // namespace

Batch::Batch(const sim::Scenario& scenario) : scenario_(scenario) {
  for (const sim::MetricName& metric : sim::kMetricNames) {
    Pool pool;
    pool.metric = &metric;
    pools_.push_back(std::move(pool));
  }
}

void Batch::add(const sim::RunResult& result) {
  if (runs_ == 0) first_seed_ = result.seed;
  last_seed_ = result.seed;
  ++runs_;
  ++counts_[static_cast<std::size_t>(result.verdict)];
  if (result.verdict != sim::Verdict::pass && failures_.size() < kFailuresKept)
    failures_.push_back({result.seed, reasons(result, scenario_.expect)});
  for (Pool& pool : pools_) {
    const sim::Samples samples = sim::samples_of(pool.metric->name, result.metrics, result.simulated);
    if (samples.empty()) continue;
    const std::int64_t worst = (pool.metric->low_is_bad ? samples.min() : samples.max()).ns();
    const bool worse = pool.metric->low_is_bad ? worst < pool.worst : worst > pool.worst;
    if (pool.samples.empty() || worse) {
      pool.worst = worst;
      pool.worst_seed = result.seed;
    }
    pool.samples.merge(samples);
  }
}

std::vector<sim::CheckResult> Batch::judge_thresholds() const {
  std::vector<sim::CheckResult> checks;
  for (const sim::Threshold& threshold : scenario_.thresholds)
    for (const Pool& pool : pools_)
      if (pool.metric->name == threshold.metric) checks.push_back(sim::judge(threshold, pool.samples));
  return checks;
}

sim::Verdict Batch::verdict() const {
  const std::vector<sim::CheckResult> thresholds = judge_thresholds();
  const auto any = [&](sim::Verdict verdict) {
    return count(verdict) > 0 ||
           std::any_of(thresholds.begin(), thresholds.end(),
                       [&](const sim::CheckResult& check) { return check.verdict == verdict; });
  };
  if (any(sim::Verdict::fail)) return sim::Verdict::fail;
  return any(sim::Verdict::inconclusive) ? sim::Verdict::inconclusive : sim::Verdict::pass;
}

std::vector<Batch::Pool> Batch::pools() const {
  std::vector<Pool> observed;
  std::copy_if(pools_.begin(), pools_.end(), std::back_inserter(observed),
               [](const Pool& pool) { return !pool.samples.empty(); });
  return observed;
}

}  // namespace tenure::cli
