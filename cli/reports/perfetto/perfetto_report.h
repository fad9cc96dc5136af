// One run for ui.perfetto.dev and chrome://tracing: --perfetto FILE.
//
// The Trace Event Format (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): belief,
// pauses, links, work and requests of a process are tracks of their own, and so are each store's lease and troubles,
// and the faults. They begin and end as async events, because they overlap. Flows follow each request. Times are
// whole microseconds.
//
// Thread rule: main thread.
#pragma once

#include <string>

#include "cli/reports/report.h"
#include "cli/reports/report_file.h"

namespace tenure::cli {

std::string perfetto_of(const sim::Recording& recording);

class PerfettoReporter final : public Reporter {
 public:
  PerfettoReporter(const std::string& path, Streams& streams) : file_(path, kPerfettoFile, streams) {}
  bool good() const { return file_.good(); }

  void recorded(const sim::Recording& recording, const sim::RunResult&, const sim::Scenario&) override {
    text_ = perfetto_of(recording);
  }
  ExitCode end(const Totals&) override {
    return text_.empty() || file_.write(text_) ? ExitCode::pass : ExitCode::io_error;
  }

 private:
  ReportFile file_;
  std::string text_;  // empty: no run has ended
};

}  // namespace tenure::cli
