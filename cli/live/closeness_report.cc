#include "cli/live/closeness_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "cli/reports/text/text_format.h"
#include "format/syntax/units.h"
#include "lab/session/jobs.h"
#include "lab/session/one_run.h"

namespace tenure::cli {
namespace {

std::string value_text(lab::Measure measure, std::int64_t value) {
  return measure == lab::Measure::store_requests ? format::print_thousands(static_cast<std::uint64_t>(value))
                                                 : short_duration(Duration::nanos(value));
}

std::string share_text(std::int64_t ppm) {
  return fmt::format("{}.{:03}", ppm / 1'000'000, ppm / 1'000 % 1'000);
}

std::string critical_text(const lab::Closeness& one) {
  if (!one.comparable) return "-";
  return one.critical_ppm < 1'000'000 ? share_text(one.critical_ppm) : "too few";
}

std::string percent_text(std::int64_t ppm) { return fmt::format("{}%", (ppm + 5'000) / 10'000); }

std::vector<std::string> cells_of(lab::Measure measure, std::string_view side, const lab::Distribution& of) {
  std::vector<std::string> cells = {std::string(side), format::print_thousands(of.n)};
  for (const std::int64_t value : {of.p50, of.p90, of.max})
    cells.push_back(of.n > 0 ? value_text(measure, value) : "-");
  return cells;
}

}  // namespace

std::string text_of_closeness(const std::vector<lab::Closeness>& all, const lab::MeasurePool& live,
                              const lab::MeasurePool& simulated) {
  Table table(2);
  table.row({"", "", "n", "p50", "p90", "max", "distance", "critical", ""});
  for (const lab::Closeness& one : all) {
    std::vector<std::string> here = cells_of(one.measure, "live", one.live);
    here.insert(here.begin(), std::string(lab::name_of(one.measure)));
    here.push_back(one.comparable ? share_text(one.distance.ppm) : "-");
    here.push_back(critical_text(one));
    here.push_back(one.differs ? "differs" : "");
    std::vector<std::string> there = cells_of(one.measure, "simulated", one.simulated);
    there.insert(there.begin(), "");
    table.row(std::move(here));
    table.row(std::move(there));
  }
  std::string text =
      fmt::format("compared  {} live, {} simulated; distance of Kolmogorov and Smirnov, critical at 5%\n",
                  counted(live.runs(), "run"), format::print_thousands(simulated.runs()));
  text += table.text("  ");
  for (const lab::Closeness& one : all)
    if (!one.reason.empty())
      text += row("differs",
                  fmt::format("{}: {} of the live ones and {} of the simulated ones are at most {}; likely "
                              "reason: {}",
                              lab::name_of(one.measure), percent_text(one.distance.first_share),
                              percent_text(one.distance.other_share),
                              value_text(one.measure, one.distance.at), one.reason));
  return text;
}

std::string compare_with_simulation(const LiveSide& live, const format::ScenarioFile& file,
                                    std::uint64_t seed, Streams& streams) {
  // Threads that an interruption leaves behind still read it.
  const auto measured = std::make_shared<format::ScenarioFile>(file);
  measured->scenario = lab::with_measured(file.scenario, live.times);
  measured->scenario.store.notification =
      sim::Quantiles::table({{0, Duration{}}, {sim::Quantiles::kOne, live.looks_every}});
  lab::MeasurePool simulated;
  std::string failed;
  const auto end = lab::make_in_order(
      kSimulatedRuns, std::max(1U, std::thread::hardware_concurrency()),
      [measured, seed](std::size_t i) {
        lab::PartsCollector parts;
        lab::RunOutcome outcome = lab::run_one({.file = measured.get(), .seed = seed + i, .trace = &parts});
        return std::pair(std::move(outcome), parts.parts());
      },
      [&](std::size_t i, const auto& made) {
        show_progress(streams, fmt::format("simulating, {} of {}", i + 1, kSimulatedRuns));
        const auto& [outcome, parts] = made;
        if (!outcome.result) failed = outcome.error;
        if (outcome.result) simulated.add({outcome.result->metrics, parts});
        return failed.empty();
      });
  clear_progress(streams);
  if (!failed.empty()) return row("compared", "not: a simulation ended with an error: " + failed);
  if (end != lab::JobsEnd::done) return {};
  std::string text = text_of_closeness(compare(live.pool, simulated), live.pool, simulated);
  for (const lab::MeasuredTimes& times : lab::measured_times(live.times))
    text +=
        row("measured", fmt::format("{}: {}, p50 {}, p90 {}", times.what, format::print_thousands(times.of.n),
                                    value_text(lab::Measure::failover, times.of.p50),
                                    value_text(lab::Measure::failover, times.of.p90)));
  return text;
}

}  // namespace tenure::cli
