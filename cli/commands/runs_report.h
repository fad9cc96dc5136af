// The runs of `tenure run`: which they are, and what is told of them.
//
// Thread rule: main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/exit_code.h"
#include "cli/reports/report.h"
#include "cli/reports/run_tally.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"
#include "format/plans/plans.h"
#include "lab/session/batch.h"
#include "lab/session/one_run.h"

namespace tenure::cli {

// Which scenario and seed each job is: all seeds of the first scenario, then all of the second, …
class RunPlan {
 public:
  // `files` must outlive the plan.
  RunPlan(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files);

  std::size_t count() const { return files_.size() * seeds_each_; }
  bool batch() const { return batch_; }
  std::uint64_t seeds_each() const { return seeds_each_; }
  const std::vector<format::ScenarioFile>& files() const { return files_; }
  std::size_t scenario_index(std::size_t job) const { return job / seeds_each_; }
  const format::ScenarioFile& file(std::size_t job) const { return files_[scenario_index(job)]; }
  const sim::Scenario& scenario(std::size_t job) const { return file(job).scenario; }
  std::uint64_t seed(std::size_t job) const { return first_[scenario_index(job)] + job % seeds_each_; }

 private:
  const std::vector<format::ScenarioFile>& files_;
  std::uint64_t seeds_each_ = 1;
  std::vector<std::uint64_t> first_;
  bool batch_ = false;
};

// Takes outcomes in order: counts them, tells the reporters, and says what went wrong with the program itself.
class RunsReport {
 public:
  // All arguments must outlive this object.
  RunsReport(const RunCommandOptions& options, const RunPlan& plan, Reporter& reporter, Streams& streams);

  void take(std::size_t job, lab::RunOutcome outcome);
  // Of batches, the runs that are worth a timeline. False: it was interrupted.
  bool draw();
  // Of an interrupted one, some jobs never ended. The exit code.
  ExitCode end(bool interrupted);

  // What is known of each scenario, two lines of text each; and on from there, or from where another part ended.
  std::vector<std::string> states() const;
  // False: they are none of these scenarios.
  bool append(const std::vector<std::string>& states);
  // Tells what was appended, as take() does as it comes: the first failing runs, which are made again, and each batch.
  void tell_appended();

  std::uint64_t runs() const { return totals_.done; }
  std::uint64_t failed() const;  // runs that are not a pass

 private:
  // One scenario and its runs.
  struct Part {
    lab::Batch batch;  // empty where each run stands alone
    RunTally tally;
    bool closed = false;
  };

  std::string reproduce_prefix(const sim::Scenario& scenario) const;
  void complain(const std::string& what, const std::string& reproduce);
  void show(const sim::RunResult& result, std::size_t job, Part& part);
  // When the last of its runs is done, or never will be.
  void close(Part& part);

  const RunCommandOptions& options_;
  const RunPlan& plan_;
  Reporter& reporter_;
  Streams& streams_;
  ProgressLine line_;
  std::vector<Part> parts_;
  Totals totals_;
};

}  // namespace tenure::cli
