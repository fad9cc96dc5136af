// Reports as text for people: --format text.
//
// Thread rule: main thread.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cli/arguments/options.h"
#include "cli/reports/report.h"

namespace tenure::cli {

class TextReporter final : public Reporter {
 public:
  using Write = std::function<void(const std::string&)>;
  TextReporter(Write write, bool paint, EventList events = EventList::none)
      : write_(std::move(write)), paint_(paint), events_(events) {}

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override;
  void recorded(const sim::Recording& recording, const sim::RunResult& result,
                const sim::Scenario& scenario) override;
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override;
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override;
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override;
  void hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
              const std::string& command) override;
  void trend(const Trend& trend) override { write_(trend_text(trend)); }
  void left_out(const std::string& title, const std::string& why) override;
  ExitCode end(const Totals& totals) override;

 private:
  // Runs come in blocks with an empty line between them.
  void write_block(const std::string& text);

  const Write write_;
  const bool paint_;
  const EventList events_;
  bool any_block_ = false;
  bool any_batch_ = false;
  std::map<sim::Verdict, std::size_t> verdicts_;  // of runs that stand alone
};

// "interrupted: 3 of 10 runs were done\n"
std::string text_of_interruption(const Totals& totals);
// "3 runs made twice and compared: no difference\n"
std::string text_of_comparison(const Totals& totals);

}  // namespace tenure::cli
