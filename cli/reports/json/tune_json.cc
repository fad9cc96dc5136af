// A tuning's findings as one JSON document. What is not known is null.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/tune_report.h"
#include "format/syntax/tune_values.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

void write_setting(const TuneReport& report, std::size_t index, lab::JsonWriter& json) {
  const lab::JudgedSetting& setting = report.judgement.settings[index];
  const format::TuneSetting& tune = report.tuning->tune();
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
    const lab::Estimate& estimate = setting.objectives[i];
    json.key(tune.objectives[i].measure.text).begin_object();
    json.field("samples", estimate.samples).field("enough", estimate.known);
    const auto number = [&](std::string_view key, const std::optional<std::int64_t>& nano) {
      json.key(key);
      if (nano)
        json.nano(*nano);
      else
        json.null();
    };
    number("value", estimate.samples > 0 ? std::optional(estimate.value) : std::nullopt);
    number("low", estimate.low);
    number("high", estimate.high);
    json.field("open", estimate.low && !estimate.high).end_object();
  }
  json.end_object().field("why", setting.why);
  if (setting.broken_runs > 0)
    json.field("reproduce", command_of(report, index, setting.bad_seed));
  else
    json.field("command", command_of(report, index));
  json.end_object();
}

void write_frontier(const TuneReport& report, lab::JsonWriter& json) {
  json.key("frontier");
  if (!report.frontier) {
    json.null();
    return;
  }
  const format::TuneFrontier& asked = report.frontier->asked;
  const auto value = [&](std::string_view key, const std::optional<std::int64_t>& number) {
    json.key(key);
    if (number)
      json.value(format::print_tune_value(asked.type, *number));
    else
      json.null();
  };
  json.begin_object().field("parameter", asked.parameter ? asked.parameter->key : "");
  json.field("against", asked.against).field("seeds", asked.seeds);
  json.key("cells").begin_array();
  for (const lab::FrontierFinding& finding : report.frontier->cells) {
    json.begin_object().field("checker", finding.cell.checker).key("value");
    if (asked.parameter)
      json.value(format::print_tune_value(asked.parameter->type, asked.parameter->values[finding.cell.row]));
    else
      json.null();
    value("safe", finding.cell.safe);
    const bool unknown = !finding.cell.unknown.empty();
    value("unsafe", finding.cell.seed > 0 ? finding.cell.unsafe : std::nullopt);
    value("unexamined_from", unknown ? finding.cell.unsafe : std::nullopt);
    json.field("why_unexamined", finding.cell.unknown);
    json.field("tried", finding.cell.tried);
    json.field("seed", finding.cell.seed).field("theory", finding.theory ? finding.theory->text : "");
    value("bound", finding.theory ? finding.theory->value : std::nullopt);
    json.field("difference", finding.difference).field("counterexample", finding.path()).end_object();
  }
  json.end_array().end_object();
}

void write_month(const lab::ProfileAmount& leaderless_ns, const lab::ProfileAmount& false_failovers_micro,
                 lab::JsonWriter& json) {
  const auto write = [&](const std::string& name, const lab::ProfileAmount& amount, std::int64_t nanos) {
    json.key(name).nano(amount.value * nanos).key(name + "_low").nano(amount.low * nanos).key(name + "_high");
    if (amount.high)
      json.nano(*amount.high * nanos);
    else
      json.null();
  };
  write("leaderless_seconds", leaderless_ns, 1);
  write("false_failovers", false_failovers_micro, 1'000);
}

void write_profile(const TuneReport& report, lab::JsonWriter& json) {
  json.key("profile").begin_array();
  for (const lab::ProfileFinding& finding : report.profile) {
    json.begin_object()
        .list("values", values_of_setting(report, finding.setting))
        .key("a_month")
        .begin_array();
    for (const lab::ProfileCost& cost : finding.month.causes) {
      json.begin_object().field("cause", cost.cause);
      write_month(cost.leaderless_ns, cost.false_failovers_micro, json);
      json.end_object();
    }
    json.end_array().key("in_all").begin_object();
    write_month(finding.month.leaderless_ns, finding.month.false_failovers_micro, json);
    json.end_object().list("not_measured", finding.not_measured).end_object();
  }
  json.end_array();
}

}  // namespace

std::string tune_json(const TuneReport& report) {
  const format::TuneSetting& tune = report.tuning->tune();
  lab::JsonWriter json;
  json.begin_object().field("format", 1).field("scenario", report.scenario);
  json.field("interrupted", report.interrupted);
  json.field("protocol", report.tuning->setting(0).scenario.protocol->name);
  json.field("seeds", tune.seeds).key("skipped").begin_array();
  for (const auto& [why, note, count] : report.skipped)
    json.begin_object().field("why", why).field("note", note).field("count", count).end_object();
  json.end_array().key("not_counted").begin_array();
  for (const std::size_t objective : report.judgement.alike)
    json.value(tune.objectives[objective].measure.text);
  json.end_array();
  json.key("objectives").begin_array();
  for (const format::TuneObjective& objective : tune.objectives) json.value(objective.measure.text);
  json.end_array().key("constraints").begin_array();
  for (const format::TuneConstraint& constraint : tune.constraints) json.value(constraint.text);
  json.end_array().key("file");
  write_setting(report, 0, json);
  json.key("settings").begin_array();
  for (std::size_t i = 1; i < report.tuning->size(); ++i) write_setting(report, i, json);
  json.end_array().key("nearest");
  if (report.judgement.nearest)
    write_setting(report, *report.judgement.nearest, json);
  else
    json.null();
  json.key("unsafe_in_theory_but_unbeaten").begin_array();
  for (const std::size_t index : report.judgement.apart) write_setting(report, index, json);
  json.end_array();
  write_frontier(report, json);
  write_profile(report, json);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace tenure::cli
