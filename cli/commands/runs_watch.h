// What many runs (lab/session/many_runs.h) do, on the terminal: of a tuning, an explanation or a comparison.
//
// Thread rule: main thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"
#include "lab/session/many_runs.h"

namespace tenure::cli {

class RunsWatch final : public lab::RunsObserver {
 public:
  RunsWatch(std::string title, Streams& streams);

  // Time counts from here. When interrupted, `of_runs` is said of the runs that there are, and `report` reports what
  // they show.
  void begin(std::string of_runs = {}, std::function<void()> report = {});

  void begins(const std::string& what) override;
  void progressed(const lab::RunsProgress& progress) override;
  void waiting(std::uint64_t missing) override;
  // Ends the process: threads are at work on what its callers have on the stack.
  void interrupted(const lab::RunsProgress& progress) override;
  void runs_are_over(const lab::RunsProgress& progress) override;
  void saved(const lab::SavedRegression& saved) override;
  void shrinking(const lab::SavedRegression& saved) override;
  void kept(const lab::SavedRegression& saved) override;
  void does_not_fail_again(std::uint64_t seed) override;

  // On stderr, before what the runs that there are show.
  void say_interrupted(const lab::RunsProgress& progress, const std::string& of_runs);

 private:
  const std::string title_;
  Streams& streams_;
  std::string about_;  // before what is done, on its line
  std::string of_runs_;
  std::function<void()> report_;
  std::optional<ProgressLine> line_;
};

}  // namespace tenure::cli
