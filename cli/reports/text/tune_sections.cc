// The frontier of a tuning, as text for people.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "format/syntax/tune_values.h"

namespace tenure::cli {
namespace {

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
  const std::vector<std::vector<std::string>> rows = frontier_rows(report);
  std::string text;
  for (const std::string& checker : report.asked.checkers) {
    text += fmt::format("  frontier    {}: {}{}, {} each, to {}\n", checker, report.asked.against,
                        report.asked.parameter ? " against " + report.asked.parameter->key : "",
                        counted(static_cast<std::size_t>(report.asked.seeds), "seed"),
                        format::print_tune_value(report.asked.type, report.asked.resolution));
    Table table(1);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i == 0 || rows[i].front() == checker) table.row({rows[i].begin() + 1, rows[i].end()});
    text += table.text("            ") + notes_of(report, checker);
  }
  if (!report.why_none.empty()) text += fmt::format("              no setting {}\n", report.why_none);
  return text;
}

}  // namespace tenure::cli
