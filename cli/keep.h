// Failures on disk: written down at once as they are, and again when they have been shrunk.
//
// Thread rule: touches files; main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal.h"
#include "core/base/time.h"
#include "sim/hunt/regression.h"

namespace tenure::cli {

struct Kept {
  std::string path;
  sim::Scenario scenario;  // as it is in the file
  sim::Failure failure;
  std::optional<sim::RunResult> run;  // with its story; none when an invariant of ours broke
  std::size_t faults_before = 0;
  std::uint64_t tries = 0;
  bool shrunk = false;    // it was tried
  bool finished = false;  // and nothing was left to try
};

struct KeepSetup {
  std::string path;  // of the file to write
  sim::RegressionOrigin origin;
  std::optional<Duration> shrink_time;  // none: not at all
};

// `failing` is literal, has a seed, and fails with `failure`. Nothing, and an error on stderr, when it cannot be
// written.
std::optional<Kept> keep(const sim::Scenario& failing, const sim::Failure& failure, const KeepSetup& setup,
                         Streams& streams);

// "regressions/torture-no-lost-fire-8812.toml"
std::string regression_path(const std::string& folder, const sim::Scenario& scenario,
                            const sim::Failure& failure, std::uint64_t seed);

}  // namespace tenure::cli
