// The seeds of one scenario as a section of a page.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/html/sections.h"
#include "cli/reports/svg/distribution_svg.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/print/print.h"
#include "format/syntax/units.h"
#include "sim/runner/thresholds.h"

namespace tenure::cli {
namespace {

using Pool = lab::Batch::Pool;

constexpr std::size_t kSeedsMax = 12;

bool varies(const Pool& pool) { return pool.samples.min() != pool.samples.max(); }

// "40 of 40 runs fail: one-believer." What most of them say first.
std::string sentence_of(const lab::Batch& batch) {
  std::vector<std::pair<std::uint64_t, std::string>> ways;
  for (const lab::Batch::FailedRun& run : batch.failures()) {
    const auto known =
        std::find_if(ways.begin(), ways.end(), [&](const auto& way) { return way.second == run.what; });
    if (known != ways.end())
      ++known->first;
    else
      ways.emplace_back(1, run.what);
  }
  std::stable_sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  const auto add = [&](sim::Verdict verdict, std::string_view what) {
    const std::uint64_t count = batch.count(verdict);
    if (count == 0) return;
    text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", format::print_thousands(count),
                        counted(batch.runs(), "run"), what);
  };
  add(sim::Verdict::fail, "fail");
  add(sim::Verdict::inconclusive, "are inconclusive");
  if (text.empty()) {
    text = fmt::format("All {} pass", counted(batch.runs(), "run"));
    for (const Pool& pool : batch.pools())
      if (pool.metric->name == "failover_seconds")
        text +=
            fmt::format("; a failover takes {} in the median, {} at most",
                        short_duration(pool.samples.percentile(500'000)), short_duration(pool.samples.max()));
  }
  if (!ways.empty())
    text += fmt::format(": {}{}", ways.front().second, ways.size() > 1 ? ", and others" : "");
  std::string missed;
  for (const lab::Batch::JudgedThreshold& each : batch.judge_thresholds())
    if (each.check.verdict == sim::Verdict::fail)
      missed += fmt::format("Over all {}, {} is {}. ", counted(batch.runs(), "run"),
                            words_of(each.check.name), each.check.detail);
  return missed + text + ".";
}

PageTone tone_of(sim::Verdict verdict) {
  if (verdict == sim::Verdict::pass) return PageTone::good;
  return verdict == sim::Verdict::fail ? PageTone::bad : PageTone::doubtful;
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
  PageTable table{"Thresholds, over the samples of all runs", {"metric", "verdict", "measured", "worst run"}};
  for (const lab::Batch::JudgedThreshold& each : batch.judge_thresholds()) {
    PageRow row{
        {words_of(each.check.name), std::string(sim::name_of(each.check.verdict)), each.check.detail, ""},
        {},
        {PageTone::plain, tone_of(each.check.verdict)}};
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
    if (!varies(pool)) continue;
    PageRow row{cells_of(pool), fmt::format("{}{}", reproduce_prefix, pool.worst_seed())};
    row.cells.front() = words_of(pool.metric->name);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// "The same in every run: false failovers 0, …"; empty: there is none.
std::string constants_of(const std::vector<Pool>& pools) {
  std::string text;
  for (const Pool& pool : pools)
    if (!varies(pool))
      text +=
          fmt::format("{}{} {}", text.empty() ? "The same in every run: " : ", ", words_of(pool.metric->name),
                      metric_value(pool.samples.min().ns(), pool.metric->unit));
  return text.empty() ? text : text + ".";
}

// Of what varies: those with thresholds first. What counts only a few different numbers is in the table, and so is
// what another picture shows already.
std::vector<std::string> pictures_of(const std::vector<Pool>& pools, const sim::Scenario& scenario) {
  constexpr std::size_t kFew = 4;
  std::vector<std::string> demanded;
  std::vector<std::string> others;
  std::vector<std::vector<Duration>> drawn;
  for (const Pool& pool : pools) {
    std::vector<Duration> values = pool.samples.values();
    std::sort(values.begin(), values.end());
    const bool is_demanded =
        std::any_of(scenario.thresholds.begin(), scenario.thresholds.end(),
                    [&](const sim::Threshold& threshold) { return threshold.metric == pool.metric->name; });
    std::vector<Duration> different = values;
    different.erase(std::unique(different.begin(), different.end()), different.end());
    const bool is_new = std::find(drawn.begin(), drawn.end(), values) == drawn.end();
    const bool is_few = pool.metric->unit == sim::MetricName::Unit::count && different.size() <= kFew;
    if (values.empty() || (!is_demanded && (different.size() < 2 || is_few || !is_new))) continue;
    (is_demanded ? demanded : others)
        .push_back(distribution_svg(*pool.metric, pool.samples, scenario.thresholds));
    drawn.push_back(std::move(values));
  }
  demanded.insert(demanded.end(), others.begin(), others.end());
  return demanded;
}

}  // namespace

PageSection section_of(const lab::Batch& batch, const std::string& reproduce_prefix) {
  PageSection section{
      .title = fmt::format("{}, seeds {}..{}", batch.scenario().name, batch.first_seed(), batch.last_seed()),
      .verdict = batch.verdict(),
      .sentence = sentence_of(batch)};
  section.reproduce = fmt::format("{}s {}..{}", reproduce_prefix.substr(0, reproduce_prefix.size() - 1),
                                  batch.first_seed(), batch.last_seed());
  section.ran = what_was_run(batch.scenario());
  section.settings = format::print_scenario(batch.scenario());
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
  if (const std::string constants = constants_of(pools); !constants.empty())
    section.notes.push_back(constants);
  section.tables.push_back(thresholds_of(batch, reproduce_prefix));
  section.tables.push_back(metrics_of(pools, reproduce_prefix));
  if (batch.failures_total() > 0) section.tables.push_back(failures_of(batch, reproduce_prefix));
  // With no threshold, what failed is what a reader wants first.
  if (section.tables.front().rows.empty()) section.tables.erase(section.tables.begin());
  section.pictures = pictures_of(pools, batch.scenario());
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
