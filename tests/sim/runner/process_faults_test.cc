// Faults of processes that overlap: a process runs if and only if nobody holds it down, and a fault that changed
// nothing is reported as skipped.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/runner/support.h"

namespace tenure::sim::process_faults_tests {
namespace {

TrueTime at(std::int64_t seconds) { return TrueTime{} + Duration::seconds(seconds); }

std::string fault(int second, const std::string& action, const std::string& target, const std::string& more) {
  std::string text = "[[fault]]\nat = \"" + std::to_string(second) + "s\"\naction = \"" + action + "\"\n";
  if (!target.empty()) text += "target = \"" + target + "\"\n";
  return text + more + "\n";
}
std::string kill(int second, int seconds, const std::string& target = "n1") {
  return fault(second, "kill", target, "duration = \"" + std::to_string(seconds) + "s\"");
}
std::string pause(int second, int seconds, const std::string& target = "n1") {
  return fault(second, "pause", target, "duration = \"" + std::to_string(seconds) + "s\"");
}

// When each process was started, and what became of the faults.
struct Lives : Observer {
  explicit Lives(const std::string& more) { result = run(parsed(small(more)), 1, {.trace = this}); }
  void see(TrueTime now, const Record& record) override {
    if (const auto* life = std::get_if<NodeStarted>(&record)) {
      if (starts.size() <= life->who.node.value) starts.resize(life->who.node.value + 1);
      starts[life->who.node.value].push_back(now);
    }
    if (std::holds_alternative<NodeResumed>(record)) resumes.push_back(now);
  }
  // The starts of n1 after its first.
  std::vector<TrueTime> again() const { return {starts[0].begin() + 1, starts[0].end()}; }

  std::vector<std::vector<TrueTime>> starts;  // by node
  std::vector<TrueTime> resumes;
  RunResult result;
};

TEST(ProcessFaults, the_end_of_one_kill_starts_no_process_that_another_still_holds_down) {
  const Lives lives(kill(30, 10) + kill(35, 20));
  EXPECT_EQ(lives.again(), std::vector{at(55)});
  for (const FaultRun& ran : lives.result.faults) EXPECT_EQ(ran.skipped, "");
}

TEST(ProcessFaults, a_restart_within_a_kill_starts_nothing) {
  const Lives lives(kill(30, 20) + fault(35, "restart", "n1", "down = \"1s\""));
  EXPECT_EQ(lives.again(), std::vector{at(50)});
  EXPECT_EQ(lives.result.faults[1].skipped, "its target is down already");
}

TEST(ProcessFaults, a_restart_outlasts_the_kill_that_it_struck_in) {
  const Lives lives(kill(30, 10) + fault(35, "restart", "n1", "down = \"15s\""));
  EXPECT_EQ(lives.again(), std::vector{at(50)});
  EXPECT_EQ(lives.result.faults[1].skipped, "");
}

TEST(ProcessFaults, a_stop_holds_down_what_a_kill_lets_go) {
  const Lives lives(kill(30, 10) + fault(35, "stop", "n1", "duration = \"20s\""));
  EXPECT_EQ(lives.again(), std::vector{at(55)});
}

TEST(ProcessFaults, a_kill_holds_down_what_a_stop_lets_go) {
  const Lives lives(fault(30, "stop", "n1", "duration = \"5s\"") + kill(31, 20));
  EXPECT_EQ(lives.again(), std::vector{at(51)});
}

TEST(ProcessFaults, a_deploy_passes_by_what_a_kill_holds_down) {
  const Lives lives(kill(30, 50) + fault(35, "rolling-restart", "", "gap = \"5s\""));
  EXPECT_EQ(lives.again(), std::vector{at(80)});
  EXPECT_EQ(lives.starts[1].size(), 2U);
  EXPECT_EQ(lives.starts[2].size(), 2U);
}

TEST(ProcessFaults, a_kill_within_a_longer_one_is_reported_as_skipped) {
  const Lives lives(kill(30, 30) + kill(35, 5));
  EXPECT_EQ(lives.again(), std::vector{at(60)});
  ASSERT_EQ(lives.result.faults.size(), 2U);
  EXPECT_EQ(lives.result.faults[0].skipped, "");
  EXPECT_EQ(lives.result.faults[1].skipped, "its target is down already");
}

TEST(ProcessFaults, a_pause_of_a_dead_process_is_reported_as_skipped) {
  const Lives lives(kill(30, 30) + pause(35, 40));
  EXPECT_EQ(lives.result.faults[1].skipped, "its target is not running");
  EXPECT_EQ(lives.resumes, std::vector<TrueTime>{});
}

TEST(ProcessFaults, a_pause_within_a_longer_one_is_reported_as_skipped) {
  const Lives lives(pause(30, 30) + pause(35, 5) + pause(40, 30));
  EXPECT_EQ(lives.resumes, std::vector{at(70)});
  EXPECT_EQ(lives.result.faults[1].skipped, "its target already stands still");
  EXPECT_EQ(lives.result.faults[2].skipped, "");
}

TEST(ProcessFaults, of_several_targets_those_that_are_changed_are_named) {
  const Lives lives(kill(30, 30) + pause(35, 5, "all"));
  EXPECT_EQ(lives.result.faults[1].target, "n2 n3");
}

TEST(ProcessFaults, a_kill_before_the_first_start_holds_it_back) {
  const Lives lives(kill(0, 30));
  EXPECT_EQ(lives.starts[0], std::vector{at(30)});
  EXPECT_EQ(lives.result.faults[0].skipped, "");
}

TEST(ProcessFaults, a_kill_that_is_over_before_the_first_start_is_reported_as_skipped) {
  const Lives lives(fault(0, "kill", "n1", "duration = \"1us\""));
  EXPECT_EQ(lives.starts[0].size(), 1U);
  EXPECT_GT(lives.starts[0].front(), TrueTime{} + Duration::micros(1));
  EXPECT_EQ(lives.result.faults[0].skipped, "its target is down already");
}

// Targets are drawn before the run: a plan is literal, and nobody knows then who will be running.
TEST(ProcessFaults, a_fault_that_was_drawn_onto_a_dead_process_is_reported_as_skipped) {
  const Lives lives(fault(2, "kill", "n1", "") +
                    "[[fault]]\nevery = \"3s\"\naction = \"pause\"\ntarget = \"one\"\nduration = \"1s\"\n");
  int skipped = 0;
  int struck = 0;
  for (const FaultRun& ran : lives.result.faults) {
    if (ran.action != "pause") continue;
    ++(ran.skipped.empty() ? struck : skipped);
    EXPECT_NE(ran.target, "n1");
    if (ran.skipped.empty()) continue;
    EXPECT_EQ(ran.skipped, "its target is not running");
  }
  EXPECT_GT(skipped, 5);
  EXPECT_GT(struck, 10);
}

// The fault phase lasts two minutes.
TEST(ProcessFaults, the_heal_lets_go_of_what_anybody_holds_down) {
  const Lives lives(fault(30, "kill", "n1", "") + kill(40, 100) +
                    fault(50, "restart", "n2", "down = \"10m\"") + fault(60, "stop", "n3", ""));
  for (const auto& starts : lives.starts) {
    ASSERT_EQ(starts.size(), 2U);
    EXPECT_EQ(starts.back(), at(120));
  }
}

}  // namespace
}  // namespace tenure::sim::process_faults_tests
