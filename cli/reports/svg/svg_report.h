// One run as a picture: --svg FILE.
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments/options.h"
#include "cli/reports/report.h"
#include "cli/reports/report_file.h"

namespace tenure::cli {

class SvgReporter final : public Reporter {
 public:
  // `window`: the part of the run that is drawn large; nullopt: where a reader should look first.
  SvgReporter(const std::string& path, std::optional<TimeRange> window, Streams& streams)
      : file_(path, kPictureFile, streams), window_(window) {}
  bool good() const { return file_.good(); }

  void recorded(const sim::Recording& recording, const sim::RunResult& result,
                const sim::Scenario& scenario) override;
  ExitCode end(const Totals& totals) override;

 private:
  ReportFile file_;
  const std::optional<TimeRange> window_;
  std::string picture_;  // empty: no run has ended
};

}  // namespace tenure::cli
