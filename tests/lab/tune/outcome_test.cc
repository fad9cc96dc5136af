// Numbers of many runs: their estimates and intervals.
#include "lab/tune/outcome.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sim/kernel/keyed_rng.h"

namespace tenure::lab {
namespace {

using Statistic = format::TuneMeasure::Statistic;

const TuneQuestions kOne{.metrics = {"epochs"}, .checkers = {}};

format::TuneMeasure measure(Statistic statistic, std::int64_t ppm = 0) {
  return {"epochs", statistic, ppm, "epochs"};
}

RunNumbers run_with(std::vector<std::int64_t> values) {
  return {.seed = 1, .values = {std::move(values)}, .leaderless_by_cause = {}, .broken = {}};
}

RC_GTEST_PROP(IntegerRoot, is_the_largest_whose_square_fits, (std::uint64_t n)) {
  const auto value = static_cast<int128>(n) * 3;
  const auto root = static_cast<int128>(integer_root(value));
  RC_ASSERT(root * root <= value);
  RC_ASSERT((root + 1) * (root + 1) > value);
}

TEST(WorstSeed, is_of_the_largest_sample_or_of_the_smallest_where_low_is_bad) {
  const TuneQuestions two{.metrics = {"failover_seconds", "safety_margin_seconds"}, .checkers = {}};
  SettingOutcome outcome(two);
  EXPECT_EQ(outcome.worst_seed("failover_seconds"), std::nullopt);
  const auto add = [&](std::uint64_t seed, std::vector<std::int64_t> failovers, std::int64_t margin) {
    outcome.add(
        {.seed = seed, .values = {std::move(failovers), {margin}}, .leaderless_by_cause = {}, .broken = {}});
  };
  add(1, {5, 1}, 7);
  add(2, {2, 9}, 3);
  add(3, {9}, 3);
  add(4, {}, 8);
  EXPECT_EQ(outcome.worst_seed("failover_seconds"), 2U) << "of equal ones the first";
  EXPECT_EQ(outcome.worst_seed("safety_margin_seconds"), 2U);
  EXPECT_EQ(outcome.worst_seed("epochs"), std::nullopt) << "it was not asked for";
}

TEST(Means, have_the_interval_of_the_text_book_when_a_run_has_one_sample) {
  SettingOutcome outcome(kOne);
  double sum = 0;
  double squares = 0;
  constexpr int kRuns = 400;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const std::int64_t value = sim::KeyedRng(i).between(0, 1'000'000'000'000);
    outcome.add(run_with({value}));
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double mean = sum / kRuns;
  const double error = 1.959964 * std::sqrt((squares / kRuns - mean * mean) / (kRuns - 1));
  const Estimate estimate = outcome.estimate(measure(Statistic::mean));
  EXPECT_TRUE(estimate.known);
  EXPECT_NEAR(static_cast<double>(estimate.value), mean, 1);
  EXPECT_NEAR(static_cast<double>(*estimate.high - estimate.value), error, error * 1e-6);
}

// A run whose samples are all alike says no more with a hundred of them than with one.
TEST(Means, count_runs_and_not_samples) {
  SettingOutcome few(kOne);
  SettingOutcome many(kOne);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::int64_t value = sim::KeyedRng(i).between(0, 1'000'000);
    few.add(run_with({value}));
    many.add(run_with(std::vector<std::int64_t>(100, value)));
  }
  const Estimate a = few.estimate(measure(Statistic::mean));
  const Estimate b = many.estimate(measure(Statistic::mean));
  EXPECT_NEAR(static_cast<double>(*a.high - *a.low), static_cast<double>(*b.high - *b.low), 4);
}

// The interval of a percentile holds the true one in about 95 of 100 repetitions.
TEST(Percentiles, are_within_their_interval_as_often_as_it_says) {
  int inside = 0;
  constexpr int kRepetitions = 400;
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    SettingOutcome outcome(kOne);
    for (std::uint64_t i = 0; i < 500; ++i)
      outcome.add(run_with({sim::KeyedRng(repetition).of(i).between(0, 1'000'000)}));
    const Estimate estimate = outcome.estimate(measure(Statistic::percentile, 900'000));
    inside += estimate.low <= 900'000 && 900'000 <= estimate.high.value_or(INT64_MAX) ? 1 : 0;
  }
  EXPECT_NEAR(inside, kRepetitions * 95 / 100, 14);
}

TEST(Percentiles, need_samples_and_say_when_there_is_no_upper_end) {
  SettingOutcome outcome(kOne);
  for (std::int64_t i = 0; i < 99; ++i) outcome.add(run_with({i}));
  EXPECT_FALSE(outcome.estimate(measure(Statistic::percentile, 990'000)).known);
  outcome.add(run_with({99}));
  const Estimate estimate = outcome.estimate(measure(Statistic::percentile, 990'000));
  EXPECT_TRUE(estimate.known);
  EXPECT_TRUE(estimate.low);
  EXPECT_FALSE(estimate.high);
}

// One run says nothing of how much runs differ, however many others have no sample at all.
TEST(Means, of_a_single_run_are_not_known_and_have_no_interval) {
  SettingOutcome outcome(kOne);
  for (int i = 0; i < 50; ++i) outcome.add(run_with({}));
  outcome.add(run_with({7'000, 8'000}));
  const Estimate estimate = outcome.estimate(measure(Statistic::mean));
  EXPECT_FALSE(estimate.known);
  EXPECT_EQ(estimate.value, 7'500);
  EXPECT_FALSE(estimate.low);
  EXPECT_FALSE(estimate.high);
}

// Of few samples the interval is wide: Student's t, and not the normal distribution.
TEST(Means, of_few_runs_are_within_their_interval_as_often_as_it_says) {
  int inside = 0;
  constexpr int kRepetitions = 1'000;
  constexpr std::int64_t kEvent = 1'000'000'000;  // counts are in billionths
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    SettingOutcome outcome(kOne);
    for (std::uint64_t i = 0; i < 20; ++i) {
      std::int64_t value = 0;  // nearly normal, with a mean of 6,000
      for (std::uint64_t k = 0; k < 12; ++k) value += sim::KeyedRng(repetition).of(i).of(k).between(0, 1'000);
      outcome.add(i < 4 ? run_with({value * kEvent}) : run_with({}));
    }
    const Estimate estimate = outcome.estimate(measure(Statistic::mean));
    inside += estimate.low <= 6'000 * kEvent && 6'000 * kEvent <= estimate.high ? 1 : 0;
  }
  EXPECT_NEAR(inside, kRepetitions * 95 / 100, 20);
}

// In thirty runs none was counted; it may still happen in every tenth.
TEST(Means, of_what_never_happened_may_be_more_than_nothing) {
  SettingOutcome outcome(kOne);
  for (int i = 0; i < 30; ++i) outcome.add(run_with({0}));
  const Estimate estimate = outcome.estimate(measure(Statistic::mean));
  EXPECT_TRUE(estimate.known);
  EXPECT_EQ(estimate.value, 0);
  EXPECT_EQ(estimate.high, 100'000'000);
}

// One event in forty runs: between none and five or six, and never less than none.
TEST(Means, of_what_happened_once_may_be_far_from_that) {
  SettingOutcome outcome(kOne);
  for (int i = 0; i < 40; ++i) outcome.add(run_with({i == 7 ? 1'000'000'000 : 0}));
  const Estimate estimate = outcome.estimate(measure(Statistic::mean));
  EXPECT_EQ(estimate.value, 25'000'000);
  EXPECT_EQ(estimate.low, 0);
  EXPECT_EQ(estimate.high, 139'500'000);
}

TEST(Means, of_false_failovers_that_never_happened_go_by_the_time_that_was_simulated) {
  const TuneQuestions questions{.metrics = {"false_failovers_per_day"}, .checkers = {}};
  SettingOutcome outcome(questions);
  for (int i = 0; i < 30; ++i) {
    RunNumbers run = run_with({0});
    run.simulated_ns = 86'400'000'000'000 / 10;
    outcome.add(run);
  }
  const Estimate estimate =
      outcome.estimate({"false_failovers_per_day", Statistic::mean, 0, "false_failovers_per_day"});
  EXPECT_EQ(estimate.high, 1'000'000'000);  // three in three days
}

TEST(Extremes, are_what_was_seen_and_have_no_interval) {
  SettingOutcome outcome(kOne);
  for (std::int64_t i = 1; i <= 9; ++i) outcome.add(run_with({i}));
  EXPECT_EQ(outcome.estimate(measure(Statistic::max)).value, 9);
  EXPECT_TRUE(outcome.estimate(measure(Statistic::max)).known);
  EXPECT_FALSE(outcome.estimate(measure(Statistic::max)).low);
}

TEST(Outcomes, without_samples_are_not_known) {
  SettingOutcome outcome(kOne);
  outcome.add(run_with({}));
  EXPECT_FALSE(outcome.estimate(measure(Statistic::mean)).known);
  EXPECT_FALSE(outcome.estimate(measure(Statistic::max)).known);
}

}  // namespace
}  // namespace tenure::lab
