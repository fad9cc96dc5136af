#include "cli/reports/text/text_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"
#include "sim/runner/thresholds.h"

namespace tenure::cli {
namespace {

std::string text_of_verdicts(const lab::Batch& batch) {
  std::string text;
  for (const sim::Verdict verdict : {sim::Verdict::pass, sim::Verdict::fail, sim::Verdict::inconclusive})
    if (batch.count(verdict) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format::print_thousands(batch.count(verdict)),
                          sim::name_of(verdict));
  return text;
}

using Cells = std::vector<std::string>;

Cells cells_of(const lab::Batch::Pool& pool) {
  const sim::Samples& s = pool.samples;
  const auto value = [&](Duration d) { return metric_value(d.ns(), pool.metric->unit); };
  Cells cells = {std::string(pool.metric->name), format::print_thousands(s.count())};
  const auto percentile = [&](std::int64_t ppm) {
    return s.count() < sim::samples_needed(ppm) ? std::string("-") : value(s.percentile(ppm));
  };
  cells.insert(cells.end(), {value(s.min()), value(s.mean()), percentile(500'000), percentile(900'000),
                             percentile(990'000), value(s.max())});
  cells.push_back(fmt::format("{}", pool.worst_seed()));
  return cells;
}

// Metrics that vary are a table; those that were the same in every run are a line.
std::string text_of_pools(const std::vector<lab::Batch::Pool>& pools) {
  std::vector<Cells> table = {{"", "n", "min", "mean", "p50", "p90", "p99", "max", "worst seed"}};
  std::string constant;
  for (const lab::Batch::Pool& pool : pools) {
    if (pool.samples.min() != pool.samples.max()) {
      table.push_back(cells_of(pool));
      continue;
    }
    constant += fmt::format("{}{} {}", constant.empty() ? "" : ", ", pool.metric->name,
                            metric_value(pool.samples.min().ns(), pool.metric->unit));
  }
  std::string text;
  for (const Cells& row : table) {
    if (table.size() == 1) break;
    text += " ";
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::size_t width = 0;
      for (const Cells& other : table) width = std::max(width, other[column].size());
      text += column == 0 ? fmt::format(" {:<{}}", row[column], width)
                          : fmt::format("  {:>{}}", row[column], width);
    }
    text += "\n";
  }
  return constant.empty() ? text : text + fmt::format("  constant    {}\n", constant);
}

}  // namespace

std::string text_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix, bool paint) {
  std::string text =
      fmt::format("{} {}  seeds {}..{}  {}\n", verdict_word(batch.verdict(), paint), batch.scenario().name,
                  batch.first_seed(), batch.last_seed(), text_of_verdicts(batch));
  if (batch.cut_short_of())
    text += fmt::format("  interrupted {} of {} were done\n", format::print_thousands(batch.runs()),
                        counted(*batch.cut_short_of(), "run"));
  for (const lab::Batch::Unasked& each : batch.unasked())
    text += fmt::format("  PASS, but   {} with seed {}; {} in {} of {}\n", each.what, each.seed, each.checker,
                        format::print_thousands(each.runs), counted(batch.runs(), "run"));
  if (batch.are_alike())
    text +=
        "  alike       all are one run: nothing is drawn that makes a difference. Give [network] and [store] "
        "a "
        "latency with a range,\n              [cluster] a start_spread, or a fault a range of times\n";
  const std::vector<lab::Batch::JudgedThreshold> thresholds = batch.judge_thresholds();
  std::vector<sim::CheckResult> checks;
  for (const lab::Batch::JudgedThreshold& each : thresholds) checks.push_back(each.check);
  for (sim::CheckResult& idle : batch.judge_faults()) checks.push_back(std::move(idle));
  text += text_of_checks(checks, batch.scenario().expect, paint);
  for (const lab::Batch::JudgedThreshold& each : thresholds)
    if (each.worst)
      text += fmt::format("  worst       {} {} with seed {}   {}{}\n", each.check.name,
                          metric_value(each.worst->nano, each.metric->unit), each.worst->seed,
                          reproduce_prefix, each.worst->seed);
  text += text_of_pools(batch.pools());
  for (const lab::Batch::FailedRun& failure : batch.failures())
    text += fmt::format("  seed {}: {}   {}{}\n", failure.seed, failure.what, reproduce_prefix, failure.seed);
  const std::uint64_t more = batch.failures_total() - batch.failures().size();
  if (more > 0) text += fmt::format("  and {} more (see --format json)\n", format::print_thousands(more));
  return text;
}

}  // namespace tenure::cli
