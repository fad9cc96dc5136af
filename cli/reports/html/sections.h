// What commands found, as sections of a page (cases_page.h), or as a page of its own.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/reports/compare_report.h"
#include "cli/reports/html/cases_page.h"
#include "cli/reports/tune_report.h"
#include "lab/audit/audit.h"
#include "lab/session/batch.h"
#include "lab/session/hunt_findings.h"

namespace tenure::cli {

// Design, replicas, settings and faults.
PageFacts what_was_run(const sim::Scenario& scenario);

PageSection section_of(const lab::Batch& batch, const std::string& reproduce_prefix);
// `scenario`: what the file says. `command`: as it was given.
PageSection section_of(const lab::HuntFindings& findings, const sim::Scenario& scenario,
                       const std::string& command);
// Its columns: the file, the seed, the verdict, the result.
PageRow row_of_replay(const lab::ReplayedFile& file);

PageSection section_of(const TuneReport& report);
// Of a setting that is broken, the first run in which a checker failed; of the file's own, the knee and the nearest,
// the worst by the first objective that is measured. Else none.
std::optional<std::uint64_t> seed_worth_a_look(const TuneReport& report, std::size_t index);
// REQUIRES: it was kept.
std::string frontier_command(const lab::FrontierFinding& finding);
// Cells in which something went wrong, with the worst run of each: the worst of each design, then the second of each, …
struct WorstCell {
  std::size_t candidate = 0;
  std::size_t column = 0;
  std::uint64_t seed = 0;
};
// How many of them get a timeline.
inline constexpr std::size_t kComparedCasesMax = 24;
std::vector<WorstCell> worst_cells(const lab::Comparison& comparison);
// `command`: as it was given. Of a cell, its worst run is known by cell_command().
PageSection section_of(const CompareReport& report, const std::string& command);
std::string cell_command(const lab::Comparison& comparison, std::size_t candidate, std::size_t column,
                         std::uint64_t seed, const std::string& command);

// The runs of a batch that are worth a timeline, the most telling first: those that fail, those that miss a threshold
// by most, and the worst ones by each metric that varies.
std::vector<std::uint64_t> seeds_worth_a_look(const lab::Batch& batch);

// The page of `tenure audit --report`: what journals know, and what they do not. `command`: as it was given. REQUIRES:
// the audit was asked for a timeline.
std::string page_of(const lab::Audit& audit, const std::string& command);
// The same below what else was found; without a timeline, that alone.
std::string page_of(PageSection found, const lab::Audit& audit, const std::string& command);

}  // namespace tenure::cli
