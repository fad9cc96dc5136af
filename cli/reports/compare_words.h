// What the cells of a comparison say, in words that text and Markdown share.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/compare_report.h"

namespace tenure::cli {

// What a reader wants to know first: "4 designs, 2 situations, 20 runs each: two led with 3 of 4 designs, longest …".
std::string title_of(const CompareReport& report);
// "two for 2.3s, 34%"; "0 of 200 (< 1.5%)"; "0 of 200, proved"; "0 of 200 (< 1.5%), explored"; "not tested"; "n/a".
std::string text_of_cell(const lab::ComparedCell& cell);

// The summary as rows of a table, the header first; designs in the comparison's order.
std::vector<std::vector<std::string>> summary_rows(const lab::Comparison& comparison);
// What each design's promise assumes, and whether it held; one line each.
std::vector<std::string> promise_lines(const lab::Comparison& comparison);
// With which settings each design is compared, where all were brought to one price; none, where not.
std::vector<std::string> price_lines(const lab::CompareFindings& findings);
// The columns of the comparison that are rows of the matrix: those in which something went wrong first.
std::vector<std::size_t> matrix_columns(const lab::Comparison& comparison);
// The matrix for some designs: situations down, designs across, the header first.
std::vector<std::vector<std::string>> matrix_rows(const lab::Comparison& comparison,
                                                  const std::vector<std::size_t>& candidates);
// What cells leave unsaid, each once with the situations that it is about.
struct NotedLine {
  std::string_view head;  // "fails", "acts", "proved", "explored", "not tested", "n/a"
  std::string text;
};
std::vector<NotedLine> notes(const lab::Comparison& comparison);
// Where the worst run of a cell was kept; empty: it was not.
std::string kept_path(const lab::CompareFindings& findings, std::size_t candidate, std::size_t column);
// The worst run of each cell, where it was kept.
std::vector<std::string> kept_lines(const lab::CompareFindings& findings);
// An amount in billionths, rounded.
std::int64_t whole(const lab::Estimate& amount);
// "200 runs each", "1 run each".
std::string runs_a_cell(std::uint64_t seeds);
// How the rows of the summary are sorted.
extern const std::string_view kOrderInWords;

}  // namespace tenure::cli
