// Runs for a tuning: on threads, taken in order, kept as they come, and taken from what was kept before.
//
// Thread rule: main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/terminal.h"
#include "cli/tune_save.h"
#include "lab/tune/tuning.h"

namespace tenure::cli {

// How many runs of a setting are handed out together.
constexpr std::uint64_t kRunsOfJob = 25;

// Runs of one setting, with the name under which they are kept.
struct TuneJob {
  std::string group;
  const sim::Setting* setting = nullptr;
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
};

class TuneRuns {
 public:
  // All of them must outlive it. `when_interrupted`: what is to be said of the runs that there are.
  TuneRuns(std::string title, unsigned threads, TuneSave& save, std::string when_interrupted,
           Streams& streams);

  // take(i, runs) gets what job i gave, in order. Interrupted, it ends the process: threads are at work on the jobs,
  // and on what its callers have on the stack.
  void run(const std::vector<TuneJob>& jobs, const sim::TuneQuestions& questions,
           const std::function<void(std::size_t, std::vector<sim::RunNumbers>)>& take);

  // Runs that are to come after this round, as far as is known; for the progress line.
  void expect(std::uint64_t runs) { planned_ = done_ + runs; }
  // What it took, on stderr.
  void finish();
  // The invariant of ours that broke first; empty: none did.
  const std::string& internal_error() const { return internal_error_; }

 private:
  void show();
  void say_interrupted();

  const std::string title_;
  const unsigned threads_;
  TuneSave& save_;
  const std::string when_interrupted_;
  Streams& streams_;
  ProgressLine line_;
  std::uint64_t done_ = 0;
  std::uint64_t read_ = 0;  // of them, from what was kept
  std::uint64_t planned_ = 0;
  std::string internal_error_;
};

}  // namespace tenure::cli
