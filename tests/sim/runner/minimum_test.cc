// What keeps a run from being a pass although nothing that is demanded is amiss: two led, nobody did, or a fault never
// struck, and the file does not say what to make of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "format/print/print.h"
#include "sim/runner/judge.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim::minimum_tests {
namespace {

const std::string kPause =
    "[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"20s\"\n";

RunResult run_of(const std::string& more, std::string_view protocol = "client-go",
                 std::string_view scheduler = "none", std::uint64_t seed = 1) {
  return run(parsed(small(more, protocol, scheduler)), seed, {.story = false});
}

const CheckResult* find(const RunResult& result, std::string_view name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == name; });
  return found == result.checks.end() ? nullptr : &*found;
}

std::string unasked_of(const RunResult& result) {
  std::string text;
  for (const CheckResult& check : result.checks) text += check.unasked;
  return text;
}

TEST(Minimum, two_leaders_that_nobody_asked_about_are_no_pass) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RunResult result = run_of(kPause, "client-go", "none", seed);
    ASSERT_GT(result.metrics.believer_overlap, Duration{});
    EXPECT_EQ(result.verdict, Verdict::inconclusive) << seed;
    EXPECT_TRUE(unasked_of(result).starts_with("two led for ")) << unasked_of(result);
    EXPECT_FALSE(find(result, "one-believer")->demanded);
  }
}

// To list other checkers says nothing of two leaders.
TEST(Minimum, two_leaders_are_a_pass_where_the_file_says_what_to_make_of_them) {
  const std::string frozen =
      "[[fault]]\nat = \"30s\"\naction = \"vm-pause\"\ntarget = \"leader\"\nduration = \"40s\"\n"
      "[expect]\nalways = [\"epochs-increase\"]\n";
  EXPECT_EQ(run_of(frozen, "fenced-lease").verdict, Verdict::inconclusive);
  EXPECT_EQ(run_of(frozen + "believer_overlap = \"report\"\n", "fenced-lease").verdict, Verdict::pass);
  EXPECT_EQ(run_of(kPause + "[expect]\nalways = []\n").verdict, Verdict::inconclusive);
  for (const std::string expect :
       {"[expect]\nbeliever_overlap = \"report\"\n", "[expect]\nbeliever_overlap = \"1m\"\n",
        "[expect]\nsometimes = [\"believer-overlap\"]\n",
        "[thresholds]\nbeliever_overlap_seconds = \"max < 60\"\n",
        "[thresholds]\nacting_overlap_seconds = \"max < 60\"\n", "[expect]\nfails = \"one-believer\"\n"})
    EXPECT_EQ(run_of(kPause + expect).verdict, Verdict::pass) << expect;
  for (const std::string expect :
       {"[expect]\nalways = [\"one-believer\"]\n", "[expect]\nbeliever_overlap = \"forbidden\"\n"})
    EXPECT_EQ(run_of(kPause + expect).verdict, Verdict::fail) << expect;
}

TEST(Minimum, of_two_leaders_one_of_whom_stands_still_is_told_apart) {
  const RunResult result = run_of(kPause);
  EXPECT_GT(result.metrics.acting_overlap, Duration{});
  EXPECT_LT(result.metrics.acting_overlap, result.metrics.believer_overlap);
}

// The settings themselves make it impossible, so no claim is broken.
TEST(Minimum, nobody_ever_leading_is_never_a_pass) {
  const std::string slow = "[store]\nlatency = \"7s\"\n";
  for (const std::string expect :
       {"", "[expect]\neventually = []\n", "[expect]\nbeliever_overlap = \"report\"\n",
        "[expect]\nalways = []\neventually = []\nbeliever_overlap = \"report\"\n"}) {
    const RunResult result = run_of(slow + expect);
    EXPECT_EQ(result.verdict, Verdict::inconclusive) << expect;
    EXPECT_EQ(unasked_of(result), "nobody ever led") << expect;
  }
  EXPECT_EQ(run_of(slow + "[expect]\nfails = \"leader-elected\"\n").verdict, Verdict::pass);
}

TEST(Minimum, doubled_fires_that_nobody_asked_about_are_no_pass) {
  const std::string killed =
      "[work]\nduration = \"2s\"\n[[fault]]\non = \"executed\"\nnth = 3\nafter = \"1s\"\naction = \"kill\"\n"
      "target = \"leader\"\nduration = \"20s\"\n";
  const RunResult result = run_of(killed, "db-lease", "ticker");
  ASSERT_GT(find(result, "no-duplicate-fire")->violation_count, 0u);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(unasked_of(result), "fires were doubled, once");
  EXPECT_EQ(run_of(killed + "[expect]\nalways = []\n", "db-lease", "ticker").verdict, Verdict::pass);
}

TEST(Minimum, a_fault_that_never_struck_is_no_pass) {
  const std::string never = "[[fault]]\non = \"steps-down\"\naction = \"restart\"\ntarget = \"leader\"\n";
  const RunResult result = run_of(never);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  ASSERT_NE(find(result, "fault 1 (restart)"), nullptr);
  EXPECT_EQ(find(result, "fault 1 (restart)")->kind, CheckResult::Kind::fault);
  EXPECT_EQ(run_of(never + "optional = true\n").verdict, Verdict::pass);
  // One of two.
  const std::string kill =
      "[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n";
  const RunResult half = run_of(kill + never);
  EXPECT_EQ(half.verdict, Verdict::inconclusive);
  EXPECT_EQ(find(half, "fault 1 (kill)"), nullptr);
  EXPECT_NE(find(half, "fault 2 (restart)"), nullptr);
}

TEST(Minimum, a_fault_that_was_skipped_or_whose_time_never_came_did_not_strike) {
  const std::string down =
      "[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"all\"\nduration = \"30s\"\n";
  const std::string vain =
      "[[fault]]\nat = \"20s\"\naction = \"pause\"\ntarget = \"n1\"\nduration = \"1s\"\n";
  EXPECT_EQ(run_of(down + vain).verdict, Verdict::inconclusive);
  const std::string rare =
      "[[fault]]\nevery = \"1h\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n";
  const RunResult result = run_of(rare);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(find(result, "fault 1 (kill)")->detail, "never struck: its time never came");
}

TEST(Minimum, one_strike_in_one_run_is_enough_for_a_batch) {
  const Scenario scenario = parsed(small(kPause, "client-go", "none"));
  FaultRun struck;
  struck.entry = 1;
  FaultRun skipped = struck;
  skipped.skipped = "its target matched nobody";
  FaultTally tally;
  EXPECT_EQ(tally.judge(scenario).size(), 1u);
  tally.add({skipped});
  ASSERT_EQ(tally.judge(scenario).size(), 1u);
  EXPECT_EQ(tally.judge(scenario).front().detail, "never struck: its target matched nobody");
  tally.add({skipped, struck});
  EXPECT_TRUE(tally.judge(scenario).empty());
}

// ---- strikes at each event, and times that are drawn ---------------------------------------------------------

TEST(FaultsAtEachEvent, strike_every_time_and_are_drawn_each_time) {
  const std::string each =
      "[[fault]]\non = \"leads\"\nnth = \"all\"\nafter = \"5s\"\naction = \"kill\"\ntarget = \"leader\"\n"
      "duration = \"1s..20s\"\n[expect]\nbeliever_overlap = \"report\"\n";
  const Scenario scenario = parsed(small(each, "client-go", "none"));
  const RunResult result = run(scenario, 1);
  ASSERT_GT(result.faults.size(), 2u);
  EXPECT_EQ(name_of(result.faults.at(1)), "fault 1, strike 2");
  EXPECT_NE(result.faults.at(0).id, result.faults.at(1).id);
  EXPECT_NE(result.faults.at(0).duration, result.faults.at(1).duration);
  for (const FaultRun& fault : result.faults) {
    if (!fault.duration) continue;
    EXPECT_GE(*fault.duration, Duration::seconds(1));
    EXPECT_LE(*fault.duration, Duration::seconds(20));
  }
  // What is printed is the same run.
  const format::ParseResult again = format::parse_scenario("again.toml", format::print_scenario(scenario));
  ASSERT_TRUE(again.scenario);
  EXPECT_EQ(run(*again.scenario, 1).trace_hash, result.trace_hash);
}

// What a strike breaks excuses what comes after it, as of any other fault.
TEST(FaultsAtEachEvent, break_what_their_action_breaks) {
  const RunResult result = run_of(
      "[[fault]]\non = \"leads\"\nnth = \"all\"\nafter = \"5s\"\naction = \"pause\"\ntarget = \"leader\"\n"
      "duration = \"20s\"\n");
  ASSERT_GT(find(result, "one-believer")->violation_count, 0u);
  EXPECT_FALSE(find(result, "one-believer")->demanded) << find(result, "one-believer")->detail;
}

TEST(Faults, at_a_range_of_times_strike_at_one_that_is_drawn) {
  const std::string text =
      "[[fault]]\nat = \"20s..40s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n";
  std::set<Duration> times;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RunResult result = run_of(text, "fenced-lease", "none", seed);
    const Duration at = result.faults.front().at - TrueTime{};
    EXPECT_GE(at, Duration::seconds(20));
    EXPECT_LE(at, Duration::seconds(40));
    times.insert(at);
  }
  EXPECT_EQ(times.size(), 5u);
}

TEST(Faults, every_range_of_gaps_come_within_it) {
  const RunResult result =
      run_of("[[fault]]\nevery = \"10s..12s\"\naction = \"kill\"\ntarget = \"one\"\nduration = \"1s\"\n",
             "fenced-lease");
  ASSERT_GT(result.faults.size(), 5u);
  for (std::size_t i = 1; i < result.faults.size(); ++i) {
    const Duration gap = result.faults[i].at - result.faults[i - 1].at - Duration::seconds(1);
    EXPECT_GE(gap, Duration::seconds(10));
    EXPECT_LE(gap, Duration::seconds(12));
  }
}

TEST(Faults, say_shares_as_the_file_does) {
  const RunResult result =
      run_of("[[fault]]\nat = \"20s\"\naction = \"loss\"\ntarget = \"all\"\nrate = 0.1\nduration = \"5s\"\n",
             "fenced-lease");
  EXPECT_NE(result.faults.front().detail.find("rate=0.1"), std::string::npos) << result.faults.front().detail;
}

TEST(Thresholds, that_fail_do_not_read_as_if_they_held) {
  const RunResult result =
      run_of("[thresholds]\nstore_requests = [\"mean < 5\", \"mean > 5\"]\n", "fenced-lease");
  std::vector<std::string> details;
  for (const CheckResult& check : result.checks)
    if (check.kind == CheckResult::Kind::threshold) details.push_back(check.detail);
  ASSERT_EQ(details.size(), 2u);
  EXPECT_NE(details[0].find(", not < 5"), std::string::npos) << details[0];
  EXPECT_EQ(details[1].find("not"), std::string::npos) << details[1];
}

}  // namespace
}  // namespace tenure::sim::minimum_tests
