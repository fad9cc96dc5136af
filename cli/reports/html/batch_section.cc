// The seeds of one scenario as a section of a page.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/html/sections.h"
#include "cli/reports/svg/svg.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"
#include "sim/runner/thresholds.h"

namespace tenure::cli {
namespace {

using Pool = lab::Batch::Pool;

constexpr std::size_t kSeedsMax = 12;

bool varies(const Pool& pool) { return pool.samples.min() != pool.samples.max(); }

std::string words_of(std::string_view metric) {
  std::string words(metric.ends_with("_seconds") ? metric.substr(0, metric.size() - 8) : metric);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string verdicts_of(const lab::Batch& batch) {
  std::string text;
  for (const sim::Verdict verdict : {sim::Verdict::fail, sim::Verdict::inconclusive, sim::Verdict::pass})
    if (batch.count(verdict) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format::print_thousands(batch.count(verdict)),
                          sim::name_of(verdict));
  return text;
}

std::string sentence_of(const lab::Batch& batch) {
  std::string text = fmt::format("Of {}: {}.", counted(batch.runs(), "run"), verdicts_of(batch));
  for (const lab::Batch::JudgedThreshold& each : batch.judge_thresholds())
    if (each.check.verdict == sim::Verdict::fail)
      text += fmt::format(" Over all of them, {} is {}.", words_of(each.check.name), each.check.detail);
  return text;
}

PageTable failures_of(const lab::Batch& batch, const std::string& reproduce_prefix) {
  const std::uint64_t shown = batch.failures().size();
  PageTable table{shown < batch.failures_total()
                      ? fmt::format("Not a pass: the first {} of {}", shown, batch.failures_total())
                      : "Not a pass",
                  {"seed", "what failed"}};
  for (const lab::Batch::FailedRun& run : batch.failures())
    table.rows.push_back(
        {{fmt::format("{}", run.seed), run.what}, fmt::format("{}{}", reproduce_prefix, run.seed)});
  return table;
}

PageTable thresholds_of(const lab::Batch& batch, const std::string& reproduce_prefix) {
  PageTable table{"Thresholds, over the samples of all runs",
                  {"metric", "verdict", "what it says", "worst run"}};
  for (const lab::Batch::JudgedThreshold& each : batch.judge_thresholds()) {
    PageRow row{
        {words_of(each.check.name), std::string(sim::name_of(each.check.verdict)), each.check.detail, ""}};
    if (each.worst) {
      row.cells.back() =
          fmt::format("{} with seed {}", metric_value(each.worst->nano, each.metric->unit), each.worst->seed);
      row.reproduce = fmt::format("{}{}", reproduce_prefix, each.worst->seed);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable metrics_of(const std::vector<Pool>& pools, const std::string& reproduce_prefix) {
  PageTable table{"Measured", {"metric", "n", "min", "mean", "p50", "p90", "p99", "max", "worst seed"}};
  for (const Pool& pool : pools) {
    PageRow row{cells_of(pool)};
    row.cells.front() = words_of(pool.metric->name);
    if (varies(pool))
      row.reproduce = fmt::format("{}{}", reproduce_prefix, pool.worst_seed());
    else
      row.cells.back().clear();
    table.rows.push_back(std::move(row));
  }
  return table;
}

double in_units(std::int64_t nano) { return static_cast<double>(nano) / 1e9; }

// How large a share of the samples is at most how much: no bins, so nothing is hidden in one.
std::string picture_of(const Pool& pool, const sim::Scenario& scenario) {
  const std::vector<Duration> values = [&] {
    std::vector<Duration> sorted = pool.samples.values();
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }();
  double low = in_units(values.front().ns());
  double high = in_units(values.back().ns());
  for (const sim::Threshold& threshold : scenario.thresholds)
    if (threshold.metric == pool.metric->name) {
      low = std::min(low, in_units(threshold.bound_nano));
      high = std::max(high, in_units(threshold.bound_nano));
    }
  SvgPanel panel({low, 0}, {high, 100});
  const std::string unit = pool.metric->unit == sim::MetricName::Unit::seconds ? ", seconds" : "";
  panel.titles(fmt::format("{}: {}", words_of(pool.metric->name), counted(values.size(), "sample")),
               words_of(pool.metric->name) + unit, "cumulative % of samples");
  std::vector<SvgPoint> line = {{in_units(values.front().ns()), 0}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = in_units(values[i].ns());
    const double share = 100.0 * static_cast<double>(i + 1) / static_cast<double>(values.size());
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    line.push_back({x, line.back().y});
    line.push_back({x, share});
  }
  panel.line(line, kSvgBlue, false);
  panel.legend_line(kSvgBlue, false, "measured");
  for (const sim::Threshold& threshold : scenario.thresholds) {
    if (threshold.metric != pool.metric->name) continue;
    const double x = in_units(threshold.bound_nano);
    panel.line({{x, 0}, {x, 100}}, kSvgRed, true);
    panel.legend_line(kSvgRed, true, threshold.text);
  }
  return svg_document({panel}, fmt::format("{} over all runs", words_of(pool.metric->name)));
}

}  // namespace

PageSection section_of(const lab::Batch& batch, const std::string& reproduce_prefix) {
  PageSection section{
      .title = fmt::format("{}, seeds {}..{}", batch.scenario().name, batch.first_seed(), batch.last_seed()),
      .verdict = batch.verdict(),
      .sentence = sentence_of(batch)};
  if (batch.cut_short_of())
    section.notes.push_back(fmt::format("Interrupted: {} of {} were done.",
                                        format::print_thousands(batch.runs()),
                                        counted(*batch.cut_short_of(), "run")));
  for (const lab::Batch::Unasked& each : batch.unasked())
    section.notes.push_back(fmt::format("{}, in {} of {}; nothing in the file says what to make of it.",
                                        each.what, format::print_thousands(each.runs),
                                        counted(batch.runs(), "run")));
  for (const sim::CheckResult& idle : batch.judge_faults())
    section.notes.push_back(fmt::format("{}: {}.", idle.name, idle.detail));
  const std::vector<Pool> pools = batch.pools();
  if (batch.failures_total() > 0) section.tables.push_back(failures_of(batch, reproduce_prefix));
  section.tables.push_back(thresholds_of(batch, reproduce_prefix));
  section.tables.push_back(metrics_of(pools, reproduce_prefix));
  for (const Pool& pool : pools)
    if (varies(pool)) section.pictures.push_back(picture_of(pool, batch.scenario()));
  return section;
}

std::vector<std::uint64_t> seeds_worth_a_look(const lab::Batch& batch) {
  std::vector<std::uint64_t> seeds;
  const auto add = [&](std::uint64_t seed) {
    const bool is_new = std::find(seeds.begin(), seeds.end(), seed) == seeds.end();
    if (is_new && seeds.size() < kSeedsMax) seeds.push_back(seed);
  };
  // Of what fails in the same way, one will do while there are others.
  std::vector<std::string> told;
  for (const lab::Batch::FailedRun& run : batch.failures()) {
    if (std::find(told.begin(), told.end(), run.what) != told.end()) continue;
    told.push_back(run.what);
    add(run.seed);
  }
  for (const lab::Batch::JudgedThreshold& each : batch.judge_thresholds())
    if (each.worst) add(each.worst->seed);
  for (const Pool& pool : batch.pools())
    if (varies(pool)) add(pool.worst_seed());
  for (const lab::Batch::FailedRun& run : batch.failures()) add(run.seed);
  return seeds;
}

}  // namespace tenure::cli
