// Reports as JSON, one document a line: --format json and --format jsonl.
//
// json: a document for each run, each batch and each hunt, when it is over. jsonl: each thing a hunt finds as well, as
// it comes; every document names its kind first, and the last one, "end", says that nothing is missing.
//
// Thread rule: main thread.
#pragma once

#include <string>

#include "cli/reports/report.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

class JsonReporter final : public Reporter {
 public:
  JsonReporter(Streams& streams, bool lines) : streams_(streams), lines_(lines) {}

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override;
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override;
  void hunted(const lab::HuntFindings& findings) override;
  ExitCode end(const Totals& totals) override;

 private:
  Streams& streams_;
  const bool lines_;
};

}  // namespace tenure::cli
