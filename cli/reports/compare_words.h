// What the cells of a comparison say, in words that text and Markdown share.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/session/compare_session.h"

namespace tenure::cli {

// "two for 2.3s, 34%"; "0 of 200 (< 1.5%)"; "not tested"; "n/a".
std::string text_of_cell(const sim::ComparedCell& cell);

// The summary as rows of a table, the header first; designs in the comparison's order.
std::vector<std::vector<std::string>> summary_rows(const sim::Comparison& comparison);
// What each design's promise rests on, and what became of it; one line each.
std::vector<std::string> promise_lines(const sim::Comparison& comparison);
// With which settings each design is compared, where all were brought to one price; none, where not.
std::vector<std::string> price_lines(const lab::CompareFindings& findings);
// The matrix for some designs: situations down, designs across, the header first.
std::vector<std::vector<std::string>> matrix_rows(const sim::Comparison& comparison,
                                                  const std::vector<std::size_t>& candidates);
// Why cells are not applicable, each reason once with the designs and situations that it is about.
std::vector<std::string> reasons(const sim::Comparison& comparison);
// The worst run of each cell, where it was kept.
std::vector<std::string> kept_lines(const lab::CompareFindings& findings);
// How the rows of the summary are sorted.
extern const std::string_view kOrderInWords;

}  // namespace tenure::cli
