#include "lab/live/closeness.h"

#include <gtest/gtest.h>

namespace tenure::lab {
namespace {

// Failovers of about so long, and renewals.
MeasurePool pool(std::int64_t failover_ms, std::int64_t renewal_ms, std::size_t runs = 100) {
  MeasurePool made;
  for (std::size_t i = 0; i < runs; ++i) {
    RunMeasures run;
    run.metrics.store_requests = 7;
    const auto drawn = Duration::millis(static_cast<std::int64_t>(i * 37 % 100));
    run.metrics.failover.add(Duration::millis(failover_ms) + drawn);
    run.parts.renewals.add(Duration::millis(renewal_ms) + drawn);
    made.add(run);
  }
  return made;
}

const Closeness& of(Measure measure, const std::vector<Closeness>& all) {
  return all.at(static_cast<std::size_t>(measure));
}

TEST(Closeness, finds_no_difference_in_equal_distributions) {
  const std::vector<Closeness> all = compare(pool(1'000, 100), pool(1'000, 100));
  for (const Closeness& one : all) {
    EXPECT_FALSE(one.differs) << name_of(one.measure);
    EXPECT_EQ(one.reason, "");
  }
  EXPECT_EQ(of(Measure::failover, all).live.n, 100u);
  EXPECT_EQ(of(Measure::failover, all).live.p50, Duration::millis(1'049).ns());
  EXPECT_EQ(of(Measure::failover, all).live.p90, Duration::millis(1'089).ns());
  EXPECT_EQ(of(Measure::failover, all).live.max, Duration::millis(1'099).ns());
  EXPECT_EQ(of(Measure::store_requests, all).simulated.p50, 7);
}

TEST(Closeness, blames_a_part_that_differs_too) {
  const std::vector<Closeness> all = compare(pool(1'080, 180), pool(1'000, 100));
  const Closeness& failover = of(Measure::failover, all);
  EXPECT_TRUE(failover.differs);
  EXPECT_EQ(failover.distance.ppm, 800'000);
  EXPECT_EQ(failover.reason,
            "the drift of wake-ups (from one renewal to the next, the median is 80ms longer live)");
  EXPECT_FALSE(of(Measure::leaderless, all).differs);
}

TEST(Closeness, blames_nothing_that_was_not_measured) {
  const std::vector<Closeness> all = compare(pool(1'080, 100), pool(1'000, 100));
  EXPECT_EQ(of(Measure::failover, all).reason, "none that was measured: no part of it differs by as much");
}

TEST(Closeness, does_not_blame_a_part_that_differs_by_less) {
  const std::vector<Closeness> all = compare(pool(1'200, 180), pool(1'000, 100));
  EXPECT_TRUE(of(Measure::renewal_interval, all).differs);
  EXPECT_EQ(of(Measure::failover, all).reason, "none that was measured: no part of it differs by as much");
}

TEST(Closeness, says_nothing_of_few_values_and_of_none) {
  const std::vector<Closeness> all = compare(pool(9'000, 100, 1), pool(1'000, 100));
  EXPECT_FALSE(of(Measure::failover, all).differs);
  EXPECT_GE(of(Measure::failover, all).critical_ppm, 1'000'000);
  EXPECT_FALSE(of(Measure::fire_lateness, all).comparable);
}

TEST(Closeness, simulates_with_latencies_measured_live) {
  sim::Scenario scenario;
  EXPECT_EQ(with_measured(scenario, {{{7, {Duration::millis(9)}}}, {}, {}}).store.latency,
            scenario.store.latency);
  MachineTimes times;
  times.round_trips[7] = std::vector(100, Duration::millis(9));
  times.round_trips[8] = {Duration::millis(9)};
  sim::Scenario measured = with_measured(scenario, times);
  EXPECT_EQ(measured.store.latency, sim::Quantiles::constant(Duration::millis(9)));
  EXPECT_EQ(measured.network.latency, sim::Quantiles{});
  ASSERT_EQ(measured.store.latency_of.size(), 1u);
  EXPECT_EQ(measured.store.latency_of.at(7), sim::Quantiles::constant(Duration::millis(9)));
}

TEST(Closeness, simulates_with_starts_measured_live) {
  sim::Scenario scenario;
  scenario.start_spread = {Duration{}, Duration::seconds(1)};
  MachineTimes times;
  times.first_starts = {Duration::millis(30), Duration::millis(50)};
  times.restarts = {Duration::millis(20), Duration::millis(25), Duration::millis(90)};
  // Less the answer, which a simulated process waits for as well.
  times.round_trips[reference::Request(reference::Acquire{}).index()] = {Duration::millis(4)};
  const sim::Scenario measured = with_measured(scenario, times);
  EXPECT_EQ(measured.start_spread.low, Duration::millis(26));
  EXPECT_EQ(measured.start_spread.high, Duration::millis(1'046));
  EXPECT_EQ(measured.work.program.startup, Duration::millis(21));
}

}  // namespace
}  // namespace tenure::lab
