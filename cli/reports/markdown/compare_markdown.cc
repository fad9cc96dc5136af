// A comparison as Markdown.
#include <fmt/format.h>

#include "cli/reports/compare_report.h"
#include "cli/reports/compare_words.h"

namespace tenure::cli {
namespace {

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[i].size(); ++column) text += "|---";
    text += "|\n";
  }
  return text;
}

}  // namespace

std::string compare_markdown(const CompareReport& report) {
  const sim::Comparison& comparison = report.findings->comparison;
  std::string text = markdown_table(summary_rows(comparison));
  text += fmt::format("\n{} runs a cell; {}.\n\n", report.seeds, kOrderInWords);
  const std::vector<std::string> priced = price_lines(*report.findings);
  for (std::size_t i = 0; i < priced.size(); ++i)
    text += i == 0 ? fmt::format("{}\n\n", priced[i]) : fmt::format("- {}\n", priced[i]);
  if (!priced.empty()) text += "\n";
  for (const std::string& line : promise_lines(comparison)) text += fmt::format("- {}\n", line);
  text += "\n" + markdown_table(matrix_rows(comparison, comparison.order()));
  const std::vector<std::string> why = reasons(comparison);
  if (!why.empty()) text += "\nNot applicable:\n\n";
  for (const std::string& line : why) text += fmt::format("- {}\n", line);
  const std::vector<std::string> kept = kept_lines(*report.findings);
  if (!kept.empty()) text += "\nThe worst runs, kept:\n\n";
  for (const std::string& line : kept) text += fmt::format("- {}\n", line);
  return text;
}

}  // namespace tenure::cli
