// Failures on disk: written down at once as they are, and again when they have been shrunk.
//
//   1. What was there is never lost: a name that is taken, by a file that says anything else, gets "-2", "-3", ….
//   2. What is claimed of a file was seen by reading it: it is parsed again, and its run compared with the one that
//      failed.
//
// Thread rule: touches files; main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"
#include "core/base/time.h"
#include "lab/hunt/regression.h"
#include "lab/hunt/shrink.h"

namespace tenure::cli {

struct Kept {
  std::string path;
  sim::ScenarioFile file;
  sim::Failure failure;
  std::optional<sim::RunResult> run;  // with its story; none when an invariant of ours broke
  sim::Scenario found;                // literal, as it failed first
  std::uint64_t tries = 0;
  std::optional<sim::Shrunk::End> shrunk;  // none: it was not tried
  bool made = false;                       // the file was not there before, so that it may be replaced
  bool written = true;
  bool reproducible = true;  // false: the file does not do what the case did, which is our mistake
};

struct KeepSetup {
  std::string folder;     // in which the regression's name makes the file's,
  std::string file = {};  // unless there is one to be written, whatever is there
  sim::RegressionOrigin origin;
};

// Writes it down as it was found. `failing` is literal, has a seed, and fails with `failure`. What cannot be written,
// or does not reproduce, is an error on stderr, and kept in memory all the same.
Kept keep(const sim::Scenario& failing, const sim::Failure& failure, const KeepSetup& setup,
          Streams& streams);

// Makes it smaller, for so long at most, and writes that in the place of what was written down.
void shrink_kept(Kept& kept, const KeepSetup& setup, Duration time, Streams& streams);

// The end of keeping: what could not be written goes to stderr, because it would be lost. io_error in that case,
// internal_error when it is not reproducible, else a pass.
ExitCode end_keeping(const Kept& kept, Streams& streams);

}  // namespace tenure::cli
