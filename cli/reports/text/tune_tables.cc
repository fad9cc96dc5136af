// A tuning's findings as CSV and as Markdown tables.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/tune_report.h"
#include "cli/terminal/clean_text.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

using Cells = std::vector<std::string>;

std::string exact(std::int64_t nano) {
  lab::JsonWriter json;
  json.nano(nano);
  return json.take();
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

std::string markdown_settings(const TuneReport& report) {
  const std::vector<std::size_t> shown = settings_shown(report);
  const bool labelled = std::any_of(shown.begin(), shown.end(), [&](std::size_t row) {
    return !report.tuning->setting(row).unsafe.empty();
  });
  std::vector<Cells> rows;
  const auto add = [&](std::string first, Cells cells, std::string unsafe) {
    cells.insert(cells.begin(), std::move(first));
    if (labelled) cells.push_back(std::move(unsafe));
    rows.push_back(std::move(cells));
  };
  add("state", setting_columns(report), "unsafe in theory");
  for (const std::size_t index : shown)
    add(state_in_words(report, index), setting_cells(report, index), unsafe_names(report, index));
  return markdown_table(rows);
}

// What is wrong with settings that are neither in the set nor beaten by it, in their order.
std::string markdown_reasons(const TuneReport& report) {
  std::string text;
  for (const std::size_t index : settings_shown(report)) {
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

}  // namespace

std::string tune_csv(const TuneReport& report) {
  if (!report.has_parameters() && report.frontier) {
    std::vector<Cells> rows = frontier_rows(*report.frontier);
    rows.front() = {"checker", "value", "safe", "unsafe", "theory", "counterexample"};
    std::string text;
    for (const Cells& row : rows) text += csv_line(row);
    return text;
  }
  Cells cells = {"state"};
  for (const format::TuneParameter& parameter : report.tuning->tune().parameters)
    cells.push_back(parameter.key);
  for (const format::TuneObjective& objective : report.tuning->tune().objectives)
    for (const std::string_view end : {"", ".low", ".high"})
      cells.push_back(objective.measure.text + std::string(end));
  cells.emplace_back("unsafe_in_theory");
  cells.emplace_back("why");
  std::string text = csv_line(cells);
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i) {
    const lab::JudgedSetting& setting = report.judgement.settings[i];
    cells = {state_in_words(report, i)};
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
  if (report.frontier) add(markdown_table(frontier_rows(*report.frontier)));
  add(markdown_month(report));
  if (report.has_parameters() && report.judgement.knee)
    add("The recommended setting is applied by\n\n" + code_block(command_of(report, *report.judgement.knee)));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

}  // namespace tenure::cli
