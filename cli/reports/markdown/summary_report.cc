#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/reports/reporters.h"
#include "cli/reports/text/text_report.h"
#include "cli/reports/text/text_run.h"
#include "cli/terminal/clean_text.h"
#include "format/print/print.h"

namespace tenure::cli {
namespace {

constexpr CheckStanding kWorstFirst[] = {CheckStanding::broken, CheckStanding::failed,
                                         CheckStanding::inconclusive, CheckStanding::reported,
                                         CheckStanding::passed};

std::string_view sign_of(CheckStanding outcome) {
  switch (outcome) {
    case CheckStanding::passed: return "✅";
    case CheckStanding::inconclusive: return "⚠️";
    case CheckStanding::reported: return "ℹ️";
    case CheckStanding::failed:
    case CheckStanding::broken: break;
  }
  return "❌";
}

// "3 fail, 1 pass", the worst first; `count` says how many there are of each.
template <class Count>
std::string counts(const Count& count) {
  std::string text;
  for (const CheckStanding outcome : kWorstFirst)
    if (const std::size_t n = count(outcome); n > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name_of(outcome));
  return text;
}

std::string row_of(const Suite& suite) {
  const CheckStanding worst = worst_of(suite);
  return fmt::format("| {} {} | {} | {} | {} | {} |\n", sign_of(worst),
                     suite.left_out.empty() ? name_of(worst) : suite.left_out, markdown_text(suite.scenario),
                     markdown_text(suite.path), markdown_text(suite.extent),
                     counts([&](CheckStanding outcome) { return count_of(suite, outcome); }));
}

std::string finding_of(const SuiteCase& each, const Suite& suite) {
  std::string text = fmt::format("#### {} {}: {}\n\n", sign_of(each.outcome), markdown_text(suite.scenario),
                                 markdown_text(each.name));
  if (!each.message.empty()) text += markdown_text(each.message) + "\n\n";
  if (!each.kept.empty()) text += fmt::format("Kept as {}.\n\n", markdown_text(each.kept));
  if (!each.story.empty()) text += markdown_block(each.story) + "\n";
  if (!each.reproduce.empty()) text += markdown_block(each.reproduce) + "\n";
  return text;
}

}  // namespace

std::string summary_of(std::span<const Suite> suites, const Totals& totals) {
  const auto of = [&](CheckStanding outcome) {
    return static_cast<std::size_t>(std::count_if(suites.begin(), suites.end(), [&](const Suite& suite) {
      return suite.left_out.empty() && worst_of(suite) == outcome;
    }));
  };
  std::string text = fmt::format("### Tenure: {}", suites.empty() ? "nothing was done" : counts(of));
  std::map<std::string, std::size_t> left_out;
  for (const Suite& suite : suites)
    if (!suite.left_out.empty()) ++left_out[suite.left_out];
  for (const auto& [how, count] : left_out) text += fmt::format(", {} {}", count, how);
  text += "\n\n";
  if (totals.interrupted) text += text_of_interruption(totals) + "\n";
  if (!suites.empty()) text += "| verdict | scenario | file | runs | checks |\n|---|---|---|---|---|\n";
  for (const Suite& suite : suites) text += row_of(suite);
  text += "\n";
  for (const Suite& suite : suites)
    for (const std::string& note : suite.notes)
      text += fmt::format("ℹ️ {}: {}\n\n", markdown_text(suite.scenario), markdown_text(note));
  for (const Suite& suite : suites)
    for (const SuiteCase& each : suite.cases)
      if (each.outcome > CheckStanding::reported) text += finding_of(each, suite);
  std::string never;
  for (const Suite& suite : suites) {
    if (suite.never.empty()) continue;
    std::string names;
    for (const std::string& name : suite.never) names += (names.empty() ? "" : ", ") + name;
    never += fmt::format("- {}: {}\n", markdown_text(suite.scenario), markdown_text(names));
  }
  if (!never.empty()) text += "#### Never reached\n\n" + never + "\n";
  return text;
}

std::string details_of(std::span<const SummaryDetail> details) {
  constexpr std::size_t kDetailsMax = 20;
  std::string text;
  std::size_t count = 0;
  for (const SummaryDetail& each : details) {
    if ((each.passed && details.size() > 1) || ++count > kDetailsMax) continue;
    text += fmt::format("<details><summary>{}: who led, what was measured, with which settings</summary>\n\n",
                        markdown_text(each.title));
    text += markdown_block(each.measures) + "\n" + markdown_block(each.settings) + "\n</details>\n\n";
  }
  return text;
}

void SummaryReporter::run(const sim::RunResult& result, const sim::Scenario& scenario,
                          const lab::Batch* batch) {
  if (batch != nullptr) return;
  details_.push_back({fmt::format("{}, seed {}", result.scenario, result.seed),
                      result.verdict == sim::Verdict::pass, text_of_measures(result),
                      format::print_scenario(scenario)});
}

void SummaryReporter::batch(const lab::Batch& batch, const std::string& reproduce_prefix) {
  details_.push_back(
      {fmt::format("{}, seeds {}..{}", batch.scenario().name, batch.first_seed(), batch.last_seed()),
       batch.verdict() == sim::Verdict::pass, text_of_batch(batch, reproduce_prefix, false),
       format::print_scenario(batch.scenario())});
}

}  // namespace tenure::cli
