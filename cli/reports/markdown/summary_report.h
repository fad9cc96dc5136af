// A report as Markdown, appended to a file: --summary "$GITHUB_STEP_SUMMARY".
//
// A table of scenarios, then what failed or is inconclusive with the line that reproduces it, then what was never
// reached: a pass says nothing about that. Below, folded, are strips, measurements and settings.
//
// Thread rule: main thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/reports/report.h"
#include "cli/reports/report_file.h"

namespace tenure::cli {

std::string summary_of(std::span<const Suite> suites, const Totals& totals);

// Who led, what was measured and with which settings, of one run or one batch: folded away.
struct SummaryDetail {
  std::string title;
  bool passed = false;
  std::string measures;
  std::string settings;
};
// Of those that are no pass, and of one that stands alone.
std::string details_of(std::span<const SummaryDetail> details);

class SummaryReporter final : public Reporter {
 public:
  SummaryReporter(const std::string& path, Streams& streams) : file_(path, kSummaryFile, streams) {}
  bool good() const { return file_.good(); }

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void suite(const Suite& suite) override { suites_.push_back(suite); }
  ExitCode end(const Totals& totals) override;

 private:
  ReportFile file_;
  std::vector<Suite> suites_;
  std::vector<SummaryDetail> details_;
};

}  // namespace tenure::cli
