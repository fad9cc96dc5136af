#include "lab/live/closeness.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/journal/kinds.h"
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

// Whether the part explains at least half of how far the medians of the measure are apart. There may be several of the
// part in one value of the measure.
bool explains(const Closeness& part, const Closeness& whole) {
  const bool belongs = part.measure == Measure::commit ? whole.measure == Measure::fire_lateness
                       : part.measure == Measure::first_grant
                           ? whole.measure == Measure::leaderless
                           : whole.measure == Measure::failover || whole.measure == Measure::leaderless;
  if (!belongs || !part.differs) return false;
  const auto n = [](std::size_t count) { return static_cast<std::int64_t>(std::max<std::size_t>(count, 1)); };
  const std::int64_t by = part.live.p50 - part.simulated.p50;
  const std::int64_t all = by * std::max<std::int64_t>(n(part.live.n) / n(whole.live.n), 1);
  const std::int64_t wanted = (whole.live.p50 - whole.simulated.p50) / 2;
  return by > 0 ? wanted > 0 && all >= wanted : wanted < 0 && all <= wanted;
}

// What a part that differs says of the file's assumptions.
std::string blame(const Closeness& part) {
  switch (part.measure) {
    case Measure::first_grant:
      return fmt::format("the start of processes (to the first grant, the median is {})", shift_text(part));
    case Measure::renewal_interval:
      return fmt::format("the drift of wake-ups (from one renewal to the next, the median is {})",
                         shift_text(part));
    case Measure::take_over:
      return fmt::format("detection by the lease (from its end to the next grant, the median is {})",
                         shift_text(part));
    default:
      return fmt::format("the latency of commits, where they wait for others (the median is {})",
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
    case Measure::first_grant: return "first grant";
    case Measure::renewal_interval: return "renewal interval";
    case Measure::take_over: return "take-over";
    case Measure::commit: break;
  }
  return "commit";
}

bool is_part(Measure measure) { return measure >= Measure::first_grant; }

void MeasurePool::add(const RunMeasures& run) {
  ++runs_;
  append(of(Measure::failover), run.metrics.failover);
  append(of(Measure::fire_lateness), run.metrics.fire_lateness);
  of(Measure::leaderless).push_back(run.metrics.leaderless.ns());
  of(Measure::store_requests).push_back(static_cast<std::int64_t>(run.metrics.store_requests));
  if (run.parts.first_grant)
    of(Measure::first_grant).push_back((*run.parts.first_grant - sim::TrueTime{}).ns());
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
      if (is_part(part.measure) && explains(part, one))
        one.reason += (one.reason.empty() ? "" : "; ") + blame(part);
    if (one.reason.empty()) one.reason = "none that was measured: no part of it differs by as much";
  }
  return all;
}

std::vector<MeasuredTimes> measured_times(const MachineTimes& times) {
  std::vector<MeasuredTimes> all;
  const auto add = [&](std::string what, const std::vector<Duration>& values) {
    std::vector<std::int64_t> numbers;
    for (const Duration value : values) numbers.push_back(value.ns());
    if (!values.empty()) all.push_back({std::move(what), distribution_of(std::move(numbers))});
  };
  for (const auto& [kind, trips] : times.round_trips) add(journal::kRequestKinds.at(kind), trips);
  add("first starts", times.first_starts);
  add("restarts", times.restarts);
  return all;
}

sim::Scenario with_measured(sim::Scenario scenario, const MachineTimes& times) {
  std::vector<Duration> all;
  for (const auto& [kind, trips] : times.round_trips) all.insert(all.end(), trips.begin(), trips.end());
  if (all.size() >= kLeastRoundTrips) {
    scenario.store.latency = reduce_samples(all);
    scenario.network.latency = sim::Quantiles{};
    scenario.store.latency_of.clear();
    for (const auto& [kind, trips] : times.round_trips)
      if (trips.size() >= kLeastRoundTrips) scenario.store.latency_of[kind] = reduce_samples(trips);
  }
  // A start is measured to an answer, which a simulated process has yet to wait for.
  const auto acquires = times.round_trips.find(reference::Request(reference::Acquire{}).index());
  const Duration answer = acquires != times.round_trips.end()
                              ? reduce_samples(acquires->second).at(sim::Quantiles::kOne / 2)
                              : Duration{};
  const auto until_asked = [&](const std::vector<Duration>& starts, std::int64_t ppm) {
    return std::max(reduce_samples(starts).at(ppm) - answer, Duration{});
  };
  if (!times.first_starts.empty()) {
    scenario.start_spread.low += until_asked(times.first_starts, sim::Quantiles::kOne / 10);
    scenario.start_spread.high += until_asked(times.first_starts, sim::Quantiles::kOne / 10 * 9);
  }
  if (!times.restarts.empty())
    scenario.work.program.startup += until_asked(times.restarts, sim::Quantiles::kOne / 2);
  return scenario;
}

}  // namespace tenure::lab
