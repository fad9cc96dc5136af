// One run as a page for a browser: --report FILE.html.
//
// Thread rule: main thread.
#pragma once

#include <string>

#include "cli/reports/report.h"
#include "cli/reports/report_file.h"

namespace tenure::cli {

class PageReporter final : public Reporter {
 public:
  PageReporter(const std::string& path, Streams& streams) : file_(path, ReportFile::Mode::replace, streams) {}
  bool good() const { return file_.good(); }

  void recorded(const sim::Recording& recording, const sim::RunResult& result,
                const sim::Scenario& scenario) override;
  ExitCode end(const Totals& totals) override;

 private:
  ReportFile file_;
  std::string page_;  // empty: no run has ended
};

}  // namespace tenure::cli
