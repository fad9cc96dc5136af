// One run, of a batch or of a hunt, safe on any thread. Where checks throw (lab/hunt/throwing_checks.h), a broken
// invariant of ours is a failure like any other. A HostFailure is none.
//
// Thread rule: pure functions; runs on different threads share nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/plans/plans.h"
#include "lab/hunt/hunt.h"
#include "lab/hunt/regression.h"
#include "sim/runner/recording.h"
#include "sim/runner/result.h"
#include "sim/world/record.h"

namespace tenure::lab {

struct RunOutcome {
  std::optional<sim::RunResult> result;     // nullopt: an internal error
  std::optional<sim::Recording> recording;  // if it was wanted
  std::string error;                        // without a result: the message of a CHECK or an exception
  bool host_failed = false;  // the error is a HostFailure: it says nothing about us, nor about a design
  std::string difference;    // two runs differ: the first event that differs, both sides
};

struct OneRun {
  const format::ScenarioFile* file = nullptr;
  std::uint64_t seed = 0;
  sim::Observer* trace = nullptr;
  sim::RecordingListener* listener = nullptr;
  bool twice = false;
  bool record = false;  // what happened in it is wanted
};

RunOutcome run_one(const OneRun& job);

// Runs it twice, and says where the two histories first differ.
std::string first_difference(const sim::Scenario& scenario, std::uint64_t seed);

struct CaseOutcome {
  CaseResult result;
  std::string difference;  // two runs differ: the first event that differs, both sides
};

// `scenario` is literal, and has a seed. `twice`: runs it again, and compares everything that a hunt uses: the trace,
// the verdict, violations, measurements, and the signature.
CaseOutcome run_case(const sim::Scenario& scenario, bool twice);

// Runs the scenario with its own seed.
SeedRun try_case(const sim::Scenario& scenario);
// Runs it with `seed` instead.
SeedRun run_seed(const sim::Scenario& scenario, std::uint64_t seed);
// The same, and the story when it fails.
SeedRun tell_seed(const format::ScenarioFile& file, std::uint64_t seed);

}  // namespace tenure::lab
