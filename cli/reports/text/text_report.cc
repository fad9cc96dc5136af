#include "cli/reports/text/text_report.h"

#include <fmt/format.h>

#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

constexpr std::uint64_t kToldInFull = 20;  // failing runs of a batch

}  // namespace

void TextReporter::write_block(const std::string& text) {
  write_(any_block_ ? "\n" + text : text);
  any_block_ = true;
}

// Of a batch, the first few runs that are not a pass are told in full; the summary names some more, and counts the
// rest.
void TextReporter::run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) {
  if (batch == nullptr) {
    ++verdicts_[result.verdict];
    return write_block(text_of_run(result, scenario, paint_));
  }
  if (batch->verdict_of(result) == sim::Verdict::pass) return;
  if (batch->failures_total() <= kToldInFull) write_block(text_of_run(result, scenario, paint_));
}

void TextReporter::recorded(const sim::Recording& recording, const sim::RunResult&, const sim::Scenario&) {
  if (events_ != EventList::none) write_(text_of_events(recording, events_ == EventList::all));
}

void TextReporter::batch(const lab::Batch& batch, const std::string& reproduce_prefix) {
  any_batch_ = true;
  if (batch.failures_total() > kToldInFull)
    write_block("further runs that are not a pass are counted in the summary (see --format json)\n");
  write_block(text_of_batch(batch, reproduce_prefix, paint_));
}

void TextReporter::replayed(const lab::ReplayedFile& file, bool in_hunt) {
  if (const std::string text = text_of_replay(file, paint_, !in_hunt); !text.empty()) write_(text);
}

void TextReporter::found(const lab::HuntFindings&, const lab::Finding& finding) {
  write_(text_of_finding(finding, paint_) + "\n");
}

void TextReporter::hunted(const lab::HuntFindings& findings, const sim::Scenario&, const std::string&) {
  write_(text_of_hunt(findings, paint_));
}

void TextReporter::left_out(const std::string& title, const std::string& why) {
  write_(fmt::format("---- {}  {}\n", title, why));
}

ExitCode TextReporter::end(const Totals& totals) {
  if (totals.interrupted) {
    // Summaries of batches and hunts say so themselves; of several hunts, which were done is worth a line.
    const bool said = any_batch_ || (totals.unit == "scenario" && totals.planned == 1);
    if (!said) write_(text_of_interruption(totals));
    return ExitCode::pass;
  }
  if (totals.compared) write_(text_of_comparison(totals));
  if (any_batch_ || totals.unit != "run" || totals.done < 2) return ExitCode::pass;
  std::string text;
  for (const auto& [verdict, count] : verdicts_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, sim::name_of(verdict));
  write_(fmt::format("{}: {}\n", counted(totals.done, "run"), text));
  return ExitCode::pass;
}

std::string text_of_interruption(const Totals& totals) {
  return fmt::format("interrupted: {} of {} were done\n", format::print_thousands(totals.done),
                     counted(totals.planned, totals.unit));
}

std::string text_of_comparison(const Totals& totals) {
  const std::string differed =
      totals.differed == 0 ? "no difference" : fmt::format("{} differed", totals.differed);
  return fmt::format("{} made twice and compared: {}\n", counted(totals.done, totals.unit), differed);
}

}  // namespace tenure::cli
