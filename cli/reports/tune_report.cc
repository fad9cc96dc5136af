#include "cli/reports/tune_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "format/print/print.h"
#include "format/syntax/tune_values.h"
#include "sim/scenario/names.h"

namespace tenure::cli {
namespace {

const lab::Setting& setting_of(const TuneReport& report, std::size_t index) {
  return report.tuning->setting(index);
}

// Without its table.
std::string bare_name(const std::string& key) { return key.substr(key.find('.') + 1); }

std::optional<std::int64_t> parameter_value(const sim::Scenario& scenario, const std::string& key) {
  const bool of_scheduler = key.starts_with(format::kTuneScheduling);
  if (!of_scheduler && !key.starts_with(format::kTuneElection)) return std::nullopt;
  if (of_scheduler && scenario.scheduler == nullptr) return std::nullopt;
  const Parameters& parameters = of_scheduler ? scenario.scheduling : scenario.instances.front().election;
  const int place = parameters.find(bare_name(key));
  return place < 0 ? std::nullopt : std::optional(parameters.value(place));
}

// Three digits that count, and no zeros behind the point.
std::string decimal(std::int64_t nano) {
  const bool negative = nano < 0;
  std::int64_t value = negative ? -nano : nano;
  std::int64_t quantum = 1;
  while (value / quantum >= 1'000) quantum *= 10;
  quantum = std::min<std::int64_t>(quantum, 1'000'000'000);
  value = (value + quantum / 2) / quantum * quantum;
  std::string text = fmt::format("{}.{:09}", value / 1'000'000'000, value % 1'000'000'000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return (negative ? "-" : "") + text;
}

const sim::MetricName* metric_of(const format::TuneMeasure& measure) {
  const auto* found = std::find_if(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                                   [&](const auto& metric) { return metric.name == measure.metric; });
  return found == std::end(sim::kMetricNames) ? nullptr : found;
}

}  // namespace

std::string shown_key(const format::TuneParameter& parameter) {
  return parameter.key.starts_with(format::kTuneElection) ? bare_name(parameter.key) : parameter.key;
}

std::int64_t value_of_parameter(const TuneReport& report, std::size_t index, std::size_t parameter) {
  return parameter_value(setting_of(report, index).scenario, report.tuning->tune().parameters[parameter].key)
      .value();
}

std::optional<std::int64_t> frontier_value_of_file(const TuneReport& report) {
  if (!report.frontier || !report.frontier->asked.parameter) return std::nullopt;
  return parameter_value(setting_of(report, 0).scenario, report.frontier->asked.parameter->key);
}

std::vector<std::string> values_of_setting(const TuneReport& report, std::size_t index) {
  std::vector<std::string> values;
  const auto& parameters = report.tuning->tune().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    values.push_back(format::print_tune_value(parameters[i].type, value_of_parameter(report, index, i)));
  return values;
}

std::string name_of_setting(const TuneReport& report, std::size_t index) {
  std::string name;
  const std::vector<std::string> values = values_of_setting(report, index);
  for (std::size_t i = 0; i < values.size(); ++i)
    name +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", shown_key(report.tuning->tune().parameters[i]), values[i]);
  return name;
}

std::string command_of(const TuneReport& report, std::size_t index, std::optional<std::uint64_t> seed,
                       std::vector<format::Override> more) {
  static const lab::Setting kAcceptsNothing;
  std::vector<format::Override> sets = report.sets;
  std::vector<format::Override> changes = lab::overrides_to_apply(
      setting_of(report, index), report.is_refused ? kAcceptsNothing : setting_of(report, 0));
  changes.insert(changes.end(), more.begin(), more.end());
  for (format::Override& set : changes) {
    std::erase_if(sets, [&](const format::Override& other) { return other.key == set.key; });
    sets.push_back(std::move(set));
  }
  std::string command = "tenure run " + shell_quoted(report.path);
  command += shell_sets(sets);
  if (seed) command += fmt::format(" --seed {}", *seed);
  return command;
}

std::string command_of_batch(const TuneReport& report, std::size_t index) {
  return fmt::format("{} --seeds 1..{}", command_of(report, index), report.tuning->outcome(index).runs());
}

std::string shown_number(const format::TuneMeasure& measure, std::int64_t nano) {
  return decimal(measure.metric == "leaderless_share" ? nano * 100 : nano);
}

std::string shown(const format::TuneMeasure& measure, std::int64_t nano) {
  return shown_number(measure, nano) + unit_of(measure);
}

std::string shown_estimate(const format::TuneMeasure& measure, const lab::Estimate& estimate) {
  if (estimate.samples == 0) return "-";
  const std::string text = shown(measure, estimate.value);
  if (!estimate.known) return fmt::format("{} ({})", text, counted(estimate.samples, "sample"));
  if (!estimate.low || estimate.low == estimate.high) return text;
  return fmt::format("{} [{}..{}]", text, shown_number(measure, *estimate.low),
                     estimate.high ? shown_number(measure, *estimate.high) : "");
}

std::vector<std::string> setting_columns(const TuneReport& report) {
  std::vector<std::string> columns;
  for (const format::TuneParameter& parameter : report.tuning->tune().parameters)
    columns.push_back(shown_key(parameter));
  for (const format::TuneObjective& objective : report.tuning->tune().objectives)
    columns.push_back(objective.measure.text);
  return columns;
}

std::vector<std::string> setting_cells(const TuneReport& report, std::size_t index) {
  std::vector<std::string> cells = values_of_setting(report, index);
  const auto& objectives = report.tuning->tune().objectives;
  const std::vector<lab::Estimate>& estimates = report.judgement.settings[index].objectives;
  for (std::size_t i = 0; i < objectives.size(); ++i)
    cells.push_back(i < estimates.size() ? shown_estimate(objectives[i].measure, estimates[i]) : "");
  return cells;
}

std::vector<std::size_t> settings_shown(const TuneReport& report) {
  std::vector<std::size_t> shown = report.judgement.best;
  shown.insert(shown.end(), report.judgement.apart.begin(), report.judgement.apart.end());
  const auto add = [&](std::size_t index) {
    if (std::find(shown.begin(), shown.end(), index) == shown.end()) shown.push_back(index);
  };
  if (report.judgement.nearest) add(*report.judgement.nearest);
  add(place_of_file(report));
  return shown;
}

std::string state_in_words(const TuneReport& report, std::size_t index) {
  std::string state(name_of(report.judgement.settings[index].state));
  if (report.judgement.knee == index) state = "recommended";
  if (report.judgement.nearest == index) state = "nearest: " + state;
  return index == place_of_file(report) ? state + " (file)" : state;
}

std::vector<std::vector<std::string>> frontier_rows(const lab::FrontierFindings& report) {
  const auto& along = report.asked.parameter;
  const auto text = [&](std::int64_t value) { return format::print_tune_value(report.asked.type, value); };
  std::vector<std::vector<std::string>> rows = {
      {"checker", along ? along->key : "", "safe up to", "unsafe from", "theory", "counterexample"}};
  for (const lab::FrontierFinding& finding : report.cells) {
    const lab::FrontierCell& cell = finding.cell;
    std::string unsafe = cell.unsafe ? text(*cell.unsafe) : fmt::format("at none of {} tried", cell.tried);
    if (cell.unsafe && !cell.unknown.empty())
      unsafe += ": nobody knows";
    else if (cell.unsafe && cell.seed == 0)
      unsafe += " is no setting";
    rows.push_back({cell.checker,
                    along ? format::print_tune_value(along->type, along->values[cell.row]) : "as in the file",
                    cell.safe ? text(*cell.safe) : "-", std::move(unsafe),
                    !finding.theory         ? "none"
                    : finding.theory->value ? text(*finding.theory->value)
                                            : "any",
                    finding.path()});
  }
  return rows;
}

std::string unsafe_names(const TuneReport& report, std::size_t index) {
  std::vector<std::string> names;
  for (const sim::UnsafeNote& note : setting_of(report, index).unsafe) names.push_back(note.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t place_of_file(const TuneReport& report) { return report.tuning->twin_of_own().value_or(0); }

std::size_t first_row(const TuneReport& report) { return report.tuning->twin_of_own() ? 1 : 0; }

std::string unit_of(const format::TuneMeasure& measure) {
  if (measure.metric == "false_failovers_per_day") return "/day";
  if (measure.metric == "leaderless_share") return "%";
  const sim::MetricName* metric = metric_of(measure);
  if (metric == nullptr) return "";
  switch (metric->unit) {
    case sim::MetricName::Unit::seconds: return "s";
    case sim::MetricName::Unit::per_second: return "/s";
    case sim::MetricName::Unit::count: break;
  }
  return "";
}

}  // namespace tenure::cli
