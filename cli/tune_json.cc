// A tuning's findings as one JSON document, as CSV and as a Markdown table.
#include <fmt/format.h>

#include <algorithm>

#include "cli/json_writer.h"
#include "cli/tune_report.h"

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

std::string state_of(const TuneReport& report, std::size_t index) {
  std::string state(name_of(report.judgement.settings[index].state));
  if (report.judgement.knee == index) state = "knee";
  if (index == report.tuning->twin_of_own().value_or(0)) state += " (file)";
  return state;
}

// The file's own setting has a row of its own only when it is none of those that were tried.
std::size_t first_row(const TuneReport& report) { return report.tuning->twin_of_own() ? 1 : 0; }

}  // namespace

std::string tune_json(const TuneReport& report) {
  const sim::TuneSetting& tune = report.tuning->tune();
  JsonWriter json;
  json.begin_object().field("format", 1).field("scenario", report.scenario);
  json.field("protocol", report.tuning->setting(0).scenario.protocol->name);
  json.field("seeds", tune.seeds).field("left_out", report.left_out).field("why_left_out", report.why_left_out);
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
  json.end_object();
  return json.take() + "\n";
}

std::string tune_csv(const TuneReport& report) {
  std::vector<std::string> cells = header(report);
  for (const sim::TuneObjective& objective : report.tuning->tune().objectives)
    for (const std::string_view end : {"", ".low", ".high"}) cells.push_back(objective.measure.text + std::string(end));
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
    // No comma and no quote can be in it: names of checkers and measures, and numbers.
    cells.push_back(setting.why);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string tune_markdown(const TuneReport& report) {
  const sim::TuneSetting& tune = report.tuning->tune();
  std::vector<std::string> cells = header(report);
  for (const sim::TuneObjective& objective : tune.objectives) cells.push_back(objective.measure.text);
  std::string text = fmt::format("| {} |\n|", fmt::join(cells, " | "));
  for (std::size_t i = 0; i < cells.size(); ++i) text += "---|";
  text += "\n";
  std::vector<std::size_t> rows = report.judgement.best;
  const std::size_t own = report.tuning->twin_of_own().value_or(0);
  if (std::find(rows.begin(), rows.end(), own) == rows.end()) rows.push_back(own);
  for (const std::size_t index : rows) {
    const sim::JudgedSetting& setting = report.judgement.settings[index];
    cells = {state_of(report, index)};
    for (const std::string& value : values_of_setting(report, index)) cells.push_back(value);
    for (std::size_t i = 0; i < setting.objectives.size(); ++i)
      cells.push_back(setting.objectives[i].samples > 0
                          ? shown(tune.objectives[i].measure, setting.objectives[i].value)
                          : "-");
    text += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return text;
}

}  // namespace tenure::cli
