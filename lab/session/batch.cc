#include "lab/session/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/runner/judge.h"
#include "sim/runner/thresholds.h"
#include "sim/runner/worst_samples.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kFailuresKept = 20;

// Those that are judged run by run.
std::vector<sim::CheckResult> of_one_run(std::vector<sim::CheckResult> checks) {
  std::erase_if(checks, [](const auto& check) { return !sim::is_judged_by_run(check); });
  return checks;
}

// What two runs may differ in although nothing happened differently.
sim::RunResult without_seed(sim::RunResult result) {
  result.seed = 0;
  result.trace_hash = 0;
  result.reproduce.clear();
  return result;
}

// The checks that the verdict comes from.
std::string reasons(const std::vector<sim::CheckResult>& checks, sim::Verdict verdict,
                    const sim::Expectation& expect) {
  std::string text;
  for (const sim::CheckResult& check : checks) {
    const bool canary = expect.fails == check.name;
    const bool counts =
        canary ? check.verdict != sim::Verdict::fail : check.demanded && check.verdict == verdict;
    if (counts) text += (text.empty() ? "" : ", ") + check.name;
    if (!check.unasked.empty() && verdict == sim::Verdict::inconclusive)
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", check.name, check.unasked);
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
  if (!first_) first_ = without_seed(result);
  differ_ = differ_ || result.events != first_->events || without_seed(result) != *first_;
  const sim::Verdict verdict = verdict_of(result);
  ++counts_[static_cast<std::size_t>(verdict)];
  if (verdict != sim::Verdict::pass && failures_.size() < kFailuresKept)
    failures_.push_back({result.seed, reasons(of_one_run(result.checks), verdict, scenario_.expect)});
  struck_.add(result.faults);
  for (const sim::CheckResult& check : result.checks) {
    if (check.unasked.empty()) continue;
    const auto known = std::find_if(unasked_.begin(), unasked_.end(),
                                    [&](const Unasked& each) { return each.checker == check.name; });
    if (known == unasked_.end())
      unasked_.push_back({check.name, check.unasked, result.seed, 1});
    else
      ++known->runs;
  }
  for (Pool& pool : pools_) {
    const sim::Samples samples = sim::samples_of(pool.metric->name, result.metrics, result.simulated);
    if (samples.empty()) continue;
    const bool first = pool.samples.empty();
    const bool lowest = first || samples.min() < pool.samples.min();
    const bool highest = first || samples.max() > pool.samples.max();
    if (lowest) pool.lowest_seed = result.seed;
    if (highest) pool.highest_seed = result.seed;
    if (pool.metric->low_is_bad ? lowest : highest) {
      pool.worst.clear();
      std::copy_if(result.worst.begin(), result.worst.end(), std::back_inserter(pool.worst),
                   [&](const sim::WorstSample& sample) { return sample.metric == pool.metric->name; });
    }
    pool.samples.merge(samples);
  }
}

std::vector<Batch::JudgedThreshold> Batch::judge_thresholds() const {
  std::vector<JudgedThreshold> judged;
  for (const sim::Threshold& threshold : scenario_.thresholds)
    for (const Pool& pool : pools_) {
      if (pool.metric->name != threshold.metric) continue;
      JudgedThreshold each{sim::judge(threshold, pool.samples), pool.metric, std::nullopt};
      if (each.check.verdict == sim::Verdict::fail) {
        if (const sim::WorstSample* sample = sim::worst_of(threshold, pool.worst))
          each.check.violations = {{sample->at, sample->text}};
        each.worst = threshold.less ? Worst{pool.highest_seed, pool.samples.max().ns()}
                                    : Worst{pool.lowest_seed, pool.samples.min().ns()};
      }
      judged.push_back(std::move(each));
    }
  return judged;
}

sim::Verdict Batch::verdict_of(const sim::RunResult& result) const {
  return sim::verdict_of(of_one_run(result.checks), scenario_.expect);
}

sim::Verdict Batch::verdict() const {
  const std::vector<JudgedThreshold> thresholds = judge_thresholds();
  const auto any = [&](sim::Verdict verdict) {
    return count(verdict) > 0 ||
           std::any_of(thresholds.begin(), thresholds.end(),
                       [&](const JudgedThreshold& each) { return each.check.verdict == verdict; });
  };
  if (any(sim::Verdict::fail)) return sim::Verdict::fail;
  if (cut_short_of_ || !judge_faults().empty()) return sim::Verdict::inconclusive;
  return any(sim::Verdict::inconclusive) ? sim::Verdict::inconclusive : sim::Verdict::pass;
}

std::vector<Batch::Pool> Batch::pools() const {
  std::vector<Pool> observed;
  std::copy_if(pools_.begin(), pools_.end(), std::back_inserter(observed),
               [](const Pool& pool) { return !pool.samples.empty(); });
  return observed;
}

}  // namespace tenure::lab
