// Numbers of many runs: their estimates and intervals.
#include "sim/tune/outcome.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sim/kernel/noise.h"

namespace tenure::sim {
namespace {

using Statistic = TuneMeasure::Statistic;

const TuneQuestions kOne{.metrics = {"epochs"}, .checkers = {}};

TuneMeasure measure(Statistic statistic, std::int64_t ppm = 0) {
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

TEST(Means, have_the_interval_of_the_text_book_when_a_run_has_one_sample) {
  Outcome outcome(kOne);
  double sum = 0;
  double squares = 0;
  constexpr int kRuns = 400;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    const std::int64_t value = Noise(i).between(0, 1'000'000'000'000);
    outcome.add(run_with({value}));
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double mean = sum / kRuns;
  const double error = 1.959964 * std::sqrt((squares / kRuns - mean * mean) / (kRuns - 1));
  const Estimate estimate = outcome.estimate(measure(Statistic::mean));
  EXPECT_TRUE(estimate.known);
  EXPECT_NEAR(static_cast<double>(estimate.value), mean, 1);
  EXPECT_NEAR(static_cast<double>(estimate.high - estimate.value), error, error * 1e-6);
}

// A run whose samples are all alike says no more with a hundred of them than with one.
TEST(Means, count_runs_and_not_samples) {
  Outcome few(kOne);
  Outcome many(kOne);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::int64_t value = Noise(i).between(0, 1'000'000);
    few.add(run_with({value}));
    many.add(run_with(std::vector<std::int64_t>(100, value)));
  }
  const Estimate a = few.estimate(measure(Statistic::mean));
  const Estimate b = many.estimate(measure(Statistic::mean));
  EXPECT_NEAR(static_cast<double>(a.high - a.low), static_cast<double>(b.high - b.low), 4);
}

// The interval of a percentile holds the true one in about 95 of 100 repetitions.
TEST(Percentiles, are_within_their_interval_as_often_as_it_says) {
  int inside = 0;
  constexpr int kRepetitions = 400;
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    Outcome outcome(kOne);
    for (std::uint64_t i = 0; i < 500; ++i)
      outcome.add(run_with({Noise(repetition).of(i).between(0, 1'000'000)}));
    const Estimate estimate = outcome.estimate(measure(Statistic::percentile, 900'000));
    inside += estimate.low <= 900'000 && 900'000 <= estimate.high ? 1 : 0;
  }
  EXPECT_NEAR(inside, kRepetitions * 95 / 100, 14);
}

TEST(Percentiles, need_samples_and_say_when_there_is_no_upper_end) {
  Outcome outcome(kOne);
  for (std::int64_t i = 0; i < 99; ++i) outcome.add(run_with({i}));
  EXPECT_FALSE(outcome.estimate(measure(Statistic::percentile, 990'000)).known);
  outcome.add(run_with({99}));
  const Estimate estimate = outcome.estimate(measure(Statistic::percentile, 990'000));
  EXPECT_TRUE(estimate.known);
  EXPECT_TRUE(estimate.open);
}

TEST(Outcomes, without_samples_are_not_known) {
  Outcome outcome(kOne);
  outcome.add(run_with({}));
  EXPECT_FALSE(outcome.estimate(measure(Statistic::mean)).known);
  EXPECT_FALSE(outcome.estimate(measure(Statistic::max)).known);
}

}  // namespace
}  // namespace tenure::sim
