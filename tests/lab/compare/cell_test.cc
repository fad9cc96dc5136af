// What many runs of a design in a situation say together.
#include "lab/compare/cell.h"

#include <gtest/gtest.h>

#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

CaseNumbers run_with(std::uint64_t seed, sim::Damage damage, std::int64_t much, std::uint64_t strikes = 1) {
  CaseNumbers run;
  run.seed = seed;
  run.damages[static_cast<std::size_t>(damage)] = much;
  run.checkers[static_cast<std::size_t>(damage)] = "a-checker";
  run.strikes = strikes;
  run.simulated = Duration::seconds(3'600);
  return run;
}

TEST(Cell, keeps_the_worst_run_of_each_damage_and_the_gravest_first) {
  Cell cell(true);
  cell.add(run_with(1, sim::Damage::lost_fires, 3));
  cell.add(run_with(2, sim::Damage::two_lead, 5));
  cell.add(run_with(3, sim::Damage::two_lead, 9));
  cell.add(run_with(4, sim::Damage::two_lead, 9));
  const std::vector<Cell::Seen> damages = cell.damages();
  ASSERT_EQ(damages.size(), 2U);
  EXPECT_EQ(damages[0].damage, sim::Damage::two_lead);
  EXPECT_EQ(damages[0].runs, 3U);
  EXPECT_EQ(damages[0].most, 9);
  EXPECT_EQ(damages[0].seed, 3U);
  EXPECT_EQ(damages[0].checker, "a-checker");
  EXPECT_EQ(damages[1].damage, sim::Damage::lost_fires);
}

TEST(Cell, has_not_tested_anything_in_a_good_run_whose_fault_never_struck) {
  Cell cell(true);
  cell.add(run_with(1, sim::Damage::lost_fires, 0, 0));
  CaseNumbers one_of_two = run_with(2, sim::Damage::lost_fires, 0);
  one_of_two.all_struck = false;
  cell.add(one_of_two);
  EXPECT_EQ(cell.runs(), 2U);
  EXPECT_EQ(cell.tested(), 0U);
  Cell quiet(false);
  quiet.add(run_with(1, sim::Damage::lost_fires, 0, 0));
  EXPECT_EQ(quiet.tested(), 1U);
}

TEST(Cell, forgets_nothing_that_went_wrong_in_a_run_one_of_whose_faults_never_struck) {
  Cell cell(true);
  CaseNumbers run = run_with(1, sim::Damage::two_lead, 3);
  run.all_struck = false;
  cell.add(run);
  EXPECT_EQ(cell.tested(), 1U);
  EXPECT_EQ(cell.seen(sim::Damage::two_lead)->most, 3);
}

TEST(Cell, says_that_only_unread_clocks_were_moved_if_it_was_so_in_each_run) {
  Cell cell(true);
  EXPECT_EQ(cell.moved_unread_clock(), "");
  CaseNumbers run = run_with(1, sim::Damage::two_lead, 0);
  run.moved_unread_clock = "clock-step";
  cell.add(run);
  EXPECT_EQ(cell.moved_unread_clock(), "clock-step");
  cell.add(run_with(2, sim::Damage::two_lead, 0));
  EXPECT_EQ(cell.moved_unread_clock(), "");
}

TEST(Cell, keeps_why_a_fault_did_not_strike_and_why_a_program_failed) {
  Cell cell(true);
  EXPECT_FALSE(cell.error());
  for (const std::uint64_t seed : {4U, 5U}) {
    CaseNumbers run = run_with(seed, sim::Damage::design_error, 1);
    run.error = "an error of " + std::to_string(seed);
    run.not_struck = "pause: its target matched nobody";
    cell.add(run);
  }
  EXPECT_EQ(cell.error()->what, "an error of 4");
  EXPECT_EQ(cell.error()->seed, 4U);
  EXPECT_EQ(cell.not_struck(), "pause: its target matched nobody");
}

TEST(Cell, shows_as_much_as_its_worst_run_if_it_is_half_as_bad) {
  const Cell::Seen worst{.damage = sim::Damage::two_lead, .runs = 3, .most = 100, .seed = 1};
  EXPECT_TRUE(shows_as_much(run_with(1, sim::Damage::two_lead, 50), worst));
  EXPECT_FALSE(shows_as_much(run_with(1, sim::Damage::two_lead, 49), worst));
  EXPECT_FALSE(shows_as_much(run_with(1, sim::Damage::lost_fires, 100), worst));
}

// Nobody leads, so the fault of the leader finds nobody: that is no excuse.
TEST(Cell, counts_a_design_that_fails_by_itself) {
  for (const sim::Damage damage : {sim::Damage::never_led, sim::Damage::design_error}) {
    Cell cell(true);
    cell.add(run_with(1, damage, 1, 0));
    EXPECT_EQ(cell.tested(), 1U);
    EXPECT_TRUE(cell.seen(damage));
  }
}

TEST(Cell, counts_requests_in_an_hour) {
  Cell cell(false);
  for (const std::uint64_t requests : {100U, 201U}) {
    CaseNumbers run;
    run.simulated = Duration::seconds(1'800);
    run.store_requests = requests;
    cell.add(run);
  }
  EXPECT_EQ(cell.requests_per_hour().value, 301'000'000'000);
  // 200 and 402: two runs, with Student's t of one degree of freedom.
  EXPECT_NEAR(static_cast<double>(*cell.requests_per_hour().high) / 1e9, 301 + 12.706 * 101, 1);
}

CaseNumbers numbers(const Situation& situation, std::string_view design, std::uint64_t seed = 1) {
  const sim::Scenario scenario = make_case(situation, candidate(design)).scenario.value();
  return numbers_of_case(scenario, run(scenario, seed, {.trace = nullptr, .story = false}));
}

std::int64_t much_of(const CaseNumbers& run, sim::Damage damage) {
  return run.damages[static_cast<std::size_t>(damage)];
}

TEST(CaseNumbers, say_for_how_long_two_led_while_neither_stood_still) {
  // It wakes up after 20 s, and polls on for at most 10 s.
  const CaseNumbers run = numbers(situation(fault_of("pause", "duration = \"20s\"\n")), "client-go:15/10/2");
  EXPECT_GT(much_of(run, sim::Damage::two_lead), 0);
  EXPECT_LT(much_of(run, sim::Damage::two_lead), Duration::seconds(12).ns());
  EXPECT_EQ(run.strikes, 1U);
  EXPECT_FALSE(run.promised);  // it assumes that nobody pauses
  EXPECT_TRUE(run.broken.empty());
}

TEST(CaseNumbers, say_why_a_fault_struck_nobody) {
  const std::string never =
      "[[fault]]\non = \"executed\"\nnth = 3\naction = \"pause\"\n"
      "target = \"leader\"\nduration = \"1s\"\n";
  EXPECT_NE(numbers(situation(never), "client-go").not_struck.find("pause: "), std::string::npos);
  EXPECT_EQ(numbers(situation(never), "db-lease+ticker").not_struck, "");
}

TEST(CaseNumbers, say_whether_a_clock_was_moved_that_nobody_reads) {
  const Situation stepped = situation(fault_of("clock-step", "by = \"-10s\"\n"));
  EXPECT_EQ(numbers(stepped, "fenced-lease").moved_unread_clock, "clock-step");
  EXPECT_EQ(numbers(stepped, "db-lease").moved_unread_clock, "");
  EXPECT_EQ(numbers(stepped, "fenced-lease+in-memory").moved_unread_clock, "") << "its scheduler reads it";
  const Situation and_paused =
      situation(fault_of("clock-step", "by = \"-10s\"\n") + fault_of("pause", "duration = \"1s\"\n"));
  EXPECT_EQ(numbers(and_paused, "fenced-lease").moved_unread_clock, "");
}

TEST(CaseNumbers, say_which_setting_takes_a_claim_out_of_force) {
  EXPECT_EQ(numbers(situation(""), "token-ring").beside_claim, "");
  EXPECT_NE(
      numbers(situation("[network]\nloss = 0.01\n"), "token-ring").beside_claim.find("loss in [network]"),
      std::string::npos);
  const Situation paused = situation(fault_of("pause", "duration = \"20s\"\n"));
  EXPECT_EQ(numbers(paused, "client-go").beside_claim, "") << "that was a fault";
}

TEST(CaseNumbers, have_the_time_in_which_a_new_leader_is_of_no_use_yet) {
  const Situation crash = situation(fault_of("kill", "duration = \"30s\"\n"));
  const CaseNumbers cold = numbers(crash, "db-lease:warmup=7s");
  EXPECT_EQ(cold.warmup, Duration::seconds(7));
  EXPECT_EQ(cold.warming, Duration::seconds(7)) << "that of the first leader is its start";
  EXPECT_EQ(numbers(crash, "db-lease").warming, Duration{});
}

TEST(CaseNumbers, of_a_leader_that_stands_still_beside_another_one_say_nothing) {
  const CaseNumbers run =
      numbers(situation(fault_of("pause", "duration = \"20s\"\n")), "fenced-lease+fenced-outbox");
  for (std::size_t i = 0; i < sim::kDamages; ++i) EXPECT_EQ(run.damages[i], 0) << i;
}

TEST(CaseNumbers, have_the_failover_and_the_time_without_a_leader) {
  const CaseNumbers run = numbers(situation(fault_of("kill", "duration = \"30s\"\n")), "db-lease");
  ASSERT_EQ(run.failovers.size(), 1U);
  EXPECT_EQ(run.leaderless, run.failovers.front());
  EXPECT_GT(run.store_requests, 0U);
}

TEST(CaseNumbers, say_that_nobody_ever_led_and_nothing_else_of_the_end) {
  const CaseNumbers run = numbers(situation("[[fault]]\nat = \"0s\"\naction = \"store-down\"\n"), "db-lease");
  EXPECT_EQ(much_of(run, sim::Damage::never_led), 0) << "it is healed in the end";
  const Situation slow = situation("[store]\nlatency = \"1h\"\n");
  const CaseNumbers never = numbers(slow, "db-lease");
  EXPECT_EQ(much_of(never, sim::Damage::never_led), 1);
  EXPECT_EQ(much_of(never, sim::Damage::nobody_at_end), 0);
}

TEST(CaseNumbers, know_whether_each_fault_struck_that_is_not_optional) {
  const std::string never =
      "[[fault]]\non = \"leads\"\nnth = 99\naction = \"store-failover\"\nlag = \"2s\"\n";
  const std::string kill = fault_of("kill", "duration = \"30s\"\n");
  EXPECT_TRUE(numbers(situation(kill, "2m"), "db-lease").all_struck);
  EXPECT_FALSE(numbers(situation(kill + never, "2m"), "db-lease").all_struck);
  EXPECT_TRUE(numbers(situation(kill + never + "optional = true\n", "2m"), "db-lease").all_struck);
}

}  // namespace
}  // namespace tenure::lab
