// Which settings are tried, and what a setting is.
#include "lab/tune/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "format/print/print.h"
#include "sim/faults/plan.h"
#include "sim/kernel/keyed_rng.h"
#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

format::TuneParameter span(std::int64_t low, std::int64_t high) {
  format::TuneParameter parameter;
  parameter.key = "election.lease_duration";
  parameter.span = {low, high};
  return parameter;
}

format::TuneParameter list(std::vector<std::int64_t> values) {
  format::TuneParameter parameter;
  parameter.key = "election.renew_period";
  parameter.values = std::move(values);
  return parameter;
}

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Grid, is_every_combination_in_order_with_both_ends_of_a_range) {
  format::TuneSetting tune;
  tune.steps = 3;
  tune.parameters = {span(kSecond, 5 * kSecond), list({7, 3})};
  const std::vector<TunePoint> expected = {{kSecond, 7},     {kSecond, 3},     {3 * kSecond, 7},
                                           {3 * kSecond, 3}, {5 * kSecond, 7}, {5 * kSecond, 3}};
  EXPECT_EQ(plan_points(tune), expected);
}

TEST(Grid, rounds_to_what_people_write) {
  format::TuneSetting tune;
  tune.steps = 8;
  tune.parameters = {span(kSecond, 60 * kSecond)};
  const std::vector<TunePoint> points = plan_points(tune).value();
  ASSERT_EQ(points.size(), 8u);
  EXPECT_EQ(points.front(), TunePoint{kSecond});
  EXPECT_EQ(points.back(), TunePoint{60 * kSecond});
  for (const TunePoint& point : points) EXPECT_EQ(point.front() % (kSecond / 2), 0) << point.front();
}

TEST(Grid, has_an_end_to_its_size) {
  format::TuneSetting tune;
  tune.steps = 1'000;
  tune.parameters = {span(0, kSecond), span(0, kSecond), span(0, kSecond), span(0, kSecond)};
  EXPECT_FALSE(plan_points(tune));
}

TEST(Halton, fills_the_space_evenly_and_never_twice) {
  format::TuneSetting tune;
  tune.search = format::TuneSetting::Search::halton;
  tune.settings = 64;
  tune.parameters = {span(0, 100 * kSecond), span(0, 100 * kSecond)};
  const std::vector<TunePoint> points = plan_points(tune).value();
  ASSERT_EQ(points.size(), 64u);
  EXPECT_EQ(std::set<TunePoint>(points.begin(), points.end()).size(), 64u);
  int quarters[4] = {};
  for (const TunePoint& point : points)
    ++quarters[(point[0] >= 50 * kSecond ? 2 : 0) + (point[1] >= 50 * kSecond ? 1 : 0)];
  for (const int count : quarters) EXPECT_NEAR(count, 16, 3);
}

TEST(Halton, stops_when_there_is_nothing_new) {
  format::TuneSetting tune;
  tune.search = format::TuneSetting::Search::halton;
  tune.settings = 64;
  tune.parameters = {list({1, 2, 3})};
  EXPECT_EQ(plan_points(tune).value().size(), 3u);
}

TEST(Settings, are_what_the_same_overrides_mean_to_a_run) {
  const TuneFile file = tune_file("");
  TuneFile overridden = file;
  overridden.sets = {{"election.lease_duration", "20s"}};
  EXPECT_EQ(format::print_scenario(made(file, overridden.sets).scenario),
            format::print_scenario(parsed(overridden).scenario));
}

TEST(Settings, that_theory_calls_unsafe_are_taken_and_say_so) {
  const TuneFile file = tune_file("");
  const Setting setting = made(file, {{"election.renew_period", "14s"}});
  ASSERT_EQ(setting.unsafe.size(), 1u);
  EXPECT_EQ(setting.unsafe.front().name, "renew-beyond-belief");
  const std::vector<format::Override> apply = overrides_to_apply(setting, made(file));
  ASSERT_EQ(apply.size(), 2u);
  EXPECT_EQ(apply.back().key, "election.accept");
  TuneFile applied = file;
  applied.sets = apply;
  EXPECT_EQ(format::print_scenario(parsed(applied).scenario), format::print_scenario(setting.scenario));
}

TEST(Settings, that_are_unsafe_for_the_scheduler_are_accepted_in_its_section) {
  TuneFile file = tune_file("");
  file.sets = {{"cluster.scheduler", "fenced-outbox"}};
  const Setting setting = made(file, {{"scheduling.stall_timeout", "2s"}});
  ASSERT_EQ(setting.unsafe.size(), 1u);
  EXPECT_EQ(setting.unsafe.front().part, Part::scheduler);
  const std::vector<format::Override> apply = overrides_to_apply(setting, made(file));
  ASSERT_EQ(apply.size(), 2u);
  EXPECT_EQ(apply.back().key, "scheduling.accept");
  TuneFile applied = file;
  applied.sets.insert(applied.sets.end(), apply.begin(), apply.end());
  EXPECT_EQ(format::print_scenario(parsed(applied)), format::print_scenario(setting.scenario));
}

TEST(Settings, that_the_file_accepts_for_nothing_apply_all_the_same) {
  const TuneFile file = tune_file("[election]\nrenew_period = \"14s\"\naccept = [\"renew-beyond-belief\"]\n");
  const Setting setting = made(file, {{"election.renew_period", "4s"}});
  EXPECT_TRUE(setting.unsafe.empty());
  TuneFile applied = file;
  applied.sets = overrides_to_apply(setting, made(file));
  EXPECT_EQ(format::print_scenario(parsed(applied).scenario), format::print_scenario(setting.scenario));
}

TEST(Settings, that_are_none_say_why) {
  const MadeSetting none = make_setting(tune_file(""), {{"election.guard", "20s"}});
  EXPECT_FALSE(none.setting);
  ASSERT_FALSE(none.problems.empty());
}

// Common random numbers: a plan of faults does not depend on what is tuned.
TEST(Settings, meet_the_same_faults_at_the_same_moments) {
  const TuneFile file = tune_file("");
  const Setting one = made(file, {{"election.lease_duration", "8s"}});
  const Setting other = made(file, {{"election.lease_duration", "40s"}, {"election.renew_period", "1s"}});
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const std::vector<sim::FaultSetting> a = sim::draw_plan(one.scenario, sim::KeyedRng(seed));
    const std::vector<sim::FaultSetting> b = sim::draw_plan(other.scenario, sim::KeyedRng(seed));
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(format::print_fault(a[i]), format::print_fault(b[i]));
  }
}

}  // namespace
}  // namespace tenure::lab
