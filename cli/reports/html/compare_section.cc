// A comparison of designs as a section of a page.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/reports/compare_words.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {
namespace {

bool is_grave(sim::Damage damage) {
  return damage == sim::Damage::two_lead || damage == sim::Damage::stale_writes ||
         damage == sim::Damage::double_fires || damage == sim::Damage::lost_fires ||
         damage == sim::Damage::design_error;
}

PageTone tone_of(const lab::ComparedCell& compared) {
  if (!compared.cell || compared.cell->tested() == 0) return PageTone::plain;
  const std::vector<lab::Cell::Seen> damages = compared.cell->damages();
  if (damages.empty()) return PageTone::good;
  return is_grave(damages.front().damage) ? PageTone::bad : PageTone::doubtful;
}

// Situations in which something went wrong, the one with most of it first; and behind a fold those without.
std::vector<PageTable> matrix_of(const lab::Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = matrix_rows(comparison, comparison.order());
  PageTable bad{
      "Situations (red: two leaders, or work that was wrong, twice or lost; amber: no leader, or work late)",
      std::move(rows.front())};
  PageTable good{"", bad.columns};
  good.folded = true;
  std::size_t place = 0;
  for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
    if (!comparison.columns()[column].in_matrix) continue;
    PageRow row{std::move(rows[++place]), {}, {PageTone::plain}};
    bool all_good = true;
    for (const std::size_t candidate : comparison.order()) {
      row.tones.push_back(tone_of(comparison.at(candidate, column)));
      all_good = all_good && row.tones.back() <= PageTone::good;
    }
    (all_good ? good : bad).rows.push_back(std::move(row));
  }
  const auto graveness = [](const PageRow& row) {
    return std::pair(std::count(row.tones.begin(), row.tones.end(), PageTone::bad),
                     std::count(row.tones.begin(), row.tones.end(), PageTone::doubtful));
  };
  std::stable_sort(bad.rows.begin(), bad.rows.end(),
                   [&](const PageRow& a, const PageRow& b) { return graveness(a) > graveness(b); });
  good.caption = fmt::format("{} in which nothing went wrong", counted(good.rows.size(), "situation"));
  return {std::move(bad), std::move(good)};
}

// Those with a timeline, and folded those for which there is no room.
std::vector<PageTable> troubles_of(const lab::Comparison& comparison, const std::string& command) {
  PageTable drawn{"What went wrong, the worst of each design first", {"design", "situation", "what", "seed"}};
  PageTable others{"", drawn.columns};
  others.folded = true;
  for (const WorstCell& worst : worst_cells(comparison)) {
    const lab::ComparedCell& cell = comparison.at(worst.candidate, worst.column);
    PageRow row{{comparison.candidates()[worst.candidate].name, comparison.name_of_column(worst.column),
                 text_of_cell(cell), fmt::format("{}", worst.seed)},
                cell_command(comparison, worst.candidate, worst.column, worst.seed, command),
                {PageTone::plain, PageTone::plain, tone_of(cell)}};
    (drawn.rows.size() < kComparedCasesMax ? drawn : others).rows.push_back(std::move(row));
  }
  others.caption = fmt::format("{} more that went wrong, without a timeline", others.rows.size());
  return {std::move(drawn), std::move(others)};
}

std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// Which designs kept what they promise, and which had two leaders that no fence stops.
std::string sentence_of(const lab::Comparison& comparison) {
  std::vector<std::string> broke;
  std::vector<std::string> safe;
  std::vector<std::string> two;
  for (const std::size_t candidate : comparison.order()) {
    const lab::Comparison::Summary summary = comparison.summary(candidate);
    const std::string& name = comparison.candidates()[candidate].name;
    if (summary.two_led_against_promise()) broke.push_back(name);
    if (summary.two_lead_fenced > Duration{})
      two.push_back(fmt::format("{} ({})", name, short_duration(summary.two_lead_fenced)));
    else
      safe.push_back(name);
  }
  std::string text = broke.empty() ? "" : fmt::format("Promise of one leader broken: {}. ", list_of(broke));
  if (two.empty()) return text + "No design had two leaders that a fence does not stop.";
  text += fmt::format("Two leaders at once, at the longest: {}", list_of(two));
  return text + (safe.empty() ? "." : fmt::format("; none behind a fence: {}.", list_of(safe)));
}

PageTable lines_in(std::string caption, const std::vector<std::string>& lines, bool folded) {
  PageTable table{std::move(caption), {"design", "what"}};
  table.folded = folded;
  for (const std::string& line : lines) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos)
      table.rows.push_back({{"", line}});
    else
      table.rows.push_back({{line.substr(0, colon), line.substr(colon + 2)}});
  }
  return table;
}

}  // namespace

std::vector<WorstCell> worst_cells(const lab::Comparison& comparison) {
  std::vector<std::pair<std::size_t, WorstCell>> ranked;
  for (const std::size_t candidate : comparison.order()) {
    std::vector<std::pair<lab::Cell::Seen, std::size_t>> found;
    for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
      const std::optional<lab::Cell>& cell = comparison.at(candidate, column).cell;
      if (!cell || !comparison.columns()[column].in_matrix) continue;
      const std::vector<lab::Cell::Seen> damages = cell->damages();
      if (!damages.empty()) found.emplace_back(damages.front(), column);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first.damage < b.first.damage ||
             (a.first.damage == b.first.damage && a.first.most > b.first.most);
    });
    for (std::size_t rank = 0; rank < found.size(); ++rank)
      ranked.emplace_back(rank, WorstCell{candidate, found[rank].second, found[rank].first.seed});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<WorstCell> cells;
  for (const auto& [rank, cell] : ranked) cells.push_back(cell);
  return cells;
}

std::string cell_command(const lab::Comparison& comparison, std::size_t candidate, std::size_t column,
                         std::uint64_t seed, const std::string& command) {
  return fmt::format("{} --out DIR  # {} in {}, seed {}", command, comparison.candidates()[candidate].name,
                     comparison.name_of_column(column), seed);
}

PageSection section_of(const CompareReport& report, const std::string& command) {
  const lab::Comparison& comparison = report.findings->comparison;
  PageSection section{.title = "a comparison of designs", .sentence = sentence_of(comparison)};
  section.reproduce = command;
  std::vector<std::string> designs;
  for (const lab::Candidate& candidate : comparison.candidates()) designs.push_back(candidate.name);
  section.ran = {
      {"designs", list_of(designs)},
      {"situations", fmt::format("{}, {}", comparison.situations().size(), runs_a_cell(report.seeds))}};
  for (std::string& line : price_lines(*report.findings)) section.notes.push_back(std::move(line));
  section.tables.push_back(table_of(fmt::format("Designs, {}", kOrderInWords), summary_rows(comparison)));
  for (PageTable& table : matrix_of(comparison)) section.tables.push_back(std::move(table));
  for (PageTable& table : troubles_of(comparison, command)) section.tables.push_back(std::move(table));
  section.tables.push_back(lines_in("What each design promises", promise_lines(comparison), false));
  std::vector<std::string> lines;
  for (const auto& [head, text] : notes(comparison)) lines.push_back(fmt::format("{}: {}", head, text));
  section.tables.push_back(lines_in("What is proved, explored, not tested or not applicable", lines, true));
  section.tables.back().columns.front() = "kind";
  return section;
}

}  // namespace tenure::cli
