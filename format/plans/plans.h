// What a scenario file says besides the scenario: hunts, exhaustive exploration, tuning, comparing, and for a saved
// failure, why it was saved. A run ignores all of it.
//
// format/parse reads them with the scenario; lab carries them out.
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

namespace tenure::format {

// What a hunt draws for each seed (lab/hunt/swarm.h).
struct HuntSetting {
  std::vector<std::string> families;      // of faults, by name; empty: all
  sim::Range<std::int64_t> faults{1, 8};  // besides those of the file
  std::optional<sim::Range<std::int64_t>> instances;
  std::optional<sim::Range<Duration>>
      store_latency;  // the largest latency; the distribution is stretched to it
  std::optional<sim::Range<Duration>> network_latency;  // likewise
  bool beyond = false;  // faults may become longer, stronger and different from what the file states
};

// The bounds of an exhaustive exploration (lab/explore/explore.h); a budget without a value is unlimited.
struct ExhaustiveSetting {
  std::int64_t instances = 0;  // only the first ones; 0: all
  std::int64_t crashes = 1;
  std::int64_t pauses = 1;
  std::int64_t stops = 0;
  std::int64_t losses = 1;
  std::int64_t delays = 1;
  std::optional<std::int64_t> requests;
  Duration horizon = Duration::seconds(40);
  Duration tick;  // zero: time stops only when something is due
  bool jitter_ends = false;
  bool acting = true;
  std::int64_t states = 20'000'000;  // then it gives up
};

// How the scenario is made harder for slow designs when it is one situation among those that designs are compared in: a
// pause of 20 s is long for a lease of 15 s, and short for one of 10 minutes.
struct CompareSetting {
  std::string stretch;       // a key as in --set, whose value is a duration: "fault.1.duration"
  std::int64_t percent = 0;  // of the design's own failover time
  std::string write = "{}";  // how the value is written, with {} for the value: "-{}..{}"
  FilePlace place;           // of `stretch`
};

// The "checker" of a run that one of our CHECKs stopped.
inline constexpr std::string_view kBrokenInvariant = "broken-invariant";

// Why a failure was saved (lab/hunt/regression.h).
struct RegressionNote {
  std::string checker;  // or kBrokenInvariant
  std::string message;
  std::string trace_hash;
  std::string version;
  std::string origin;
  std::string design_hash;  // of the protocol's file, if it has one
};

struct Plans {
  std::optional<HuntSetting> hunt;
  std::optional<ExhaustiveSetting> exhaustive;
  std::optional<TuneSetting> tune;
  std::optional<ProfileSetting> profile;
  std::optional<CompareSetting> compare;
  std::optional<RegressionNote> regression;
};

// The whole content of a scenario file.
struct ScenarioFile {
  sim::Scenario scenario;
  Plans plans;
};

// The checker whose failure a run of the file tells; empty: the first.
inline std::string_view checker_to_tell(const ScenarioFile& file) {
  return file.plans.regression ? std::string_view(file.plans.regression->checker) : std::string_view();
}

}  // namespace tenure::format
