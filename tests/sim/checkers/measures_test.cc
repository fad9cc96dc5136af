// Samples, and the names of events and times. histories/measures.txt has the rest of what a run is measured by.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sim/checkers/names.h"
#include "sim/scenario/names.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// ---- samples ----

Duration nearest_rank(std::vector<Duration> values, std::int64_t ppm) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t rank = std::max<std::int64_t>((n * ppm + 999'999) / 1'000'000, 1);
  return values[static_cast<std::size_t>(rank - 1)];
}

RC_GTEST_PROP(Samples, are_exact_while_they_are_few, ()) {
  const auto drawn = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::inRange<std::int64_t>(-1'000, 1'000'000'000'000)));
  const auto ppm = *rc::gen::inRange<std::int64_t>(0, 1'000'001);
  Samples samples;
  std::vector<Duration> values;
  for (const std::int64_t ns : drawn) {
    samples.add(Duration::nanos(ns));
    values.push_back(Duration::nanos(ns));
  }
  RC_ASSERT(samples.count() == values.size());
  RC_ASSERT(samples.percentile(ppm) == nearest_rank(values, ppm));
  RC_ASSERT(samples.min() == nearest_rank(values, 0));
  RC_ASSERT(samples.max() == nearest_rank(values, 1'000'000));
}

TEST(Samples, of_many_are_never_understated_and_nearly_right) {
  Samples samples;
  std::vector<Duration> values;
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    const Duration value = Duration::nanos(static_cast<std::int64_t>(state >> (i % 40 + 20)));
    samples.add(value);
    values.push_back(value);
  }
  ASSERT_GT(samples.count(), Samples::kExact);
  for (const std::int64_t ppm : {0, 1'000, 500'000, 900'000, 990'000, 999'999, 1'000'000}) {
    const Duration exact = nearest_rank(values, ppm);
    EXPECT_GE(samples.percentile(ppm), exact) << ppm;
    EXPECT_LE(samples.percentile(ppm), exact + exact / 128 + Duration::nanos(1)) << ppm;
  }
  EXPECT_EQ(samples.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(samples.max(), *std::max_element(values.begin(), values.end()));
  int128 sum = 0;
  for (const Duration value : values) sum += value.ns();
  EXPECT_EQ(samples.mean().ns(), static_cast<std::int64_t>(sum / 100'000));
}

TEST(Samples, say_zero_of_nothing_and_merge_into_the_same_as_if_added) {
  Samples none;
  EXPECT_EQ(none.mean(), Duration{});
  EXPECT_EQ(none.percentile(500'000), Duration{});
  for (const std::int64_t size : {std::int64_t{10}, static_cast<std::int64_t>(Samples::kExact) + 10}) {
    Samples a;
    Samples b;
    Samples all;
    for (std::int64_t i = 0; i < size; ++i) {
      a.add(millis(i));
      b.add(millis(5 * i));
      all.add(millis(i));
      all.add(millis(5 * i));
    }
    a.merge(b);
    a.merge(none);
    EXPECT_EQ(a.count(), all.count());
    EXPECT_EQ(a.mean(), all.mean());
    EXPECT_EQ(a.max(), all.max());
    EXPECT_EQ(a.min(), all.min());
    EXPECT_LE(a.percentile(900'000) - all.percentile(900'000), all.percentile(900'000) / 100);
  }
}

TEST(Samples, take_the_largest_duration_there_is) {
  Samples samples;
  for (std::size_t i = 0; i <= Samples::kExact; ++i) samples.add(Duration::max());
  samples.add(seconds(-1));
  EXPECT_EQ(samples.percentile(1'000'000), Duration::max());
  EXPECT_EQ(samples.percentile(0), seconds(-1));
}

// ---- sometimes ----

TEST(Sometimes, has_a_count_for_every_name_that_a_scenario_may_use) {
  History h{reference_scenario()};
  h.finishes();
  for (const SometimesName& name : kSometimesNames) EXPECT_EQ(h.sometimes(name.name), 0u) << name.name;
}

// ---- names ----

TEST(Names, print_times_as_the_story_does) {
  EXPECT_EQ(time_text(TrueTime{}), "0.000s");
  EXPECT_EQ(time_text(TrueTime{} + millis(15'214)), "15.214s");
  EXPECT_EQ(time_text(TrueTime{} + millis(75'214)), "1m15.214s");
  EXPECT_EQ(time_text(TrueTime{} + millis(3'723'004)), "1h02m03.004s");
  EXPECT_EQ(time_text(TrueTime::max()), "never");
}

TEST(Names, print_events_with_the_names_of_the_scenario) {
  Scenario scenario = reference_scenario();
  ChangeSetting change;
  change.schedule = ScheduleId{1};
  change.schedule_name = "reports";
  scenario.changes.push_back(change);
  const Names names{scenario};
  EXPECT_EQ(names.event({kBilling, store_at(seconds(60)), 0}), "billing 2026-01-01T00:01:00Z");
  EXPECT_EQ(names.event({ScheduleId{1}, store_at({}), 3}), "reports run 3");
  EXPECT_EQ(names.schedule(ScheduleId{9}), "schedule 9");
  EXPECT_EQ(who_text({NodeId{1}, 2}), "n2#2");
  EXPECT_EQ(who_text(kClient), "a client");
}

}  // namespace
}  // namespace tenure::sim
