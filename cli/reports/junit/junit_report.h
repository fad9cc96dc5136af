// A report as JUnit XML, which CI servers read: --junit.
//
// A <testsuite> for each scenario, a <testcase> for each check. What is inconclusive is an <error>, because servers
// show a <skipped> case among the good ones; <skipped> is what was observed and is not demanded. No times: they would
// differ from run to run. The format as servers agree on it: https://github.com/testmoapp/junitxml.
//
// Thread rule: main thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/reports/report.h"
#include "cli/reports/report_file.h"

namespace tenure::cli {

std::string junit_of(std::span<const Suite> suites);

class JunitReporter final : public Reporter {
 public:
  JunitReporter(const std::string& path, Streams& streams) : file_(path, kJunitFile, streams) {}
  bool good() const { return file_.good(); }

  void suite(const Suite& suite) override { suites_.push_back(suite); }
  ExitCode end(const Totals&) override {
    return file_.write(junit_of(suites_)) ? ExitCode::pass : ExitCode::io_error;
  }

 private:
  ReportFile file_;
  std::vector<Suite> suites_;
};

}  // namespace tenure::cli
