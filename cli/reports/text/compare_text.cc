// A comparison as text for people, in 120 columns.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/compare_report.h"
#include "cli/reports/compare_words.h"
#include "cli/reports/text/table.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kColumns = 120;

Table table_of(std::vector<std::vector<std::string>> rows, std::size_t to_the_left) {
  Table table(to_the_left);
  for (std::vector<std::string>& row : rows) table.row(std::move(row));
  return table;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    longest = std::max(longest, end - from);
    from = end + 1;
  }
  return longest;
}

// As many designs beside each other as there is room for.
std::string matrices(const sim::Comparison& comparison) {
  std::string text;
  std::vector<std::size_t> left = comparison.order();
  while (!left.empty()) {
    std::size_t taken = left.size();
    std::string block;
    do {
      block =
          table_of(matrix_rows(comparison, {left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken)}),
                   1)
              .text("");
    } while (longest_line(block) > kColumns && taken-- > 1);
    taken = std::max<std::size_t>(taken, 1);
    text += "\n" + block;
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  return text;
}

}  // namespace

std::string compare_text(const CompareReport& report) {
  const sim::Comparison& comparison = report.findings->comparison;
  std::string text = table_of(summary_rows(comparison), 2).text("");
  text += fmt::format("\n  {}; {} runs a cell\n\n", kOrderInWords, report.seeds);
  const std::vector<std::string> priced = price_lines(*report.findings);
  for (const std::string& line : priced) text += "  " + line + "\n";
  if (!priced.empty()) text += "\n";
  for (const std::string& line : promise_lines(comparison)) text += "  " + line + "\n";
  text += matrices(comparison);
  const std::vector<std::string> why = reasons(comparison);
  if (!why.empty()) text += "\n";
  for (const std::string& line : why) text += fmt::format("  n/a  {}\n", line);
  const std::vector<std::string> kept = kept_lines(*report.findings);
  if (!kept.empty()) text += "\n";
  for (const std::string& line : kept) text += fmt::format("  kept  {}\n", line);
  return text;
}

}  // namespace tenure::cli
