#include "cli/text_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text_format.h"
#include "cli/text_run.h"
#include "sim/scenario/toml/units.h"

namespace tenure::cli {
namespace {

std::string text_of_verdicts(const Batch& batch) {
  std::string text;
  for (const sim::Verdict verdict : {sim::Verdict::pass, sim::Verdict::fail, sim::Verdict::inconclusive})
    if (batch.count(verdict) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sim::print_thousands(batch.count(verdict)),
                          sim::name_of(verdict));
  return text;
}

std::string text_of_pools(const std::vector<Batch::Pool>& pools) {
  std::size_t width = 0;
  for (const Batch::Pool& pool : pools) width = std::max(width, pool.metric->name.size());
  std::string text;
  for (const Batch::Pool& pool : pools) {
    const sim::Samples& s = pool.samples;
    const auto value = [&](Duration d) { return metric_value(d.ns(), pool.metric->unit); };
    text += fmt::format("  {:<{}}  n={}  min {}  mean {}  p50 {}  p90 {}  p99 {}  max {}  worst seed {}\n",
                        pool.metric->name, width, sim::print_thousands(s.count()), value(s.min()),
                        value(s.mean()), value(s.percentile(500'000)), value(s.percentile(900'000)),
                        value(s.percentile(990'000)), value(s.max()), pool.worst_seed);
  }
  return text;
}

}  // namespace

std::string text_of_batch(const Batch& batch, const std::string& reproduce_prefix, bool paint) {
  std::string text =
      fmt::format("{} {}  seeds {}..{}  {}\n", verdict_word(batch.verdict(), paint), batch.scenario().name,
                  batch.first_seed(), batch.last_seed(), text_of_verdicts(batch));
  text += text_of_checks(batch.judge_thresholds(), batch.scenario().expect, paint);
  text += text_of_pools(batch.pools());
  for (const Batch::Failure& failure : batch.failures())
    text += fmt::format("  seed {}: {}   {}{}\n", failure.seed, failure.what, reproduce_prefix, failure.seed);
  const std::uint64_t all = batch.count(sim::Verdict::fail) + batch.count(sim::Verdict::inconclusive);
  if (all > batch.failures().size()) text += fmt::format("  and {} more\n", all - batch.failures().size());
  return text;
}

}  // namespace tenure::cli
