// A comparison of designs as a section of a page.
#include <fmt/format.h>

#include <utility>

#include "cli/reports/compare_words.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {
namespace {

PageTable table_of(std::string caption, std::vector<std::vector<std::string>> rows) {
  PageTable table{std::move(caption), std::move(rows.front())};
  for (std::size_t i = 1; i < rows.size(); ++i) table.rows.push_back({std::move(rows[i])});
  return table;
}

// Every cell in which something went wrong, with its worst run.
PageTable troubles_of(const CompareReport& report, const std::string& command) {
  const lab::Comparison& comparison = report.findings->comparison;
  PageTable table{"What went wrong, and the worst run of each", {"design", "situation", "what", "seed"}};
  for (const std::size_t candidate : comparison.order())
    for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
      const std::optional<lab::Cell>& cell = comparison.at(candidate, column).cell;
      if (!cell || !comparison.columns()[column].in_matrix || cell->damages().empty()) continue;
      const std::uint64_t seed = cell->damages().front().seed;
      table.rows.push_back({{comparison.candidates()[candidate].name, comparison.name_of_column(column),
                             text_of_cell(comparison.at(candidate, column)), fmt::format("{}", seed)},
                            cell_command(comparison, candidate, column, seed, command)});
    }
  return table;
}

}  // namespace

std::string cell_command(const lab::Comparison& comparison, std::size_t candidate, std::size_t column,
                         std::uint64_t seed, const std::string& command) {
  return fmt::format("{} --out DIR  # {} in {}, seed {}", command, comparison.candidates()[candidate].name,
                     comparison.name_of_column(column), seed);
}

PageSection section_of(const CompareReport& report, const std::string& command) {
  const lab::Comparison& comparison = report.findings->comparison;
  PageSection section{.title = "a comparison"};
  section.sentence =
      fmt::format("{} in {}, {} each.", counted(comparison.candidates().size(), "design"),
                  counted(comparison.situations().size(), "situation"), counted(report.seeds, "run"));
  section.reproduce = command;
  section.tables.push_back(table_of(fmt::format("Designs, {}", kOrderInWords), summary_rows(comparison)));
  for (std::string& line : price_lines(*report.findings)) section.notes.push_back(std::move(line));
  for (std::string& line : promise_lines(comparison)) section.notes.push_back(std::move(line));
  section.tables.push_back(table_of("Situations", matrix_rows(comparison, comparison.order())));
  section.tables.push_back(troubles_of(report, command));
  for (const auto& [head, text] : notes(comparison))
    section.notes.push_back(fmt::format("{}: {}", head, text));
  return section;
}

}  // namespace tenure::cli
