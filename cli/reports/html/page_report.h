// --report FILE.html: one run as a timeline; of many, what was found in them, and the timelines of those worth a look
// (cases_page.h).
//
// Thread rule: main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/reports/html/cases_page.h"
#include "cli/reports/report.h"
#include "cli/reports/report_file.h"

namespace tenure::cli {

class PageReporter final : public FileReporter {
 public:
  // `window`: a part of each run that is to be shown in full.
  PageReporter(const std::string& path, std::optional<TimeRange> window, Streams& streams)
      : FileReporter(path, kPageFile, streams), window_(window) {}
  // What a command found that has no reporters.
  void add(PageSection section) { sections_.push_back(std::move(section)); }

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void recorded(const sim::Recording& recording, const sim::RunResult& result,
                const sim::Scenario& scenario) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override;
  void hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
              const std::string& command) override;
  void trend(const Trend& trend) override { sections_.push_back(section_of(trend)); }
  void left_out(const std::string& title, const std::string& why) override;

 private:
  std::string text(const Totals& totals) override;
  void put_first(PageTable table, std::string_view what);

  const std::optional<TimeRange> window_;
  PageTable runs_ = {"Runs", {"scenario", "seed", "verdict", "what it found"}};  // that stand alone
  PageTable replayed_ = {"Kept failures", {"file", "seed", "verdict", "result"}};
  std::vector<PageSection> sections_;
  std::vector<PageCase> cases_;
};

}  // namespace tenure::cli
