// What is kept of a failure, and what a replay says of it.
#include "lab/hunt/regression.h"

#include <gtest/gtest.h>

#include <string>

#include "format/print/print.h"
#include "format/syntax/diagnostic.h"
#include "lab/hunt/simplify_definition.h"
#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

using State = Replayed::State;

TEST(Failure, is_the_same_when_only_names_and_numbers_differ) {
  const Failure one{
      "no-duplicate-fire", "billing 2026-01-01T00:01:00Z was executed twice: n2 at 1m15.214s", {}};
  const Failure other{
      "no-duplicate-fire", "billing 2026-01-01T00:09:00Z was executed twice: n1 at 9m0.1s", {}};
  const Failure late{"no-duplicate-fire", "billing 2026-01-01T00:09:00Z was executed late: n1 at 9m0.1s", {}};
  EXPECT_TRUE(one.same_as(other));
  EXPECT_FALSE(one.same_as(late));
  EXPECT_FALSE(one.same_as({"no-lost-fire", one.message, {}}));
  EXPECT_EQ(shape_of("n1  led at 3s twice"), "#  led at # twice");
}

TEST(Failure, of_a_run_is_its_first_demanded_violation) {
  const std::string pause =
      "[[fault]]\non = \"leadership-checked\"\nnth = 2\naction = \"pause\"\ntarget = \"leader\"\nduration = "
      "\"40s\"\n";
  EXPECT_FALSE(failure_of(sim::run(sim::parsed(sim::small(pause)), 1)));
  const auto failure = failure_of(sim::run(
      sim::parsed(sim::small(pause + "[expect]\nalways = [\"one-believer\"]\n", "client-go", "none")), 1));
  // Nobody checks leadership without a scheduler: it never strikes.
  EXPECT_FALSE(failure);
}

TEST(Failure, of_each_checker_that_failed_the_earliest_first) {
  const std::string pause =
      "[[fault]]\nat = \"31s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"40s\"\n";
  const sim::RunResult result = sim::run(
      sim::parsed(sim::small(pause + "[work]\nduration = \"2s\"\n[expect]\nalways = [\"acts-within-belief\", "
                                     "\"one-believer\", \"one-worker\"]\n",
                             "client-go", "ticker")),
      1);
  const std::vector<Failure> failures = failures_of(result);
  ASSERT_GE(failures.size(), 2U);
  for (std::size_t i = 1; i < failures.size(); ++i) {
    EXPECT_LE(failures[i - 1].at, failures[i].at);
    EXPECT_NE(failures[i - 1].checker, failures[i].checker);
  }
  EXPECT_EQ(failure_of(result)->message, failures.front().message);
  EXPECT_EQ(find_same(failures, failures.back()), &failures.back());
  EXPECT_EQ(find_same(failures, {"no-drift", failures.back().message, {}}), nullptr);
}

TEST(Failure, of_the_checker_that_is_asked_for_is_told_whatever_failed_first) {
  const sim::Scenario scenario = sim::parsed(
      sim::small("[[fault]]\nat = \"31s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"40s\"\n"
                 "[work]\nduration = \"2s\"\n[expect]\nalways = [\"acts-within-belief\", \"one-believer\", "
                 "\"one-worker\"]\n",
                 "client-go", "ticker"));
  const std::vector<Failure> failures = failures_of(sim::run(scenario, 1));
  ASSERT_GE(failures.size(), 2U);
  EXPECT_EQ(sim::run(scenario, 1).story->checker, failures.front().checker);
  EXPECT_EQ(sim::run(scenario, 1, {.tell = failures.back().checker}).story->checker, failures.back().checker);
  EXPECT_EQ(sim::run(scenario, 1, {.tell = "no-drift"}).story->checker, failures.front().checker)
      << "which did not fail";
}

format::ScenarioFile kept_of(const sim::Scenario& failing, const std::string& checker) {
  const sim::RunResult result = sim::run(failing, *failing.seed);
  return as_regression(failing, {checker, "it failed", {}}, &result,
                       {"own/test.toml", *failing.seed, "0.1.0"});
}

TEST(Regression, demands_the_checker_that_failed) {
  sim::Scenario failing =
      as_hunted(sim::file_of(sim::small("[hunt]\n[expect]\nalways = [\"no-drift\"]\n"))).scenario;
  failing.seed = 7;
  const sim::Scenario always = kept_of(failing, "no-lost-fire").scenario;
  EXPECT_EQ(*always.expect.always, (std::vector<std::string>{"no-drift", "no-lost-fire"}));
  EXPECT_FALSE(always.expect.eventually) << "which demands all of them";
  EXPECT_EQ(*kept_of(failing, "no-drift").scenario.expect.always, std::vector<std::string>{"no-drift"});
  failing.expect.eventually = {"leader-elected"};
  EXPECT_EQ(*kept_of(failing, "caught-up").scenario.expect.eventually,
            (std::vector<std::string>{"leader-elected", "caught-up"}));
  failing.expect.always.reset();
  failing.expect.believer_overlap_max = Duration::seconds(2);
  const sim::Scenario allowed = kept_of(failing, "one-believer").scenario;
  EXPECT_FALSE(allowed.expect.always) << "the allowance demands it, and a file that says both is none";
  EXPECT_FALSE(kept_of(failing, std::string(format::kBrokenInvariant)).scenario.expect.always);
}

TEST(Regression, has_nothing_of_what_the_file_plans_besides_hunts) {
  sim::Scenario failing =
      as_hunted(sim::file_of(sim::small(
                    "[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"
                    "[hunt]\n[exhaustive]\n[profile]\ncrashes = \"1 a month\"\n[tune]\nobjectives = "
                    "[\"failover_seconds.p99\"]\n[tune.election]\nlease_duration = [\"10s\", \"20s\"]\n")))
          .scenario;
  failing.seed = 7;
  const std::string text = format::print_scenario(kept_of(failing, "no-lost-fire"));
  EXPECT_NE(text.find("[regression]"), std::string::npos);
  for (const std::string_view table : {"[hunt]", "[exhaustive]", "[tune", "[profile]"})
    EXPECT_EQ(text.find(table), std::string::npos) << table << "\n" << text;
}

TEST(Regression, that_is_shrunk_again_keeps_its_name_and_its_origin) {
  sim::Scenario failing = as_hunted(sim::file_of(sim::small(""))).scenario;
  failing.seed = 7;
  const format::ScenarioFile kept = kept_of(failing, "no-lost-fire");
  EXPECT_EQ(kept.scenario.name, "test-no-lost-fire-7");
  const sim::RunResult result = sim::run(kept.scenario, 7);
  const format::ScenarioFile again = as_regression(kept.scenario, {"no-lost-fire", "", {}}, &result,
                                                   {"regressions/x.toml", 7, "0.1.0", kept.plans.regression});
  EXPECT_EQ(again.scenario.name, kept.scenario.name);
  EXPECT_EQ(again.plans.regression->origin, "own/test.toml seed 7");
  EXPECT_EQ(origin_path(*again.plans.regression), "own/test.toml");
}

TEST(Regression, holds_no_fault_that_did_not_strike) {
  sim::Scenario failing =
      as_hunted(sim::file_of(sim::small(
                    "[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"
                    "[[fault]]\non = \"leads\"\nnth = 999999\naction = \"kill\"\ntarget = \"leader\"\n")))
          .scenario;
  failing.seed = 7;
  const sim::Scenario struck = without_idle_faults(failing, sim::run(failing, 7));
  ASSERT_EQ(struck.faults.size(), 1U);
  EXPECT_EQ(struck.faults.front().id, failing.faults.front().id);
}

TEST(Regression, says_what_failed_where_it_is_from_and_what_to_reach) {
  sim::Scenario failing =
      as_hunted(sim::file_of(sim::small(
                    "[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n")))
          .scenario;
  failing.seed = 7;
  const sim::RunResult result = sim::run(failing, 7);
  const Failure failure{"no-lost-fire", "job is \"lost\"\nfor ever", {}};
  const format::ScenarioFile kept = as_regression(failing, failure, &result, {"own/test.toml", 7, "0.1.0"});
  const format::ParseResult again = format::parse_scenario("kept.toml", format::print_scenario(kept));
  ASSERT_TRUE(again.scenario) << again.diagnostics.front().message;
  const format::RegressionNote& note = *again.plans.regression;
  EXPECT_EQ(note.checker, "no-lost-fire");
  EXPECT_EQ(shape_of(note.message), shape_of(format::printable(failure.message, 400)));
  EXPECT_EQ(note.origin, "own/test.toml seed 7");
  EXPECT_EQ(note.trace_hash, trace_hash_text(result.trace_hash));
  const auto& reached = again.scenario->expect.sometimes;
  EXPECT_EQ(std::count(reached.begin(), reached.end(), "failover"), 1);
  EXPECT_EQ(std::count(reached.begin(), reached.end(), "edit-applied"), 0);
}

// Runs that reach what they were kept for from seed `reaches` on, and fail from seed `fails` on.
Replayed replayed(std::uint64_t reaches, std::uint64_t fails) {
  format::ScenarioFile kept = sim::file_of(sim::small(""));
  kept.scenario.seed = 100;
  kept.plans.regression = format::RegressionNote{"no-lost-fire", "job 1 is lost", {}, {}, {}, {}};
  return replay(kept, [&](std::uint64_t seed) {
    SeedRun outcome;
    outcome.run.emplace();
    sim::CheckResult check;
    check.name = "failover";
    check.kind = sim::CheckResult::Kind::sometimes;
    check.opportunities = seed >= reaches ? 1 : 0;
    outcome.run->checks.push_back(check);
    if (seed >= fails) outcome.failures = {{"no-lost-fire", "job 2 is lost", {}}};
    return outcome;
  });
}

TEST(Replay, tells_a_pass_from_what_only_looks_like_one) {
  EXPECT_EQ(replayed(100, 1'000).state, State::passed);
  EXPECT_EQ(replayed(100, 100).state, State::still_fails);
  EXPECT_TRUE(replayed(100, 100).same_failure);
  EXPECT_EQ(replayed(1'000, 1'000).state, State::stale);
  EXPECT_EQ(replayed(1'000, 1'000).missing, "failover");
  EXPECT_EQ(replayed(103, 1'000).state, State::moved);
  EXPECT_EQ(replayed(103, 1'000).seed, 103u);
  EXPECT_EQ(replayed(103, 120).state, State::neighbour_fails);
  EXPECT_EQ(replayed(103, 120).seed, 120u);
}

SeedRun run_of(const sim::Scenario& scenario, std::uint64_t seed) {
  SeedRun outcome;
  outcome.run = sim::run(scenario, seed, {.story = false});
  outcome.failures = failures_of(*outcome.run);
  return outcome;
}

Replayed replayed(const format::ScenarioFile& kept) {
  return replay(kept, [&](std::uint64_t seed) { return run_of(kept.scenario, seed); });
}

// The claims do not cover it, or do not any more; but it still does what it was kept for.
TEST(Replay, fails_while_the_checker_it_was_kept_for_has_violations_demanded_or_not) {
  format::ScenarioFile kept = sim::file_of(
      sim::small("[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"40s\"\n",
                 "client-go", "none"));
  kept.scenario.seed = 1;
  ASSERT_FALSE(failure_of(sim::run(kept.scenario, 1))) << "nothing demands it";
  kept.plans.regression = format::RegressionNote{"one-believer", "", {}, {}, {}, {}};
  EXPECT_EQ(replayed(kept).state, State::still_fails);
  EXPECT_EQ(replayed(kept).failure->checker, "one-believer");
  kept.plans.regression->checker = "leader-elected";
  EXPECT_EQ(replayed(kept).state, State::passed);
}

TEST(Replay, is_stale_when_its_checker_cannot_look) {
  format::ScenarioFile kept = sim::file_of(sim::small(""));
  kept.scenario.seed = 1;
  kept.plans.regression = format::RegressionNote{"items-run-once", "", {}, {}, {}, {}};
  EXPECT_EQ(replayed(kept).state, State::stale);
  EXPECT_EQ(replayed(kept).missing.find("items-run-once, which looks at nothing here: "), 0U);
}

TEST(Replay, is_stale_when_a_fault_of_the_file_never_strikes) {
  format::ScenarioFile kept = sim::file_of(
      sim::small("[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"
                 "[[fault]]\non = \"leads\"\nnth = 999999\naction = \"pause\"\ntarget = \"leader\"\n"
                 "duration = \"5s\"\n[expect]\nsometimes = [\"fire\"]\n"));
  kept.scenario.seed = 1;
  kept.plans.regression = format::RegressionNote{std::string(format::kBrokenInvariant), "", {}, {}, {}, {}};
  const Replayed found = replayed(kept);
  EXPECT_EQ(found.state, State::stale);
  EXPECT_EQ(found.missing.find("fault 2 (pause), because `leads` happened "), 0U) << found.missing;
  EXPECT_TRUE(found.missing.ends_with(" of 999999 times")) << found.missing;
  kept.scenario.faults.pop_back();
  EXPECT_EQ(replayed(kept).state, State::passed);
}

TEST(Round, lengths_go_up_to_two_digits_at_most) {
  EXPECT_EQ(round_up(Duration::millis(16'201)), Duration::seconds(17));
  EXPECT_EQ(round_up(Duration::seconds(101)), Duration::seconds(110));
  EXPECT_EQ(round_up(Duration::minutes(11)), Duration::minutes(11));
  EXPECT_EQ(round_up(Duration::millis(350)), Duration::millis(400));
}

TEST(Round, rounder_lengths_are_shorter_and_the_roundest_is_first) {
  const std::vector<Duration> lengths = rounder(Duration::millis(83'210));
  ASSERT_GE(lengths.size(), 4u);
  EXPECT_EQ(lengths[0], Duration::minutes(1));
  EXPECT_EQ(lengths[1], Duration::seconds(80));
  EXPECT_EQ(lengths[2], Duration::seconds(83));
  for (const Duration length : lengths) EXPECT_LT(length, Duration::millis(83'210));
  EXPECT_TRUE(rounder(Duration{}).empty());
}

}  // namespace
}  // namespace tenure::lab
