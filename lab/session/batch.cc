#include "lab/session/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/hash.h"
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

// What happened in a run, but for its seed: two runs that differ in anything that a reader is told have different ones.
std::uint64_t hash_of(const sim::RunResult& result) {
  Hasher hasher;
  hasher.add(result.events);
  for (const sim::CheckResult& check : result.checks) {
    hasher.add(check.name)
        .add(check.verdict)
        .add(check.opportunities)
        .add(check.violation_count)
        .add(check.detail);
    for (const sim::ReportedViolation& violation : check.violations)
      hasher.add(violation.at).add(violation.message);
  }
  for (const sim::FaultRun& fault : result.faults) hasher.add(fault.at).add(fault.target).add(fault.detail);
  for (const sim::MetricName& metric : sim::kMetricNames) {
    const sim::Samples samples = sim::samples_of(metric.name, result.metrics, result.simulated);
    hasher.add(samples.count()).add(samples.min()).add(samples.max()).add(samples.mean());
  }
  return hasher.value();
}

void append_pool(Batch::Pool& pool, const Batch::Pool& later) {
  if (later.samples.empty()) return;
  const bool first = pool.samples.empty();
  const bool lowest = first || later.samples.min() < pool.samples.min();
  const bool highest = first || later.samples.max() > pool.samples.max();
  if (lowest) pool.lowest_seed = later.lowest_seed;
  if (highest) pool.highest_seed = later.highest_seed;
  if (pool.metric->low_is_bad ? lowest : highest) pool.worst = later.worst;
  pool.samples.merge(later.samples);
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
    state_.pools.push_back(std::move(pool));
  }
}

void Batch::add(const sim::RunResult& result) {
  if (state_.runs == 0) state_.first_seed = result.seed;
  state_.last_seed = result.seed;
  ++state_.runs;
  const std::uint64_t happened = hash_of(result);
  if (state_.runs == 1) state_.alike = happened;
  state_.differ = state_.differ || happened != state_.alike;
  const sim::Verdict verdict = verdict_of(result);
  ++state_.counts[static_cast<std::size_t>(verdict)];
  if (verdict != sim::Verdict::pass && state_.failures.size() < kFailuresKept)
    state_.failures.push_back({result.seed, reasons(of_one_run(result.checks), verdict, scenario_.expect)});
  state_.struck.add(result.faults);
  for (const sim::CheckResult& check : result.checks)
    if (!check.unasked.empty()) add_unasked({check.name, check.unasked, result.seed, 1});
  for (Pool& pool : state_.pools) {
    Pool one;
    one.metric = pool.metric;
    one.samples = sim::samples_of(pool.metric->name, result.metrics, result.simulated);
    one.lowest_seed = one.highest_seed = result.seed;
    std::copy_if(result.worst.begin(), result.worst.end(), std::back_inserter(one.worst),
                 [&](const sim::WorstSample& sample) { return sample.metric == pool.metric->name; });
    append_pool(pool, one);
  }
}

void Batch::append(const Batch& later) {
  const State& more = later.state_;
  if (more.runs == 0) return;
  if (state_.runs == 0) {
    state_ = more;
    return;
  }
  state_.runs += more.runs;
  for (std::size_t i = 0; i < std::size(state_.counts); ++i) state_.counts[i] += more.counts[i];
  state_.last_seed = more.last_seed;
  for (std::size_t i = 0; i < state_.pools.size(); ++i) append_pool(state_.pools[i], more.pools[i]);
  for (const FailedRun& run : more.failures)
    if (state_.failures.size() < kFailuresKept) state_.failures.push_back(run);
  for (const Unasked& each : more.unasked) add_unasked(each);
  state_.struck.add(more.struck);
  state_.differ = state_.differ || more.differ || more.alike != state_.alike;
}

void Batch::add_unasked(const Unasked& seen) {
  const auto known = std::find_if(state_.unasked.begin(), state_.unasked.end(),
                                  [&](const Unasked& each) { return each.checker == seen.checker; });
  if (known == state_.unasked.end())
    state_.unasked.push_back(seen);
  else
    known->runs += seen.runs;
}

std::vector<Batch::JudgedThreshold> Batch::judge_thresholds() const {
  std::vector<JudgedThreshold> judged;
  for (const sim::Threshold& threshold : scenario_.thresholds)
    for (const Pool& pool : state_.pools) {
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
  std::copy_if(state_.pools.begin(), state_.pools.end(), std::back_inserter(observed),
               [](const Pool& pool) { return !pool.samples.empty(); });
  return observed;
}

}  // namespace tenure::lab
