#include "cli/live/closeness_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "cli/reports/html/sections.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/svg/distribution_svg.h"
#include "cli/reports/text/text_format.h"
#include "format/syntax/units.h"
#include "lab/session/jobs.h"
#include "lab/session/json_writer.h"
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

// The head, and two rows of each measure.
std::vector<std::vector<std::string>> rows_of(const std::vector<lab::Closeness>& all) {
  std::vector<std::vector<std::string>> rows = {
      {"", "", "n", "p50", "p90", "max", "distance", "critical", ""}};
  for (const lab::Closeness& one : all) {
    std::vector<std::string> here = cells_of(one.measure, "live", one.live);
    here.insert(here.begin(), std::string(lab::name_of(one.measure)));
    here.push_back(one.comparable ? share_text(one.distance.ppm) : "-");
    here.push_back(critical_text(one));
    here.push_back(one.differs ? "differs" : "");
    std::vector<std::string> there = cells_of(one.measure, "simulated", one.simulated);
    there.insert(there.begin(), "");
    rows.push_back(std::move(here));
    rows.push_back(std::move(there));
  }
  return rows;
}

std::string difference_text(const lab::Closeness& one) {
  return fmt::format("{}: {} of the live ones and {} of the simulated ones are at most {}; likely reason: {}",
                     lab::name_of(one.measure), percent_text(one.distance.first_share),
                     percent_text(one.distance.other_share), value_text(one.measure, one.distance.at),
                     one.reason);
}

std::string measured_text(const lab::MeasuredTimes& times) {
  return fmt::format("{}: {}, p50 {}, p90 {}", times.what, format::print_thousands(times.of.n),
                     short_duration(Duration::nanos(times.of.p50)),
                     short_duration(Duration::nanos(times.of.p90)));
}

std::string runs_text(const LiveComparison& comparison) {
  return fmt::format("{} live, {} simulated; distance of Kolmogorov and Smirnov, critical at 5%",
                     counted(comparison.live.runs(), "run"),
                     format::print_thousands(comparison.simulated.runs()));
}

// A count is so many seconds, as charts have them.
std::vector<Duration> charted(lab::Measure measure, const lab::MeasurePool& pool) {
  std::vector<Duration> values;
  for (const std::int64_t value : pool.values(measure))
    values.push_back(measure == lab::Measure::store_requests ? Duration::seconds(value)
                                                             : Duration::nanos(value));
  return values;
}

void write(std::string_view side, lab::Measure measure, const lab::Distribution& of, lab::JsonWriter& json) {
  json.key(side).begin_object().field("n", of.n);
  for (const auto& [name, value] :
       {std::pair("p50", of.p50), std::pair("p90", of.p90), std::pair("max", of.max)})
    if (measure == lab::Measure::store_requests)
      json.field(name, value);
    else
      json.field(name, Duration::nanos(value));
  json.end_object();
}

}  // namespace

std::optional<LiveComparison> compare_with_simulation(const LiveSide& live, const format::ScenarioFile& file,
                                                      std::uint64_t seed, Streams& streams) {
  // Threads that an interruption leaves behind still read it.
  const auto measured = std::make_shared<format::ScenarioFile>(file);
  measured->scenario = lab::with_measured(file.scenario, live.times);
  measured->scenario.store.notification =
      sim::Quantiles::table({{0, Duration{}}, {sim::Quantiles::kOne, live.hears_after}});
  LiveComparison made;
  const auto end = lab::make_in_order(
      kSimulatedRuns, std::max(1U, std::thread::hardware_concurrency()),
      [measured, seed](std::size_t i) {
        lab::PartsCollector parts;
        lab::RunOutcome outcome = lab::run_one({.file = measured.get(), .seed = seed + i, .trace = &parts});
        return std::pair(std::move(outcome), parts.parts());
      },
      [&](std::size_t i, const auto& one) {
        show_progress(streams, fmt::format("simulating, {} of {}", i + 1, kSimulatedRuns));
        const auto& [outcome, parts] = one;
        if (!outcome.result) made.failed = outcome.error;
        if (outcome.result) made.simulated.add({outcome.result->metrics, parts});
        return made.failed.empty();
      });
  clear_progress(streams);
  if (end != lab::JobsEnd::done && made.failed.empty()) return std::nullopt;
  made.live = live.pool;
  made.each = compare(made.live, made.simulated);
  made.measured = lab::measured_times(live.times);
  return made;
}

std::string text_of_closeness(const LiveComparison& comparison) {
  if (!comparison.failed.empty())
    return row("compared", "not: a simulation ended with an error: " + comparison.failed);
  Table table(2);
  for (std::vector<std::string>& cells : rows_of(comparison.each)) table.row(std::move(cells));
  std::string text = "compared  " + runs_text(comparison) + "\n" + table.text("  ");
  for (const lab::Closeness& one : comparison.each)
    if (!one.reason.empty()) text += row("differs", difference_text(one));
  for (const lab::MeasuredTimes& times : comparison.measured) text += row("measured", measured_text(times));
  return text;
}

std::string json_of_closeness(const LiveComparison& comparison) {
  lab::JsonWriter json;
  begin_document("comparison", json);
  json.field("live_runs", comparison.live.runs()).field("simulated_runs", comparison.simulated.runs());
  if (!comparison.failed.empty()) json.field("failed", comparison.failed);
  json.key("measures").begin_array();
  for (const lab::Closeness& one : comparison.each) {
    json.begin_object().field("name", lab::name_of(one.measure));
    write("live", one.measure, one.live, json);
    write("simulated", one.measure, one.simulated, json);
    if (one.comparable)
      json.key("distance").nano(one.distance.ppm * 1'000).key("critical").nano(one.critical_ppm * 1'000);
    json.field("differs", one.differs).field("reason", one.reason).end_object();
  }
  json.end_array().key("measured").begin_array();
  for (const lab::MeasuredTimes& times : comparison.measured) {
    json.begin_object().field("name", times.what).field("n", times.of.n);
    json.field("p50", Duration::nanos(times.of.p50)).field("p90", Duration::nanos(times.of.p90)).end_object();
  }
  return json.end_array().end_object().take() + "\n";
}

PageSection section_of_closeness(const LiveComparison& comparison, const sim::Scenario& scenario,
                                 const std::string& command) {
  PageSection section{.title = scenario.name + ": live beside simulated", .reproduce = command};
  section.ran = what_was_run(scenario);
  if (!comparison.failed.empty()) {
    section.sentence = "A simulation ended with an error: " + comparison.failed;
    return section;
  }
  std::string differ;
  for (const lab::Closeness& one : comparison.each)
    if (one.differs && !lab::is_part(one.measure))
      differ += fmt::format("{}{}", differ.empty() ? "" : ", ", lab::name_of(one.measure));
  section.sentence = differ.empty() ? "Live and simulated runs differ by no more than chance."
                                    : "Live and simulated runs differ beyond chance: " + differ + ".";
  section.tables.push_back(table_of("Live and simulated", rows_of(comparison.each)));
  section.notes.push_back(runs_text(comparison) + ".");
  for (const lab::Closeness& one : comparison.each) {
    if (!one.reason.empty()) section.notes.push_back(difference_text(one) + ".");
    if (!one.comparable) continue;
    const bool counts = one.measure == lab::Measure::store_requests;
    section.pictures.push_back(two_distributions_svg(lab::name_of(one.measure), counts ? "" : ", seconds",
                                                     charted(one.measure, comparison.live),
                                                     charted(one.measure, comparison.simulated)));
  }
  PageTable measured{"Measured on this machine, and given to the simulated runs",
                     {"what", "n", "p50", "p90"}};
  for (const lab::MeasuredTimes& times : comparison.measured)
    measured.rows.push_back(
        {{times.what, format::print_thousands(times.of.n), short_duration(Duration::nanos(times.of.p50)),
          short_duration(Duration::nanos(times.of.p90))}});
  section.tables.push_back(std::move(measured));
  return section;
}

}  // namespace tenure::cli
