// The hunt of one scenario: its regressions first, then generation by generation, keeping what fails. A failure is
// written down as soon as it is known; when the generation is over, they are shrunk and reported, one after the other.
//
// Thread rule: main thread, which starts others; an interrupted hunt must not be destroyed, because they may be at work
// on it still (see jobs.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/case_run.h"
#include "cli/findings.h"
#include "cli/reports/report.h"
#include "cli/terminal/hunt_progress.h"
#include "cli/terminal/terminal.h"
#include "cli/waiting.h"
#include "lab/hunt/hunt.h"

namespace tenure::cli {

class OneHunt {
 public:
  // All of them must outlive it. `title` is what reports call it.
  OneHunt(const HuntOptions& options, const sim::ScenarioFile& file, std::string title, Reporter& reporter,
          Streams& streams);

  // Tells the reporter each thing as it comes, but not that it is over. Call once.
  const HuntFindings& run();

 private:
  struct Entry {
    sim::Case made;
    CaseOutcome outcome;
    bool compared = false;
  };
  void replay_regressions();
  // False when it was the last.
  bool run_generation(std::uint64_t first);
  // False when there is reason to stop.
  bool take(std::uint64_t index, Entry entry);
  void remember(const sim::Scenario& scenario, const sim::Failure& failure, std::uint64_t seed);
  KeepSetup keep_setup(std::uint64_t seed) const;
  void report_failures();
  void interrupt();
  void finish();
  void judge_what_never_was();

  const HuntOptions& options_;
  const sim::ScenarioFile& file_;
  Reporter& reporter_;
  Streams& streams_;
  sim::Hunt hunt_;
  HuntProgress progress_;
  Waiting<Entry> finished_;
  HuntFindings findings_;
  std::vector<Finding> pending_;  // written down, and not yet reported
};

}  // namespace tenure::cli
