// A hunt (lab/session/hunt_session.h) as the command line has it: its options, and who tells reporters and the terminal
// what it does.
//
// Thread rule: main thread.
#pragma once

#include <string>

#include "cli/arguments/options.h"
#include "cli/reports/report.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"
#include "lab/session/hunt_session.h"

namespace tenure::cli {

lab::HuntSetup hunt_setup(const HuntOptions& options, std::string title);

// Tells what a hunt of these options found in all, and draws it. False: the drawing was interrupted.
bool tell_hunt(const lab::HuntFindings& findings, const sim::Scenario& scenario, const HuntOptions& options,
               Reporter& reporter, Streams& streams);

class HuntWatch final : public lab::HuntObserver {
 public:
  // All of them must outlive it.
  HuntWatch(std::string title, const HuntOptions& options, Reporter& reporter, Streams& streams);

  void regressions_read(const std::vector<lab::ReadScenario>& read) override;
  void replayed(const lab::ReplayedFile& file) override { reporter_.replayed(file, true); }
  void progressed(std::uint64_t cases, std::uint64_t failures, std::uint64_t last_new) override {
    progress_.show(cases, failures, last_new);
  }
  void saved(const lab::SavedRegression& saved) override;
  void finishing(const lab::Finding&) override { clear_progress(streams_); }
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override;
  void cases_are_over(std::uint64_t cases) override { progress_.finish(cases); }

 private:
  Reporter& reporter_;
  Streams& streams_;
  HuntProgress progress_;
};

}  // namespace tenure::cli
