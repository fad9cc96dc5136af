// A comparison as Markdown.
#include <fmt/format.h>

#include "cli/reports/compare_report.h"
#include "cli/reports/compare_words.h"
#include "cli/terminal/clean_text.h"

namespace tenure::cli {
namespace {

// The first row and the first column have names that users gave; the words in between are ours.
std::vector<std::vector<std::string>> with_clean_names(std::vector<std::vector<std::string>> rows) {
  for (std::vector<std::string>& row : rows) row.front() = markdown_text(row.front());
  for (std::size_t i = 1; i < rows.front().size(); ++i) rows.front()[i] = markdown_text(rows.front()[i]);
  return rows;
}

// Each cell leads to its worst run, where that was kept.
std::vector<std::vector<std::string>> linked_matrix(const lab::CompareFindings& findings) {
  const lab::Comparison& comparison = findings.comparison;
  const std::vector<std::size_t> order = comparison.order();
  std::vector<std::vector<std::string>> rows = with_clean_names(matrix_rows(comparison, order));
  std::size_t row = 0;
  for (const std::size_t column : matrix_columns(comparison)) {
    ++row;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (const std::string path = kept_path(findings, order[i], column); !path.empty())
        rows[row][i + 1] = fmt::format("[{}]({})", rows[row][i + 1], markdown_target(path));
  }
  return rows;
}

}  // namespace

std::string compare_markdown(const CompareReport& report) {
  const lab::Comparison& comparison = report.findings->comparison;
  std::string text = fmt::format("**{}**\n\n", markdown_text(title_of(report)));
  text += markdown_table(with_clean_names(summary_rows(comparison)));
  text += fmt::format("\nDesigns are {}.\n\n", kOrderInWords);
  const std::vector<std::string> priced = price_lines(*report.findings);
  for (std::size_t i = 0; i < priced.size(); ++i)
    text += i == 0 ? markdown_text(priced[i]) + "\n\n" : fmt::format("- {}\n", markdown_text(priced[i]));
  if (!priced.empty()) text += "\n";
  text += markdown_table(linked_matrix(*report.findings)) + "\n";
  for (const std::string& line : promise_lines(comparison))
    text += fmt::format("- {}\n", markdown_text(line));
  for (const auto& [head, line] : notes(comparison))
    text += fmt::format("- {}: {}\n", head, markdown_text(line));
  const std::vector<std::string> kept = kept_lines(*report.findings);
  if (!kept.empty()) text += "\nThe worst runs, kept:\n\n";
  for (const std::string& line : kept) text += fmt::format("- {}\n", markdown_text(line));
  return text;
}

}  // namespace tenure::cli
