// A report as Markdown, appended to a file: --summary "$GITHUB_STEP_SUMMARY".
//
// A table of scenarios, then what failed or is inconclusive with the line that reproduces it, then what was never
// reached: a pass says nothing about that.
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

class SummaryReporter final : public Reporter {
 public:
  SummaryReporter(const std::string& path, Streams& streams)
      : file_(path, ReportFile::Mode::append, streams) {}
  bool good() const { return file_.good(); }

  void suite(const Suite& suite) override { suites_.push_back(suite); }
  ExitCode end(const Totals& totals) override {
    return file_.write(summary_of(suites_, totals)) ? ExitCode::pass : ExitCode::io_error;
  }

 private:
  ReportFile file_;
  std::vector<Suite> suites_;
};

}  // namespace tenure::cli
