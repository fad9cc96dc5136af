// What a scenario file wants done with its scenario, besides single runs: hunts, exhaustive exploration, tuning; and of
// a failure that was kept, what it was kept for. A run takes no notice of any of it.
//
// format/build reads them with the scenario; lab does what they say.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "format/plans/tune_setting.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// What a hunt draws for each seed (lab/hunt/swarm.h).
struct HuntSetting {
  std::vector<std::string> families;  // of faults, by name; empty: all
  Range<std::int64_t> faults{1, 8};   // besides those of the file
  std::optional<Range<std::int64_t>> instances;
  std::optional<Range<Duration>> store_latency;    // the largest; the distribution is stretched to it
  std::optional<Range<Duration>> network_latency;  // likewise
  bool beyond = false;  // faults of the file may become longer, stronger and other than it states
};

// The bounds of an exhaustive exploration (lab/explore/explore.h); a budget without a value is any number.
struct ExhaustiveSetting {
  std::int64_t instances = 0;  // the first so many; 0: all
  std::int64_t crashes = 1;
  std::int64_t pauses = 1;
  std::int64_t stops = 0;
  std::int64_t losses = 1;
  std::int64_t delays = 1;
  std::optional<std::int64_t> requests;
  Duration horizon = Duration::seconds(40);
  Duration tick;  // zero: time stops only where something is due
  bool jitter_ends = false;
  bool acting = true;
  std::int64_t states = 20'000'000;  // then it gives up
};

// The "checker" of a run that a CHECK of ours has stopped.
inline constexpr std::string_view kBrokenInvariant = "broken-invariant";

// What a failure was kept for (lab/hunt/regression.h).
struct RegressionNote {
  std::string checker;  // or kBrokenInvariant
  std::string message;
  std::string trace_hash;
  std::string version;
  std::string origin;
};

struct Plans {
  std::optional<HuntSetting> hunt;
  std::optional<ExhaustiveSetting> exhaustive;
  std::optional<TuneSetting> tune;
  std::optional<ProfileSetting> profile;
  std::optional<RegressionNote> regression;
};

// All that a scenario file says.
struct ScenarioFile {
  Scenario scenario;
  Plans plans;
};

// The checker whose failure a run of the file is to tell; empty: the first.
inline std::string_view checker_to_tell(const ScenarioFile& file) {
  return file.plans.regression ? std::string_view(file.plans.regression->checker) : std::string_view();
}

}  // namespace tenure::sim
