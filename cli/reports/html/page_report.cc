#include "cli/reports/html/page_report.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "cli/reports/first_screen.h"
#include "cli/reports/html/page.h"
#include "cli/reports/html/page_data.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {
namespace {

// "2 fail, 5 pass."; verdicts are in the third column.
std::string verdicts_of(const PageTable& table) {
  std::map<std::string, std::size_t> counts;
  for (const PageRow& row : table.rows) ++counts[row.cells[2]];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  return text + ".";
}

}  // namespace

void PageReporter::run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) {
  if (batch != nullptr) return;
  runs_.rows.push_back(
      {{result.scenario, fmt::format("{}", result.seed), std::string(sim::name_of(result.verdict)),
        verdict_sentence(result, scenario.expect)},
       result.reproduce});
}

void PageReporter::recorded(const sim::Recording& recording, const sim::RunResult& result,
                            const sim::Scenario& scenario) {
  cases_.push_back({fmt::format("{}, seed {}", result.scenario, result.seed), result.reproduce,
                    page_data(recording, result, scenario, window_)});
}

void PageReporter::batch(const lab::Batch& batch, const std::string& reproduce_prefix) {
  sections_.push_back(section_of(batch, reproduce_prefix));
}

void PageReporter::replayed(const lab::ReplayedFile& file, bool in_hunt) {
  if (in_hunt) return;  // the hunt has them among its findings
  replayed_.rows.push_back(row_of_replay(file));
}

void PageReporter::hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
                          const std::string& command) {
  sections_.push_back(section_of(findings, scenario, command));
}

void PageReporter::left_out(const std::string& title, const std::string& why) {
  sections_.push_back({.title = title, .sentence = why + "."});
}

// Of several runs that each stand alone, how many there are is all that can be said of them together.
void PageReporter::put_first(PageTable table, std::string_view what) {
  if (table.rows.empty()) return;
  PageSection section{.title = counted(table.rows.size(), what)};
  section.sentence = verdicts_of(table);
  section.tables.push_back(std::move(table));
  sections_.insert(sections_.begin(), std::move(section));
}

std::string PageReporter::text(const Totals& totals) {
  const bool single = sections_.empty() && cases_.size() == 1 && totals.planned == 1;
  if (single) return page_of(cases_.front().title, "", {{"data", cases_.front().data}});
  put_first(std::move(runs_), "run");
  put_first(std::move(replayed_), "kept failure");
  if (sections_.empty()) return {};
  if (totals.interrupted) sections_.front().notes.emplace_back("It was interrupted: not all of it was done.");
  return page_of(CasesPage{sections_.front().title, std::move(sections_), std::move(cases_)});
}

}  // namespace tenure::cli
