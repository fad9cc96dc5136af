// The frontier of a tuning, as text for people.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "format/syntax/tune_values.h"

namespace tenure::cli {
namespace {

std::string value_at(const lab::FrontierFindings& report, std::optional<std::int64_t> value) {
  return value ? format::print_tune_value(report.asked.type, *value) : "-";
}

std::string row_name(const lab::FrontierFindings& report, std::size_t row) {
  const auto& parameter = report.asked.parameter;
  return parameter ? format::print_tune_value(parameter->type, parameter->values[row]) : "as in the file";
}

std::string unsafe_from(const lab::FrontierFindings& report, const lab::FrontierCell& cell) {
  if (!cell.unsafe) return fmt::format("at none of {} tried", cell.tried);
  if (!cell.unknown.empty()) return value_at(report, cell.unsafe) + ": nobody knows";
  if (cell.seed == 0) return value_at(report, cell.unsafe) + " is no setting";
  return value_at(report, cell.unsafe);
}

std::string theory_of(const lab::FrontierFindings& report, const lab::FrontierFinding& finding) {
  if (!finding.theory) return "none";
  return finding.theory->value ? value_at(report, finding.theory->value) : "any";
}

// What is said of several rows alike is said once.
std::string notes_of(const lab::FrontierFindings& report, const std::string& checker) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& note) {
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  for (const lab::FrontierFinding& finding : report.cells) {
    if (finding.cell.checker != checker) continue;
    add(finding.cell.unknown.empty() ? "" : "nobody knows: " + finding.cell.unknown);
    if (finding.theory) add("theory: " + finding.theory->text);
    if (!finding.difference.empty()) add(finding.difference);
    if (finding.cell.broken_order) add("a safe value was seen above an unsafe one: try a narrower range");
  }
  std::string text;
  for (const std::string& note : notes) text += "              " + note + "\n";
  return text;
}

}  // namespace

std::string frontier_text(const lab::FrontierFindings& report) {
  std::string text;
  for (const std::string& checker : report.asked.checkers) {
    text += fmt::format("  frontier    {}: {}{}, {} each, to {}\n", checker, report.asked.against,
                        report.asked.parameter ? " against " + report.asked.parameter->key : "",
                        counted(static_cast<std::size_t>(report.asked.seeds), "seed"),
                        format::print_tune_value(report.asked.type, report.asked.resolution));
    Table table(1);
    table.row({report.asked.parameter ? report.asked.parameter->key : "", "safe up to", "unsafe from",
               "theory", "counterexample"});
    for (const lab::FrontierFinding& finding : report.cells)
      if (finding.cell.checker == checker)
        table.row({row_name(report, finding.cell.row), value_at(report, finding.cell.safe),
                   unsafe_from(report, finding.cell), theory_of(report, finding), finding.path()});
    text += table.text("            ") + notes_of(report, checker);
  }
  if (!report.why_none.empty()) text += fmt::format("              no setting {}\n", report.why_none);
  return text;
}

}  // namespace tenure::cli
