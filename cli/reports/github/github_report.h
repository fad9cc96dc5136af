// Reports for GitHub Actions: --format github.
//
// The text of each scenario in a group that folds, and after it an annotation for each check that is not a pass, at the
// line of the file that demands it: an error for a failure, a warning for what is inconclusive. Text is kept from being
// taken for commands (clean_text.h).
//
// Thread rule: main thread.
#pragma once

#include <string>

#include "cli/reports/report.h"
#include "cli/reports/text/text_report.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// "::error file=a.toml,line=7,title=…::…\n"; empty for a pass, and for what is only reported.
std::string annotation_of(const SuiteCase& each, const Suite& suite);

class GithubReporter final : public Reporter {
 public:
  explicit GithubReporter(Streams& streams)
      : streams_(streams), text_([this](const std::string& text) { write(text); }, false) {}

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override;
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override;
  void hunted(const lab::HuntFindings& findings) override;
  void left_out(const std::string& title, const std::string& why) override;
  void suite(const Suite& suite) override;
  ExitCode end(const Totals& totals) override;

 private:
  // Into the group of the scenario that is being told of, which opens with its first text.
  void write(const std::string& text);
  void close_group();

  Streams& streams_;
  TextReporter text_;
  std::string title_;  // of the group to open; empty: no group is needed
  bool open_ = false;
};

}  // namespace tenure::cli
