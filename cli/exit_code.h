// How `tenure` ends.
//
// Thread rule: pure functions.
#pragma once

#include "lab/session/hunt_findings.h"
#include "sim/runner/result.h"

namespace tenure::cli {

enum class ExitCode : int {
  pass = 0,
  fail = 1,
  inconclusive = 2,
  not_deterministic = 3,
  nothing_ran = 4,
  usage = 64,
  bad_scenario = 65,  // or a journal that cannot be read
  internal_error = 70,
  io_error = 74,
  interrupted = 130,
};

// Of several runs or files the worst counts: 130, 70, 74, 64, 65, 3, 4, 1, 2, 0 in this order.
ExitCode worse(ExitCode a, ExitCode b);

ExitCode exit_code_of(sim::Verdict verdict);
ExitCode exit_code_of(const lab::Replayed& replayed);
// io_error when it could not be written, internal_error when it is not reproducible, else a pass.
ExitCode exit_code_of(const lab::SavedRegression& saved);
ExitCode exit_code_of(const lab::HuntFindings& findings);

}  // namespace tenure::cli
