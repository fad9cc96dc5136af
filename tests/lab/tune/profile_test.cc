// What a month costs: arithmetic, and what one event costs in the simulator.
#include "lab/tune/profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/tune/closed_form.h"
#include "sim/kernel/keyed_rng.h"
#include "tests/lab/tune/support.h"

namespace tenure::lab::profile_tests {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

constexpr std::int64_t kRunNs = 450 * kSecond;

RunNumbers lost(std::int64_t leaderless, std::int64_t false_failovers) {
  return {.seed = 1,
          .values = {{false_failovers * kSecond}},
          .leaderless_by_cause = {{"crash", leaderless}, {"start", 5 * kSecond}},
          .simulated_ns = kRunNs};
}

ProfilePart part_of(std::string cause, std::int64_t events_micro) {
  ProfilePart part;
  part.cause = std::move(cause);
  part.events_micro = events_micro;
  return part;
}

// The month of one cause beside quiet runs.
ProfileMonth month_with(std::int64_t events_micro, const std::vector<RunNumbers>& runs,
                        const std::vector<RunNumbers>& quiet) {
  return month_of({part_of(std::string(kByItself), 0), part_of("crashes", events_micro)}, {quiet, runs});
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

TEST(Costs, of_events_are_those_of_one_times_how_often_they_happen) {
  const ProfileMonth month =
      month_with(3 * kMillion / 2, {lost(10 * kSecond, 0), lost(20 * kSecond, 1)}, {lost(0, 0), lost(0, 0)});
  EXPECT_NEAR(seconds(month.causes[1].leaderless_ns.value), 22.5, 0.001);  // the start is nobody's fault
  EXPECT_NEAR(static_cast<double>(month.causes[1].false_failovers_micro.value), 750'000, 10);
}

TEST(Costs, of_the_rest_go_by_time) {
  const ProfileMonth month = month_with(0, {lost(kSecond, 1), lost(kSecond, 0)}, {lost(0, 0), lost(0, 0)});
  EXPECT_NEAR(seconds(month.causes[1].leaderless_ns.value), 30 * 86'400 / 450, 0.001);
  EXPECT_NEAR(static_cast<double>(month.causes[1].false_failovers_micro.value) / 1e6, 30.0 * 86'400 / 450 / 2,
              0.001);
}

TEST(Costs, of_events_leave_out_what_is_lost_without_them) {
  const ProfileMonth month = month_with(kMillion, {lost(10 * kSecond, 3), lost(12 * kSecond, 3)},
                                        {lost(2 * kSecond, 1), lost(4 * kSecond, 1)});
  EXPECT_NEAR(seconds(month.causes[1].leaderless_ns.value), 8, 0.01);
  EXPECT_NEAR(static_cast<double>(month.causes[1].false_failovers_micro.value), 2 * kMillion, 20'000);
  EXPECT_NEAR(seconds(month.causes[0].leaderless_ns.value), 30 * 86'400 * 3.0 / 450, 1);
}

// Where nobody leads, there is no leadership that an event could end.
TEST(Months, are_never_longer_than_a_month) {
  for (const std::int64_t events : {1, 1'000, 100'000, 10'000'000, 1'000'000'000}) {
    const ProfileMonth month = month_with(events * kMillion, {lost(20 * kSecond, 1), lost(10 * kSecond, 1)},
                                          {lost(200 * kSecond, 0), lost(300 * kSecond, 0)});
    ASSERT_TRUE(month.leaderless_ns.high);
    EXPECT_LE(month.leaderless_ns.high, kMonth.ns()) << events;
    EXPECT_LE(month.leaderless_ns.value, *month.leaderless_ns.high);
    std::int64_t sum = 0;
    for (const ProfileCost& cost : month.causes) sum += cost.leaderless_ns.value;
    EXPECT_NEAR(seconds(sum), seconds(month.leaderless_ns.value), 1);
  }
  const RunNumbers never_led = lost(kRunNs, 0);
  const ProfileMonth none = month_with(kMillion, {never_led, never_led}, {never_led, never_led});
  EXPECT_LE(none.leaderless_ns.value, kMonth.ns());
  EXPECT_GT(seconds(none.leaderless_ns.value), seconds(kMonth.ns()) * 0.999);
}

// Each of two causes would leave as much time without a leader as with one: together two thirds, not all of it.
TEST(Months, share_out_what_causes_have_in_common) {
  const std::vector<RunNumbers> quiet = {lost(0, 0), lost(0, 0)};
  const std::vector<RunNumbers> runs = {lost(20 * kSecond, 0), lost(20 * kSecond, 0)};
  const std::int64_t events = kMonth / Duration::seconds(20) * kMillion;
  const ProfileMonth month =
      month_of({part_of(std::string(kByItself), 0), part_of("crashes", events), part_of("deploys", events)},
               {quiet, runs, runs});
  const double whole = seconds(kMonth.ns());
  EXPECT_NEAR(seconds(month.leaderless_ns.value) / whole, 2.0 / 3, 1e-6);
  EXPECT_NEAR(seconds(month.causes[1].leaderless_ns.value) / whole, 1.0 / 3, 1e-6);
  EXPECT_NEAR(seconds(month.causes[2].leaderless_ns.value) / whole, 1.0 / 3, 1e-6);
}

// In about 95 of 100 repetitions the interval holds what a month costs in truth.
TEST(Months, are_within_their_interval_as_often_as_it_says) {
  int inside = 0;
  constexpr int kRepetitions = 400;
  for (std::uint64_t repetition = 0; repetition < kRepetitions; ++repetition) {
    std::vector<RunNumbers> runs;
    std::vector<RunNumbers> quiet;
    for (std::uint64_t i = 0; i < 30; ++i) {
      const sim::KeyedRng rng = sim::KeyedRng(repetition).of(i);
      const std::int64_t without = rng.of("quiet").between(0, 10 * kSecond);
      quiet.push_back(lost(without, 0));
      runs.push_back(lost(without + rng.of("event").between(0, 20 * kSecond), 0));
    }
    const ProfileAmount amount = month_with(100 * kMillion, runs, quiet).causes[1].leaderless_ns;
    const double truth = 100 * 10.0 * kSecond;
    inside += static_cast<double>(amount.low) <= truth && truth <= static_cast<double>(*amount.high) ? 1 : 0;
  }
  EXPECT_NEAR(inside, kRepetitions * 95 / 100, 14);
}

TEST(Months, of_which_no_run_lost_anything_are_not_known_to_cost_nothing) {
  const ProfileMonth month = month_of(
      {part_of(std::string(kByItself), 0), part_of("crashes", kMillion), part_of("deploys", kMillion)},
      {{lost(0, 0), lost(0, 0)}, {lost(12 * kSecond, 0), lost(10 * kSecond, 0)}, {lost(0, 0), lost(0, 0)}});
  EXPECT_EQ(month.causes[2].leaderless_ns.value, 0);
  EXPECT_NEAR(seconds(*month.causes[2].leaderless_ns.high), 3 * 12.0 / 2,
              0.1);  // three of two runs as the worst one
  EXPECT_NEAR(static_cast<double>(*month.causes[2].false_failovers_micro.high), 3 * kMillion / 2.0, 1'000);
}

TEST(Months, in_which_nothing_was_ever_lost_have_no_upper_end) {
  const ProfileMonth month = month_with(kMillion, {lost(0, 0), lost(0, 0)}, {lost(0, 0), lost(0, 0)});
  EXPECT_EQ(month.leaderless_ns.value, 0);
  EXPECT_FALSE(month.leaderless_ns.high);
  EXPECT_TRUE(month.false_failovers_micro.high);
}

TEST(Months, of_a_single_run_have_no_interval) {
  const ProfileMonth month = month_with(kMillion, {lost(12 * kSecond, 1)}, {lost(1 * kSecond, 1)});
  EXPECT_EQ(month.causes[1].leaderless_ns.low, 0);
  EXPECT_FALSE(month.leaderless_ns.high);
  EXPECT_FALSE(month.false_failovers_micro.high);
}

std::vector<RunNumbers> runs_of(const ProfilePart& part) {
  std::vector<RunNumbers> runs;
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    runs.push_back(measure_run(*part.setting, seed, profile_questions()));
  return runs;
}

// One node in three is the leader.
TEST(Profiles, cost_a_failover_for_every_third_crash_and_little_for_a_deploy_that_releases) {
  const TuneFile file = tune_file(
      "[profile]\ncrashes = \"3 a month\"\ndeploys = \"3 a month\"\nstore_failovers = \"3 a month\"\n");
  const std::vector<ProfilePart> parts = profile_parts(file, {}, *parsed(file).plans.profile);
  // The file's own crashes are counted apart, and nothing else breaks in it.
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].cause, kByItself);
  std::vector<std::vector<RunNumbers>> runs;
  for (const ProfilePart& part : parts) runs.push_back(runs_of(part));
  const ProfileMonth month = month_of(parts, runs);
  const auto leaderless = [&](std::size_t i) { return month.causes[i].leaderless_ns; };
  const double failover = static_cast<double>(closed_form(made(file).scenario)->failover->mean->ns()) / 1e9;
  for (const ProfilePart& part : parts) ASSERT_TRUE(part.setting) << part.cause << ": " << part.why_not;
  EXPECT_NEAR(seconds(leaderless(1).value), failover, failover / 10);
  EXPECT_LE(seconds(leaderless(1).low), failover);
  EXPECT_GE(seconds(*leaderless(1).high), failover);
  EXPECT_LT(seconds(leaderless(2).value), 3);
}

// Its graces, gaps and settings, and not the defaults.
TEST(Profiles, take_the_deploy_of_the_file) {
  const TuneFile file = tune_file(
      "[[fault]]\nat = \"60s\"\naction = \"rolling-restart\"\ngrace = \"1s\"\ngap = \"40s\"\n"
      "with = { election = { lease_duration = \"20s\" } }\n[profile]\ndeploys = \"3 a month\"\n");
  const std::vector<ProfilePart> parts = profile_parts(file, {}, *parsed(file).plans.profile);
  const auto deploys = std::find_if(parts.begin(), parts.end(),
                                    [](const ProfilePart& part) { return part.cause == "deploys"; });
  ASSERT_NE(deploys, parts.end());
  ASSERT_TRUE(deploys->setting) << deploys->why_not;
  ASSERT_EQ(deploys->setting->scenario.faults.size(), 1u);
  const sim::FaultSetting& deploy = deploys->setting->scenario.faults.front();
  const sim::FaultSetting own = parsed(file).scenario.faults.back();
  EXPECT_EQ(deploy.parameters, own.parameters);
  ASSERT_TRUE(deploy.with_election);
  EXPECT_EQ(deploy.with_election->duration("lease_duration"), Duration::seconds(20));
}

TEST(Profiles, count_the_strikes_of_disturbances) {
  const TuneFile file = tune_file(
      "[[fault]]\nevery = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"2s\"\n"
      "[profile]\ndisturbances = \"60 a month\"\n");
  const std::vector<ProfilePart> parts = profile_parts(file, {}, *parsed(file).plans.profile);
  ASSERT_EQ(parts.size(), 2u);
  const ProfileMonth month = month_of(parts, {runs_of(parts[0]), runs_of(parts[1])});
  EXPECT_NEAR(seconds(month.causes[1].leaderless_ns.value), 120, 1);
}

}  // namespace
}  // namespace tenure::lab::profile_tests
