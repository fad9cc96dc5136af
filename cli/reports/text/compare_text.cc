// A comparison as text for people, in 120 columns.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/compare_report.h"
#include "cli/reports/compare_words.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kColumns = 120;
constexpr std::size_t kWidestName = 40;
constexpr std::size_t kNarrowestName = 15;

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

// In lines of at most `width`, parted where a setting ends if there is such a place, or else a word; those after the
// first further in.
std::vector<std::string> folded(std::string_view name, std::size_t width) {
  constexpr std::string_view kIn = "  ";
  std::vector<std::string> lines;
  while (true) {
    const std::string_view in = lines.empty() ? "" : kIn;
    const std::size_t room = width - in.size();
    if (name.size() <= room) break;
    std::size_t sign = name.substr(0, room).find_last_of(":,+/ ");
    if (sign == std::string_view::npos) sign = name.substr(0, room).find_last_of('-');
    const std::size_t taken = sign == std::string_view::npos ? room : sign + 1;
    lines.push_back(std::string(in) + std::string(name.substr(0, taken)));
    name.remove_prefix(taken);
  }
  lines.push_back((lines.empty() ? "" : std::string(kIn)) + std::string(name));
  return lines;
}

// One word or more a line.
std::vector<std::string> folded_words(std::string_view text, std::size_t width) {
  std::vector<std::string> lines = {""};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

// One row as several: each cell has its lines, and what has fewer ends below (`at_the_bottom`), or begins above.
void add_folded(const std::vector<std::vector<std::string>>& cells, bool at_the_bottom,
                std::vector<std::vector<std::string>>& rows) {
  std::size_t height = 1;
  for (const std::vector<std::string>& lines : cells) height = std::max(height, lines.size());
  for (std::size_t i = 0; i < height; ++i) {
    std::vector<std::string> row;
    for (const std::vector<std::string>& lines : cells) {
      const std::size_t above = at_the_bottom ? height - lines.size() : 0;
      row.push_back(i >= above && i - above < lines.size() ? lines[i - above] : "");
    }
    rows.push_back(std::move(row));
  }
}

// The names in the first column take `width` at most.
std::vector<std::vector<std::string>> with_folded_names(const std::vector<std::vector<std::string>>& rows,
                                                        std::size_t width) {
  std::vector<std::vector<std::string>> narrower;
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::vector<std::string>> cells = {folded(row.front(), width)};
    for (std::size_t i = 1; i < row.size(); ++i) cells.push_back({row[i]});
    add_folded(cells, false, narrower);
  }
  return narrower;
}

// The words of a heading below each other, so that it has room beside the designs' names.
std::vector<std::vector<std::string>> with_stacked_heads(std::vector<std::vector<std::string>> rows) {
  constexpr std::size_t kWidest = 10;
  std::vector<std::vector<std::string>> heads;
  for (const std::string& head : rows.front()) heads.push_back(folded_words(head, kWidest));
  std::vector<std::vector<std::string>> stacked;
  add_folded(heads, true, stacked);
  stacked.insert(stacked.end(), rows.begin() + 1, rows.end());
  return stacked;
}

std::string summary_table(const lab::Comparison& comparison) {
  const std::vector<std::vector<std::string>> rows = with_stacked_heads(summary_rows(comparison));
  std::string text = table_of(rows, 2).text("");
  for (std::size_t width = kWidestName; longest_line(text) > kColumns && width >= kNarrowestName; --width)
    text = table_of(with_folded_names(rows, width), 2).text("");
  return text;
}

// The names of situations and of designs in several lines where they are long.
std::vector<std::vector<std::string>> with_folded_heads(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> heads;
  for (const std::string& head : rows.front()) heads.push_back(folded(head, kWidestName));
  std::vector<std::vector<std::string>> folded_rows;
  add_folded(heads, true, folded_rows);
  const std::vector<std::vector<std::string>> rest(rows.begin() + 1, rows.end());
  for (std::vector<std::string>& row : with_folded_names(rest, kWidestName))
    folded_rows.push_back(std::move(row));
  return folded_rows;
}

// In lines of kColumns, those after the first further in.
std::string wrapped(std::string_view text, std::string_view indent = "  ") {
  std::string lines;
  std::string line(indent);
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

// As many designs beside each other as there is room for.
std::string matrices(const lab::Comparison& comparison) {
  std::string text;
  std::vector<std::size_t> left = comparison.order();
  while (!left.empty()) {
    std::size_t taken = left.size();
    std::string block;
    do {
      block = table_of(with_folded_heads(matrix_rows(
                           comparison, {left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken)})),
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
  const lab::Comparison& comparison = report.findings->comparison;
  std::string text = wrapped("COMPARE " + title_of(report), "") + "\n" + summary_table(comparison);
  text += "\n" + wrapped(kOrderInWords);
  const std::vector<std::string> priced = price_lines(*report.findings);
  if (!priced.empty()) text += "\n";
  for (const std::string& line : priced) text += wrapped(line);
  text += matrices(comparison) + "\n";
  for (const std::string& line : promise_lines(comparison)) text += wrapped(line);
  const std::vector<NotedLine> noted = notes(comparison);
  if (!noted.empty()) text += "\n";
  for (const auto& [head, line] : noted) text += wrapped(fmt::format("{}  {}", head, line));
  const std::vector<std::string> kept = kept_lines(*report.findings);
  if (!kept.empty()) text += "\n";
  for (const std::string& line : kept) text += fmt::format("  kept  {}\n", line);
  return text;
}

}  // namespace tenure::cli
