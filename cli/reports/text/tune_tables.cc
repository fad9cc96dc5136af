// A tuning's findings as CSV and as Markdown tables.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/reports/tune_report.h"
#include "cli/terminal/clean_text.h"
#include "format/syntax/tune_values.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

using Cells = std::vector<std::string>;

Cells header(const TuneReport& report) {
  Cells cells = {"state"};
  for (const format::TuneParameter& parameter : report.tuning->tune().parameters)
    cells.push_back(parameter.key);
  return cells;
}

std::string exact(std::int64_t nano) {
  lab::JsonWriter json;
  json.nano(nano);
  return json.take();
}

std::string state_of(const TuneReport& report, std::size_t index) {
  std::string state(name_of(report.judgement.settings[index].state));
  if (report.judgement.knee == index) state = "knee";
  if (report.judgement.nearest == index) state = "nearest: " + state;
  if (index == report.tuning->twin_of_own().value_or(0)) state += " (file)";
  return state;
}

// A finding in words: where it is safe, where it is not, and what theory says.
Cells frontier_cells(const lab::FrontierFindings& report, const lab::FrontierFinding& finding) {
  const auto& parameter = report.asked.parameter;
  const auto text = [&](const std::optional<std::int64_t>& value) {
    return value ? format::print_tune_value(report.asked.type, *value) : std::string("-");
  };
  const std::string theory = !finding.theory         ? "-"
                             : finding.theory->value ? text(finding.theory->value)
                                                     : "any";
  const bool fails = finding.cell.seed > 0;
  const std::string why = !finding.cell.unsafe || fails  ? ""
                          : finding.cell.unknown.empty() ? ": no setting"
                                                         : ": nobody knows: " + finding.cell.unknown;
  return {finding.cell.checker,
          parameter ? format::print_tune_value(parameter->type, parameter->values[finding.cell.row]) : "-",
          text(finding.cell.safe),
          text(finding.cell.unsafe) + why,
          theory,
          finding.path()};
}

// ---- CSV (RFC 4180) --------------------------------------------------------------------------------------

std::string csv_line(const Cells& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    if (cells[i].find_first_of(",\"\n") == std::string::npos) {
      line += cells[i];
      continue;
    }
    line += '"';
    for (const char c : cells[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

// ---- Markdown --------------------------------------------------------------------------------------------

std::string code_block(const std::string& text) { return fmt::format("```sh\n{}\n```\n", text); }

// Those worth having, what would be if theory were wrong, and the file's own; when nothing is, the nearest.
std::vector<std::size_t> rows_shown(const TuneReport& report) {
  std::vector<std::size_t> rows = report.judgement.best;
  rows.insert(rows.end(), report.judgement.apart.begin(), report.judgement.apart.end());
  const auto add = [&](std::size_t row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  };
  if (report.judgement.nearest) add(*report.judgement.nearest);
  add(report.tuning->twin_of_own().value_or(0));
  return rows;
}

std::string markdown_settings(const TuneReport& report) {
  const std::vector<std::size_t> shown_rows = rows_shown(report);
  const bool labelled = std::any_of(shown_rows.begin(), shown_rows.end(), [&](std::size_t row) {
    return !report.tuning->setting(row).unsafe.empty();
  });
  const auto& objectives = report.tuning->tune().objectives;
  std::vector<Cells> rows = {header(report)};
  for (const format::TuneObjective& objective : objectives) rows.front().push_back(objective.measure.text);
  if (labelled) rows.front().emplace_back("unsafe in theory");
  for (const std::size_t index : shown_rows) {
    Cells cells = {state_of(report, index)};
    for (const std::string& value : values_of_setting(report, index)) cells.push_back(value);
    for (std::size_t i = 0; i < objectives.size(); ++i)
      cells.push_back(shown_estimate(objectives[i].measure, report.judgement.settings[index].objectives[i]));
    if (labelled) cells.push_back(unsafe_names(report, index));
    rows.push_back(std::move(cells));
  }
  return markdown_table(rows);
}

// What is wrong with settings that are neither in the set nor beaten by it, in their order.
std::string markdown_reasons(const TuneReport& report) {
  std::string text;
  for (const std::size_t index : rows_shown(report)) {
    const lab::JudgedSetting& setting = report.judgement.settings[index];
    if (setting.state == lab::JudgedSetting::State::best ||
        setting.state == lab::JudgedSetting::State::dominated)
      continue;
    text +=
        fmt::format("- {} is {}: {}\n", name_of_setting(report, index), name_of(setting.state), setting.why);
  }
  return text;
}

std::string markdown_month(const TuneReport& report) {
  std::string text = markdown_table(month_rows(report));
  const std::vector<std::string> notes = month_notes(report);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += fmt::format("- {}\n", note);
  return text;
}

std::string markdown_frontier(const TuneReport& report) {
  if (!report.frontier) return {};
  std::vector<Cells> rows = {{"checker", "value", "safe up to", "unsafe from", "theory", "counterexample"}};
  for (const lab::FrontierFinding& finding : report.frontier->cells)
    rows.push_back(frontier_cells(*report.frontier, finding));
  return markdown_table(rows);
}

}  // namespace

std::string tune_csv(const TuneReport& report) {
  if (!report.has_parameters() && report.frontier) {
    std::string text = csv_line({"checker", "value", "safe", "unsafe", "theory", "counterexample"});
    for (const lab::FrontierFinding& finding : report.frontier->cells)
      text += csv_line(frontier_cells(*report.frontier, finding));
    return text;
  }
  Cells cells = header(report);
  for (const format::TuneObjective& objective : report.tuning->tune().objectives)
    for (const std::string_view end : {"", ".low", ".high"})
      cells.push_back(objective.measure.text + std::string(end));
  cells.emplace_back("unsafe_in_theory");
  cells.emplace_back("why");
  std::string text = csv_line(cells);
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i) {
    const lab::JudgedSetting& setting = report.judgement.settings[i];
    cells = {state_of(report, i)};
    for (const std::string& value : values_of_setting(report, i)) cells.push_back(value);
    for (const lab::Estimate& estimate : setting.objectives) {
      cells.push_back(estimate.samples > 0 ? exact(estimate.value) : "");
      cells.push_back(estimate.low ? exact(*estimate.low) : "");
      cells.push_back(estimate.high ? exact(*estimate.high) : "");
    }
    cells.push_back(unsafe_names(report, i));
    cells.push_back(setting.why);
    text += csv_line(cells);
  }
  return text;
}

std::string tune_markdown(const TuneReport& report) {
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  if (report.has_parameters()) {
    add(markdown_settings(report));
    add(markdown_reasons(report));
  }
  add(markdown_frontier(report));
  add(markdown_month(report));
  if (report.has_parameters() && report.judgement.knee)
    add("The knee is applied by\n\n" + code_block(command_of(report, *report.judgement.knee)));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

}  // namespace tenure::cli
