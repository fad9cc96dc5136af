#include "lab/live/closeness.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "lab/calibrate/reduce.h"

namespace tenure::lab {
namespace {

void append(std::vector<std::int64_t>& all, const sim::Samples& samples) {
  for (const Duration value : samples.values()) all.push_back(value.ns());
}

Distribution distribution_of(std::vector<std::int64_t> values) {
  Distribution made;
  made.n = values.size();
  if (values.empty()) return made;
  std::ranges::sort(values);
  const auto at = [&](std::size_t percent) { return values[(values.size() * percent + 99) / 100 - 1]; };
  made.p50 = at(50);
  made.p90 = at(90);
  made.max = values.back();
  return made;
}

std::string shift_text(const Closeness& part) {
  const std::int64_t by = part.live.p50 - part.simulated.p50;
  const std::string text = describe(Duration::micros((by < 0 ? -by : by) / 1000));
  return by < 0 ? text + " shorter live" : text + " longer live";
}

// The parts that a measure is made of.
bool is_made_of(Measure measure, Measure part) {
  switch (part) {
    case Measure::commit: return measure == Measure::fire_lateness;
    case Measure::renewal_interval: return measure != Measure::fire_lateness;
    case Measure::take_over: return measure != Measure::store_requests;
    default: return false;
  }
}

// What a part that differs says of the file's assumptions.
std::string blame(const Closeness& part) {
  switch (part.measure) {
    case Measure::renewal_interval:
      return fmt::format("the drift of wake-ups (from one renewal to the next, the median is {})",
                         shift_text(part));
    case Measure::take_over:
      return fmt::format("detection by the lease (from its end to the next grant, the median is {})",
                         shift_text(part));
    default:
      return fmt::format(
          "the latency of commits, of which the file knows but one with all requests (the median is {})",
          shift_text(part));
  }
}

}  // namespace

std::string_view name_of(Measure measure) {
  switch (measure) {
    case Measure::failover: return "failover";
    case Measure::fire_lateness: return "fire lateness";
    case Measure::leaderless: return "leaderless";
    case Measure::store_requests: return "store requests";
    case Measure::renewal_interval: return "renewal interval";
    case Measure::take_over: return "take-over";
    case Measure::commit: break;
  }
  return "commit";
}

bool is_part(Measure measure) {
  return measure == Measure::renewal_interval || measure == Measure::take_over || measure == Measure::commit;
}

void MeasurePool::add(const RunMeasures& run) {
  ++runs_;
  append(of(Measure::failover), run.metrics.failover);
  append(of(Measure::fire_lateness), run.metrics.fire_lateness);
  of(Measure::leaderless).push_back(run.metrics.leaderless.ns());
  of(Measure::store_requests).push_back(static_cast<std::int64_t>(run.metrics.store_requests));
  append(of(Measure::renewal_interval), run.parts.renewals);
  append(of(Measure::take_over), run.parts.take_overs);
  append(of(Measure::commit), run.parts.commits);
}

std::vector<Closeness> compare(const MeasurePool& live, const MeasurePool& simulated) {
  std::vector<Closeness> all;
  for (std::size_t i = 0; i < kMeasures; ++i) {
    Closeness& one = all.emplace_back();
    one.measure = static_cast<Measure>(i);
    const std::vector<std::int64_t>& here = live.values(one.measure);
    const std::vector<std::int64_t>& there = simulated.values(one.measure);
    one.live = distribution_of(here);
    one.simulated = distribution_of(there);
    one.comparable = !here.empty() && !there.empty();
    if (!one.comparable) continue;
    one.distance = distance_between(here, there);
    one.critical_ppm = critical_distance_ppm(here.size(), there.size(), Significance::five_percent);
    one.differs = one.distance.ppm > one.critical_ppm;
  }
  for (Closeness& one : all) {
    if (!one.differs || is_part(one.measure)) continue;
    for (const Closeness& part : all)
      if (is_made_of(one.measure, part.measure) && part.differs)
        one.reason += (one.reason.empty() ? "" : "; ") + blame(part);
    if (one.reason.empty()) one.reason = "none that was measured: its parts do not differ beyond chance";
  }
  return all;
}

sim::Scenario with_latencies(sim::Scenario scenario, const std::vector<Duration>& round_trips) {
  if (round_trips.size() < kLeastRoundTrips) return scenario;
  scenario.store.latency = reduce_samples(round_trips);
  scenario.network.latency = sim::Quantiles{};
  return scenario;
}

}  // namespace tenure::lab
