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

// The summary's heading takes two lines, so that it has room beside the designs' names.
std::string summary_table(const sim::Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = summary_rows(comparison);
  rows.front() = {"design", "leader",  "longest",  "fenced",  "p50",  "p99",
                  "deploy", "an hour", "standbys", "a month", "heals"};
  rows.insert(rows.begin(),
              {"", "one", "two lead", "if", "failover", "", "a", "requests", "10", "false", ""});
  return table_of(std::move(rows), 2).text("");
}

// In lines of kColumns, those after the first further in.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::string line = "  ";
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (line.size() + word.size() > kColumns && line.find_first_not_of(' ') != std::string::npos) {
      lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = "      ";
    }
    line += std::string(word) + " ";
  }
  return lines + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
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
  std::string text = summary_table(comparison);
  text += fmt::format("\n  {}; {} runs a cell\n\n", kOrderInWords, report.seeds);
  const std::vector<std::string> priced = price_lines(*report.findings);
  for (const std::string& line : priced) text += wrapped(line);
  if (!priced.empty()) text += "\n";
  for (const std::string& line : promise_lines(comparison)) text += wrapped(line);
  text += matrices(comparison);
  const std::vector<NotedLine> noted = notes(comparison);
  if (!noted.empty()) text += "\n";
  for (const auto& [head, line] : noted) text += wrapped(fmt::format("{}  {}", head, line));
  const std::vector<std::string> kept = kept_lines(*report.findings);
  if (!kept.empty()) text += "\n";
  for (const std::string& line : kept) text += fmt::format("  kept  {}\n", line);
  return text;
}

}  // namespace tenure::cli
