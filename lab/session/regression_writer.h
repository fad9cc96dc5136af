// Failures on disk: written down at once as they are, and again when they have been shrunk.
//
//   1. What was there is never lost: a name that is taken, by a file that says anything else, gets "-2", "-3", ….
//   2. What is claimed of a file was seen by reading it: it is parsed again, and its run compared with the one that
//      failed.
//
// Thread rule: touches files; one regression belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.h"
#include "core/schedule/time_zone.h"
#include "format/build/parse.h"
#include "format/plans/plans.h"
#include "lab/hunt/regression.h"
#include "lab/hunt/shrink.h"

namespace tenure::lab {

struct SavedRegression {
  std::string path;
  sim::ScenarioFile file;
  sim::Failure failure;
  std::optional<sim::RunResult> run;  // with its story; none when an invariant of ours broke
  sim::Scenario found;                // literal, as it failed first
  std::uint64_t tries = 0;
  std::optional<sim::Shrunk::End> shrunk;  // none: it was not tried
  bool made = false;                       // the file was not there before, so that it may be replaced
  bool written = true;
  int write_error = 0;       // why not: the system's number, 0 if it has none
  bool reproducible = true;  // false: the file does not do what the case did, which is our mistake
};

struct RegressionPlace {
  std::string folder;     // in which the regression's name makes the file's,
  std::string file = {};  // unless there is one to be written, whatever is there
  sim::RegressionOrigin origin;
  const TimeZones* zones = &only_utc();  // of the scenario's schedules
};

// Writes it down as it was found. `failing` is literal, has a seed, and fails with `failure`. What cannot be written,
// or does not reproduce, is kept in memory all the same.
SavedRegression save_regression(const sim::Scenario& failing, const sim::Failure& failure,
                                const RegressionPlace& place);

// Makes it smaller, for so long at most, and writes that in the place of what was written down. False: it was left as
// it is, because what was made of it does not reproduce.
bool shrink_saved(SavedRegression& saved, const RegressionPlace& place, Duration time);

}  // namespace tenure::lab
