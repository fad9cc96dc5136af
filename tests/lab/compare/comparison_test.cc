// What an engineer who must choose reads first.
#include "lab/compare/comparison.h"

#include <gtest/gtest.h>

#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

const Situation& nothing() {
  static const Situation situation_ = situation("");
  return situation_;
}

// Situations: 0 crash, 1 deploy, 2 quiet. Columns: those, and the crowded one.
Comparison of(std::vector<Candidate> candidates) {
  Comparison comparison(
      std::move(candidates), {nothing(), nothing(), nothing()},
      {{.situation = 0}, {.situation = 1}, {.situation = 2}, {.situation = 2, .crowded = true}},
      {.crash = 0, .deploy = 1, .quiet = 2, .calm = 2});
  for (std::size_t i = 0; i < comparison.candidates().size(); ++i)
    for (std::size_t column = 0; column < 4; ++column) comparison.at(i, column).cell.emplace(false);
  return comparison;
}

void add(Comparison& comparison, std::size_t candidate, std::size_t column, sim::Damage damage,
         std::int64_t much) {
  CaseNumbers run;
  run.seed = 1;
  run.damages[static_cast<std::size_t>(damage)] = much;
  comparison.at(candidate, column).cell->add(run);
}

void add_failover(Comparison& comparison, std::size_t candidate, Duration length) {
  CaseNumbers run;
  run.failovers = {length};
  comparison.at(candidate, 0).cell->add(run);
}

TEST(Comparison, counts_false_failovers_of_the_calm_situation_by_the_month) {
  Comparison comparison = of({candidate("db-lease"), candidate("client-go"), candidate("token-ring")});
  CaseNumbers run;
  run.simulated = Duration::hours(36);
  for (const std::size_t column : {0U, 1U, 2U, 3U}) {
    run.false_failovers = column == 2 ? 1 : 100;  // of others nobody asks
    comparison.at(0, column).cell->add(run);
    comparison.at(0, column).cell->add(run);
    run.false_failovers = column == 2 ? 0 : 100;
    comparison.at(1, column).cell->add(run);
  }
  // Two in three days; and none in a day and a half, so that there may be three.
  const auto seen = comparison.summary(0).false_failovers;
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->micro, 20'000'000);
  EXPECT_FALSE(seen->at_most);
  const auto none = comparison.summary(1).false_failovers;
  ASSERT_TRUE(none);
  EXPECT_EQ(none->micro, 60'000'000);
  EXPECT_TRUE(none->at_most);
  EXPECT_NEAR(static_cast<double>(*seen->estimate.high), 7.23 * 10e9, 1) << "of two, 7.23";
  EXPECT_FALSE(none->estimate.low) << "one run";
  EXPECT_FALSE(comparison.summary(2).false_failovers) << "nothing was run";
}

TEST(Comparison, says_nothing_of_false_failovers_where_nobody_ever_led) {
  Comparison comparison = of({candidate("db-lease")});
  CaseNumbers run;
  run.simulated = Duration::hours(36);
  run.damages[static_cast<std::size_t>(sim::Damage::never_led)] = 1;
  comparison.at(0, 2).cell->add(run);
  EXPECT_FALSE(comparison.summary(0).false_failovers);
}

TEST(Comparison, takes_two_leaders_for_harmless_only_where_old_tokens_are_refused) {
  Comparison comparison = of({candidate("fenced-lease"), candidate("db-lease")});
  for (const std::size_t i : {0U, 1U}) add(comparison, i, 1, sim::Damage::two_lead, 5);
  EXPECT_EQ(comparison.summary(0).two_lead, Duration::nanos(5));
  EXPECT_EQ(comparison.summary(0).two_lead_fenced, Duration::nanos(5)) << "nobody has looked at its tokens";
  CaseNumbers looked;
  looked.tokens_examined = true;
  for (const std::size_t i : {0U, 1U}) comparison.at(i, 3).cell->add(looked);
  EXPECT_EQ(comparison.summary(0).two_lead_fenced, Duration{});
  EXPECT_EQ(comparison.summary(1).two_lead_fenced, Duration::nanos(5)) << "it has no tokens";
  add(comparison, 0, 2, sim::Damage::stale_writes, 1);
  EXPECT_EQ(comparison.summary(0).two_lead_fenced, Duration::nanos(5)) << "one was taken";
}

TEST(Comparison, names_where_nobody_led_in_the_end_or_ever) {
  Comparison comparison = of({candidate("db-lease")});
  add(comparison, 0, 0, sim::Damage::nobody_at_end, 1);
  add(comparison, 0, 2, sim::Damage::never_led, 1);
  EXPECT_EQ(comparison.summary(0).stuck_after, (std::vector<std::size_t>{0, 2}));
}

TEST(Comparison, gives_no_p99_of_fewer_than_a_hundred_failovers) {
  Comparison comparison = of({candidate("db-lease")});
  for (int i = 1; i <= 99; ++i) add_failover(comparison, 0, Duration::seconds(i));
  EXPECT_EQ(comparison.summary(0).failover_p50->value, Duration::seconds(50).ns());
  EXPECT_FALSE(comparison.summary(0).failover_p99);
  add_failover(comparison, 0, Duration::seconds(100));
  const Estimate p99 = comparison.summary(0).failover_p99.value();
  EXPECT_EQ(p99.value, Duration::seconds(99).ns());
  EXPECT_EQ(p99.low, Duration::seconds(98).ns());
  EXPECT_FALSE(p99.high) << "too few samples above";
}

TEST(Comparison, counts_a_failover_and_a_deploy_until_the_leader_is_of_use) {
  Comparison comparison = of({candidate("db-lease")});
  CaseNumbers run;
  run.failovers = {Duration::seconds(5)};
  run.leaderless = Duration::seconds(6);
  run.warmup = Duration::seconds(20);
  run.warming = Duration::seconds(40);
  for (const std::size_t column : {0U, 1U}) comparison.at(0, column).cell->add(run);
  EXPECT_EQ(comparison.summary(0).failover_p50->value, Duration::seconds(25).ns());
  EXPECT_EQ(comparison.summary(0).deploy->value, Duration::seconds(46).ns());
  EXPECT_FALSE(comparison.summary(0).deploy->low) << "one run";
  EXPECT_EQ(comparison.own_time(0), Duration::seconds(5)) << "what a situation is stretched to";
}

TEST(Comparison, knows_no_own_time_of_a_design_that_nobody_takes_over_in) {
  EXPECT_FALSE(of({candidate("db-lease")}).own_time(0));
}

TEST(Comparison, names_the_claims_that_broke_that_of_one_leader_first) {
  Comparison comparison = of({candidate("db-lease")});
  CaseNumbers run;
  run.seed = 6;
  run.broken = {"no-drift"};
  comparison.at(0, 1).cell->add(run);
  EXPECT_FALSE(comparison.summary(0).two_led_against_promise());
  run.seed = 7;
  run.broken = {"no-drift", "one-believer"};
  comparison.at(0, 2).cell->add(run);
  const auto broken = comparison.summary(0).broken;
  ASSERT_EQ(broken.size(), 2U);
  EXPECT_TRUE(comparison.summary(0).two_led_against_promise());
  EXPECT_EQ(broken[0].checker, "one-believer");
  EXPECT_EQ(broken[0].column, 2U);
  EXPECT_EQ(broken[0].seed, 7U);
  EXPECT_EQ(broken[1].column, 1U);
  EXPECT_EQ(broken[1].seed, 6U);
}

TEST(Comparison, counts_the_runs_in_which_one_leader_was_promised) {
  Comparison comparison = of({candidate("db-lease")});
  CaseNumbers run;
  comparison.at(0, 1).cell->add(run);
  EXPECT_EQ(comparison.summary(0).promised, 0U);
  run.promised = true;
  comparison.at(0, 1).cell->add(run);
  comparison.at(0, 2).cell->add(run);
  EXPECT_EQ(comparison.summary(0).promised, 2U);
}

TEST(Comparison, counts_what_the_store_is_asked_only_where_there_is_one) {
  Comparison comparison = of({candidate("token-ring"), candidate("db-lease")});
  EXPECT_FALSE(comparison.summary(0).requests);
  EXPECT_TRUE(comparison.summary(1).requests);
}

// A pause of 20 s: client-go outlasts L - R of it, and fenced-lease any.
TEST(Comparison, goes_by_theory_where_it_is_about_all_that_happens) {
  const auto why = [](const std::string& faults, std::string_view design) {
    return why_two_never_lead(*make_case(situation(faults, "5m"), candidate(design)).scenario);
  };
  const std::string pause = fault_of("pause", "duration = \"20s\"\n");
  EXPECT_EQ(why(pause, "fenced-lease").substr(0, 3), "T1:");
  EXPECT_EQ(why(pause, "client-go:60/40/5").substr(0, 24), "pauses of up to 55.001s;");
  EXPECT_EQ(why(pause, "client-go:15/10/2"), "");
  EXPECT_NE(why(pause + pause, "client-go:60/40/5"), "");
  EXPECT_EQ(why(pause + pause + pause, "client-go:60/40/5"), "") << "they may overlap";
  EXPECT_EQ(why(pause + pause + pause, "fenced-lease").substr(0, 3), "T1:");
  EXPECT_EQ(why(pause, "token-ring"), "");
  EXPECT_EQ(why("", "fenced-lease"), "");
  EXPECT_EQ(why(fault_of("vm-pause", "duration = \"20s\"\n"), "fenced-lease"), "");
  EXPECT_EQ(why(pause + fault_of("store-hang", "duration = \"20s\"\n", ""), "fenced-lease"), "");
  EXPECT_EQ(why(pause + "[store]\nclock = { rate_ppm = \"-9000..9000\" }\n", "fenced-lease"), "");
}

TEST(Comparison, knows_how_much_of_what_is_assumed_away_theory_allows) {
  const auto bounds = [](std::string_view design) {
    return bounds_by_theory(*make_case(nothing(), candidate(design)).scenario);
  };
  EXPECT_EQ(bounds("client-go:60/40/5").front(), "pauses of up to 55.001s");
  EXPECT_EQ(bounds("fenced-lease").front(), "any pause");
  EXPECT_NE(bounds("fenced-lease").back().find("clock rates off by up to "), std::string::npos);
  EXPECT_TRUE(bounds("token-ring").empty());
}

TEST(Comparison, puts_first_what_costs_least_if_it_goes_wrong) {
  Comparison comparison = of({candidate("client-go"), candidate("db-lease"), candidate("heartbeat-lock"),
                              candidate("fenced-lease")});
  add(comparison, 0, 1, sim::Damage::two_lead, 9);
  add(comparison, 1, 1, sim::Damage::two_lead, 5);
  add(comparison, 2, 1, sim::Damage::nobody_at_end, 1);
  add(comparison, 3, 1, sim::Damage::two_lead, 50);
  CaseNumbers looked;
  looked.tokens_examined = true;
  comparison.at(3, 1).cell->add(looked);
  // A fence stops the fourth one's second leader; the third one needs a human; the others have two leaders.
  EXPECT_EQ(comparison.order(), (std::vector<std::size_t>{3, 2, 1, 0}));
}

}  // namespace
}  // namespace tenure::lab
