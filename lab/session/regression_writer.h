// Saves failures on disk: at once as they are, and again after they have been shrunk.
//
//   1. No existing file is lost: if another file has the name already, the name gets "-2", "-3", ….
//   2. Every claim about a file comes from reading it: it is parsed again, and its run is compared with the one that
//      failed.
//
// Thread rule: touches files; one regression belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.h"
#include "core/schedule/time_zone.h"
#include "format/parse/parse.h"
#include "format/plans/plans.h"
#include "lab/hunt/regression.h"
#include "lab/hunt/shrink.h"
#include "lab/session/one_run.h"

namespace tenure::lab {

struct SavedRegression {
  std::string path;
  format::ScenarioFile file;
  Failure failure;
  std::optional<sim::RunResult> run;  // with its story; nullopt when an invariant of ours broke
  sim::Scenario found;                // literal, as it first failed
  std::uint64_t tries = 0;
  std::optional<Shrunk::End> shrunk;  // nullopt: it was not tried
  bool made = false;                  // the file is new, so it may be replaced
  bool written = true;
  int write_error = 0;       // if it could not be written: the system's error number, or 0
  bool reproducible = true;  // false: the file's run differs from the case's: a bug of ours
};

struct RegressionPlace {
  std::string folder;     // the file's name in it comes from the regression's name,
  std::string file = {};  // unless this names the file; it is overwritten
  RegressionOrigin origin;
  const TimeZones* zones = &only_utc();  // for the scenario's schedules
};

// Saves the failure as it was found. `failing` is literal, has a seed, and fails with `failure`. A failure that cannot
// be written, or does not reproduce, is still kept in memory.
SavedRegression save_regression(const sim::Scenario& failing, const Failure& failure,
                                const RegressionPlace& place);

// Shrinks it, for at most `time`, and replaces the saved file. False: the file was left as it is, because the smaller
// one does not reproduce.
// `attempt`: how a smaller one fails, if it shows what is to be kept.
bool shrink_saved(SavedRegression& saved, const RegressionPlace& place, Duration time,
                  const TryCase& attempt = try_case);

}  // namespace tenure::lab
