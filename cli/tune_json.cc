// A tuning's findings as one JSON document, as CSV and as a Markdown table.
#include <fmt/format.h>

#include <algorithm>

#include "cli/json_writer.h"
#include "cli/tune_report.h"
#include "sim/scenario/toml/tune_values.h"

namespace tenure::cli {
namespace {

void write_setting(const TuneReport& report, std::size_t index, JsonWriter& json) {
  const sim::JudgedSetting& setting = report.judgement.settings[index];
  const sim::TuneSetting& tune = report.tuning->tune();
  json.begin_object().field("state", name_of(setting.state));
  json.field("knee", report.judgement.knee == index).field("file", index == 0);
  json.key("values").begin_object();
  const std::vector<std::string> values = values_of_setting(report, index);
  for (std::size_t i = 0; i < values.size(); ++i) json.field(tune.parameters[i].key, values[i]);
  json.end_object().key("unsafe_in_theory").begin_array();
  for (const sim::UnsafeNote& note : report.tuning->setting(index).unsafe)
    json.begin_object().field("name", note.name).field("text", note.text).end_object();
  json.end_array().key("objectives").begin_object();
  for (std::size_t i = 0; i < setting.objectives.size(); ++i) {
    const sim::Estimate& estimate = setting.objectives[i];
    json.key(tune.objectives[i].measure.text).begin_object();
    json.field("samples", estimate.samples).field("enough", estimate.known);
    json.key("value").nano(estimate.value).key("low").nano(estimate.low).key("high").nano(estimate.high);
    json.field("open", estimate.open).end_object();
  }
  json.end_object().field("why", setting.why);
  if (setting.broken_runs > 0)
    json.field("reproduce", command_of(report, index, setting.bad_seed));
  else
    json.field("command", command_of(report, index));
  json.end_object();
}

void write_frontier(const TuneReport& report, JsonWriter& json) {
  json.key("frontier");
  if (!report.frontier) {
    json.null();
    return;
  }
  const sim::TuneFrontier& asked = report.frontier->asked;
  const auto value = [&](std::string_view key, const std::optional<std::int64_t>& number) {
    json.key(key);
    if (number)
      json.value(sim::print_tune_value(asked.type, *number));
    else
      json.null();
  };
  json.begin_object().field("parameter", asked.parameter ? asked.parameter->key : "");
  json.field("against", asked.against).field("seeds", asked.seeds);
  json.key("cells").begin_array();
  for (const FrontierFinding& finding : report.frontier->findings) {
    json.begin_object().field("checker", finding.cell.checker).key("value");
    if (asked.parameter)
      json.value(sim::print_tune_value(asked.parameter->type, asked.parameter->values[finding.cell.row]));
    else
      json.null();
    value("safe", finding.cell.safe);
    value("unsafe", finding.cell.unsafe);
    json.field("seed", finding.cell.seed).field("theory", finding.theory ? finding.theory->text : "");
    value("bound", finding.theory ? finding.theory->value : std::nullopt);
    json.field("difference", finding.difference).field("counterexample", finding.path).end_object();
  }
  json.end_array().end_object();
}

void write_profile(const TuneReport& report, JsonWriter& json) {
  json.key("profile").begin_array();
  for (const ProfileFinding& finding : report.profile) {
    json.begin_object().key("values").begin_array();
    for (const std::string& value : values_of_setting(report, finding.setting)) json.value(value);
    json.end_array().key("a_month").begin_array();
    for (const sim::ProfileCost& cost : finding.costs) {
      json.begin_object().field("cause", cost.cause).field("leaderless_seconds", cost.leaderless);
      json.key("false_failovers").nano(cost.false_failovers_micro * 1'000).end_object();
    }
    json.end_array().key("not_measured").begin_array();
    for (const std::string& why : finding.not_measured) json.value(why);
    json.end_array().end_object();
  }
  json.end_array();
}

std::vector<std::string> header(const TuneReport& report) {
  std::vector<std::string> cells = {"state"};
  for (const sim::TuneParameter& parameter : report.tuning->tune().parameters) cells.push_back(parameter.key);
  return cells;
}

std::string exact(std::int64_t nano) {
  JsonWriter json;
  json.nano(nano);
  return json.take();
}

std::string unsafe_in_theory(const TuneReport& report, std::size_t index) {
  std::vector<std::string> names;
  for (const sim::UnsafeNote& note : report.tuning->setting(index).unsafe) names.push_back(note.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string state_of(const TuneReport& report, std::size_t index) {
  std::string state(name_of(report.judgement.settings[index].state));
  if (report.judgement.knee == index) state = "knee";
  if (index == report.tuning->twin_of_own().value_or(0)) state += " (file)";
  return state;
}

// A finding in words: where it is safe, where it is not, and what theory says.
std::vector<std::string> frontier_cells(const FrontierReport& report, const FrontierFinding& finding) {
  const auto& parameter = report.asked.parameter;
  const auto text = [&](const std::optional<std::int64_t>& value) {
    return value ? sim::print_tune_value(report.asked.type, *value) : std::string("-");
  };
  const std::string theory = !finding.theory         ? "-"
                             : finding.theory->value ? text(finding.theory->value)
                                                     : "any";
  return {finding.cell.checker,
          parameter ? sim::print_tune_value(parameter->type, parameter->values[finding.cell.row]) : "-",
          text(finding.cell.safe),
          text(finding.cell.unsafe),
          theory,
          finding.path};
}

// The file's own setting has a row of its own only when it is none of those that were tried.
std::size_t first_row(const TuneReport& report) { return report.tuning->twin_of_own() ? 1 : 0; }

}  // namespace

std::string tune_json(const TuneReport& report) {
  const sim::TuneSetting& tune = report.tuning->tune();
  JsonWriter json;
  json.begin_object().field("format", 1).field("scenario", report.scenario);
  json.field("protocol", report.tuning->setting(0).scenario.protocol->name);
  json.field("seeds", tune.seeds)
      .field("left_out", report.left_out)
      .field("why_left_out", report.why_left_out);
  json.key("objectives").begin_array();
  for (const sim::TuneObjective& objective : tune.objectives) json.value(objective.measure.text);
  json.end_array().key("constraints").begin_array();
  for (const sim::TuneConstraint& constraint : tune.constraints) json.value(constraint.text);
  json.end_array().key("file");
  write_setting(report, 0, json);
  json.key("settings").begin_array();
  for (std::size_t i = 1; i < report.tuning->size(); ++i) write_setting(report, i, json);
  json.end_array().key("nearest");
  if (report.judgement.nearest)
    write_setting(report, *report.judgement.nearest, json);
  else
    json.null();
  write_frontier(report, json);
  write_profile(report, json);
  json.end_object();
  return json.take() + "\n";
}

std::string tune_csv(const TuneReport& report) {
  if (!report.has_parameters() && report.frontier) {
    std::string text = "checker,value,safe,unsafe,theory,counterexample\n";
    for (const FrontierFinding& finding : report.frontier->findings)
      text += fmt::format("{}\n", fmt::join(frontier_cells(*report.frontier, finding), ","));
    return text;
  }
  std::vector<std::string> cells = header(report);
  for (const sim::TuneObjective& objective : report.tuning->tune().objectives)
    for (const std::string_view end : {"", ".low", ".high"})
      cells.push_back(objective.measure.text + std::string(end));
  cells.emplace_back("unsafe_in_theory");
  cells.emplace_back("why");
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i) {
    const sim::JudgedSetting& setting = report.judgement.settings[i];
    cells = {state_of(report, i)};
    for (const std::string& value : values_of_setting(report, i)) cells.push_back(value);
    for (const sim::Estimate& estimate : setting.objectives) {
      const bool any = estimate.samples > 0;
      cells.push_back(any ? exact(estimate.value) : "");
      cells.push_back(any ? exact(estimate.low) : "");
      cells.push_back(any && !estimate.open ? exact(estimate.high) : "");
    }
    cells.push_back(unsafe_in_theory(report, i));
    // No comma and no quote can be in it: names of checkers and measures, and numbers.
    cells.push_back(setting.why);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string tune_markdown(const TuneReport& report) {
  std::string frontier;
  if (report.frontier) {
    frontier =
        "| checker | value | safe up to | unsafe from | theory | counterexample "
        "|\n|---|---|---|---|---|---|\n";
    for (const FrontierFinding& finding : report.frontier->findings)
      frontier += fmt::format("| {} |\n", fmt::join(frontier_cells(*report.frontier, finding), " | "));
  }
  if (!report.has_parameters()) return frontier;
  const sim::TuneSetting& tune = report.tuning->tune();
  std::vector<std::string> cells = header(report);
  for (const sim::TuneObjective& objective : tune.objectives) cells.push_back(objective.measure.text);
  std::vector<std::size_t> rows = report.judgement.best;
  const std::size_t own = report.tuning->twin_of_own().value_or(0);
  if (std::find(rows.begin(), rows.end(), own) == rows.end()) rows.push_back(own);
  const bool labelled = std::any_of(
      rows.begin(), rows.end(), [&](std::size_t row) { return !report.tuning->setting(row).unsafe.empty(); });
  if (labelled) cells.emplace_back("unsafe in theory");
  std::string text = fmt::format("| {} |\n|", fmt::join(cells, " | "));
  for (std::size_t i = 0; i < cells.size(); ++i) text += "---|";
  text += "\n";
  for (const std::size_t index : rows) {
    const sim::JudgedSetting& setting = report.judgement.settings[index];
    cells = {state_of(report, index)};
    for (const std::string& value : values_of_setting(report, index)) cells.push_back(value);
    for (std::size_t i = 0; i < setting.objectives.size(); ++i)
      cells.push_back(setting.objectives[i].samples > 0
                          ? shown(tune.objectives[i].measure, setting.objectives[i].value)
                          : "-");
    if (labelled) cells.push_back(unsafe_in_theory(report, index));
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return frontier.empty() ? text : text + "\n" + frontier;
}

}  // namespace tenure::cli
