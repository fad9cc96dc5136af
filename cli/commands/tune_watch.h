// What a tuning (lab/session/tune_session.h) does, on the terminal.
//
// Thread rule: main thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"
#include "lab/session/tune_runs.h"

namespace tenure::cli {

class TuneWatch final : public lab::TuneObserver {
 public:
  TuneWatch(std::string title, Streams& streams);

  // Time counts from here. When interrupted, `of_runs` is said of the runs that there are, and `report` reports what
  // they show.
  void begin(std::string of_runs, std::function<void()> report = {});

  void progressed(const lab::TuneProgress& progress) override;
  // Ends the process: threads are at work on what its callers have on the stack.
  void interrupted(const lab::TuneProgress& progress) override;
  void runs_are_over(const lab::TuneProgress& progress) override;
  void saved(const lab::SavedRegression& saved) override;
  void shrinking(const lab::SavedRegression& saved) override;
  void kept(const lab::SavedRegression& saved) override;
  void does_not_fail_again(std::uint64_t seed) override;

 private:
  const std::string title_;
  Streams& streams_;
  std::string of_runs_;
  std::function<void()> report_;
  std::optional<ProgressLine> line_;
};

}  // namespace tenure::cli
