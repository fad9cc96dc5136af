// How close simulated runs of a scenario are to live ones: distributions side by side, and what differs beyond chance.
//
//   1. Both sides are measured by the same collector (measure.h). Failovers and fires of all runs are pooled;
//      leaderless time and store requests count once a run.
//   2. Two distributions differ beyond chance if their distance of Kolmogorov and Smirnov exceeds the critical one at
//      5 %. Fires of one run are not independent, so that for them it is exceeded more often.
//   3. Where a result differs, its parts are looked at: how leases are had first, renewed and taken over, how long
//      commits take. A part is the likely reason if it differs, too, by at least half as much. Nothing is blamed that
//      was not measured.
//
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/calibrate/kolmogorov_smirnov.h"
#include "lab/live/measure.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

enum class Measure : std::uint8_t {
  failover,
  fire_lateness,
  leaderless,
  store_requests,
  // Parts, for reasons:
  first_grant,  // from the beginning
  renewal_interval,
  take_over,
  commit,
};
inline constexpr std::size_t kMeasures = 8;
std::string_view name_of(Measure measure);  // "fire lateness"
bool is_part(Measure measure);

// The values of many runs on one side: nanoseconds, or a number of requests.
class MeasurePool {
 public:
  void add(const RunMeasures& run);
  const std::vector<std::int64_t>& values(Measure measure) const {
    return values_[static_cast<std::size_t>(measure)];
  }
  std::size_t runs() const { return runs_; }

 private:
  std::vector<std::int64_t>& of(Measure measure) { return values_[static_cast<std::size_t>(measure)]; }
  std::array<std::vector<std::int64_t>, kMeasures> values_;
  std::size_t runs_ = 0;
};

struct Distribution {
  std::size_t n = 0;
  std::int64_t p50 = 0;  // by nearest rank; zero without values, as the others
  std::int64_t p90 = 0;
  std::int64_t max = 0;
};

struct Closeness {
  Measure measure = Measure::failover;
  Distribution live;
  Distribution simulated;
  bool comparable = false;  // both sides have values
  SampleDistance distance;
  std::int64_t critical_ppm = 0;
  bool differs = false;  // beyond chance
  std::string reason;    // the likely one; of a measure that differs and is no part
};

// What simulations are given of a machine: "commit-fires", "first starts".
struct MeasuredTimes {
  std::string what;
  Distribution of;
};
std::vector<MeasuredTimes> measured_times(const MachineTimes& times);

// In the order of Measure.
std::vector<Closeness> compare(const MeasurePool& live, const MeasurePool& simulated);

// The file with what was measured. A round trip is the store's, by its kind where there are enough of it, and the
// network adds nothing. Instances start as late as most of them did (their middle 80 %), and restart after the median.
sim::Scenario with_measured(sim::Scenario scenario, const MachineTimes& times);
inline constexpr std::size_t kLeastRoundTrips = 20;

}  // namespace tenure::lab
