// A reporter for each format and each file, but the page (html/page_report.h) and text (text/text_report.h).
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/reports/report.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_report.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

// Reports as JSON, one document a line: --format json and --format jsonl.
//
// json: a document for each run, each batch and each hunt, when it is over. jsonl: each thing a hunt finds as well, as
// it comes; every document names its kind first, and the last one, "end", says that nothing is missing.
class JsonReporter final : public Reporter {
 public:
  JsonReporter(Streams& streams, bool lines) : streams_(streams), lines_(lines) {}

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override;
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override;
  void hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
              const std::string& command) override;
  void trend(const Trend& trend) override { write_results(streams_, trend_json(trend)); }
  ExitCode end(const Totals& totals) override;

 private:
  Streams& streams_;
  const bool lines_;
};

// "::error file=a.toml,line=7,title=…::…\n"; empty for a pass, and for what is only reported.
std::string annotation_of(const SuiteCase& each, const Suite& suite);

// Reports for GitHub Actions: --format github.
//
// The text of each scenario in a group that folds, and after it an annotation for each check that is not a pass, at the
// line of the file that demands it: an error for a failure, a warning for what is inconclusive. Text is kept from being
// taken for commands (clean_text.h).
class GithubReporter final : public Reporter {
 public:
  explicit GithubReporter(Streams& streams)
      : streams_(streams), text_([this](const std::string& text) { write(text); }, false) {}

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override;
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override;
  void hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
              const std::string& command) override;
  void trend(const Trend& trend) override { text_.trend(trend); }
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

std::string junit_of(std::span<const Suite> suites);

// A report as JUnit XML, which CI servers read: --junit.
//
// A <testsuite> for each scenario, a <testcase> for each check. What is inconclusive is an <error>, because servers
// show a <skipped> case among the good ones; <skipped> is what was observed and is not demanded. No times: they would
// differ from run to run. The format as servers agree on it: https://github.com/testmoapp/junitxml.
class JunitReporter final : public FileReporter {
 public:
  JunitReporter(const std::string& path, Streams& streams) : FileReporter(path, kJunitFile, streams) {}

  void suite(const Suite& suite) override { suites_.push_back(suite); }

 private:
  std::string text(const Totals&) override { return junit_of(suites_); }

  std::vector<Suite> suites_;
};

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

// A report as Markdown, appended to a file: --summary "$GITHUB_STEP_SUMMARY".
//
// A table of scenarios, then what failed or is inconclusive with the line that reproduces it, then what was never
// reached: a pass says nothing about that. Below, folded, are strips, measurements and settings.
class SummaryReporter final : public FileReporter {
 public:
  SummaryReporter(const std::string& path, Streams& streams) : FileReporter(path, kSummaryFile, streams) {}

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void suite(const Suite& suite) override { suites_.push_back(suite); }

 private:
  std::string text(const Totals& totals) override {
    return summary_of(suites_, totals) + details_of(details_);
  }

  std::vector<Suite> suites_;
  std::vector<SummaryDetail> details_;
};

// One run as a picture: --svg FILE.
class SvgReporter final : public FileReporter {
 public:
  // `window`: the part of the run that is drawn large; nullopt: where a reader should look first.
  SvgReporter(const std::string& path, std::optional<TimeRange> window, Streams& streams)
      : FileReporter(path, kPictureFile, streams), window_(window) {}

  void recorded(const sim::Recording& recording, const sim::RunResult& result,
                const sim::Scenario& scenario) override;

 private:
  std::string text(const Totals&) override { return picture_; }

  const std::optional<TimeRange> window_;
  std::string picture_;  // empty: no run has ended
};

std::string perfetto_of(const sim::Recording& recording);

// One run for ui.perfetto.dev and chrome://tracing: --perfetto FILE.
//
// The Trace Event Format (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): belief,
// pauses, links, work and requests of a process are tracks of their own, and so are each store's lease and troubles,
// and the faults. They begin and end as async events, because they overlap. Flows follow each request. Times are
// whole microseconds.
class PerfettoReporter final : public FileReporter {
 public:
  PerfettoReporter(const std::string& path, Streams& streams) : FileReporter(path, kPerfettoFile, streams) {}

  void recorded(const sim::Recording& recording, const sim::RunResult&, const sim::Scenario&) override {
    text_ = perfetto_of(recording);
  }

 private:
  std::string text(const Totals&) override { return text_; }

  std::string text_;  // empty: no run has ended
};

}  // namespace tenure::cli
