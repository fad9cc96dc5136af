// Whether commits go on when more is due than one of them can have.
#include "sim/checkers/trackers/fire_turns.h"

#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// A turn takes five answers of 1 s and a second; a quarter of a commit is 2 rows.
Scenario eight_workers() {
  Scenario scenario = reference_scenario();
  scenario.departure = Quantiles::constant(Duration::nanos(1));
  scenario.store.latency = Quantiles::constant({});
  scenario.network.latency = Quantiles::constant(millis(500));
  scenario.scheduling.set(scenario.scheduling.find("max_running"), 8);
  return scenario;
}

// Commits of so many rows, every so many seconds, in [from, to).
FireTurns commits(int rows, int apart, int from, int to) {
  FireTurns turns(eight_workers());
  for (int second = from; second < to; second += apart)
    for (int row = 0; row < rows; ++row) turns.covered(at_seconds(second));
  return turns;
}

constexpr Duration kLate = seconds(10);

TEST(FireTurns, what_waits_behind_full_commits_waits_in_its_turn) {
  EXPECT_TRUE(commits(8, 6, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
  EXPECT_TRUE(commits(2, 6, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
}

TEST(FireTurns, a_leader_that_stops_does_not_go_on) {
  EXPECT_TRUE(commits(8, 6, 1, 20).go_on(at_seconds(0), kLate, at_seconds(30)));
  EXPECT_FALSE(commits(8, 6, 1, 20).go_on(at_seconds(0), kLate, at_seconds(32)));
  EXPECT_FALSE(commits(8, 6, 1, 1).go_on(at_seconds(0), kLate, at_seconds(5)));
}

TEST(FireTurns, a_leader_whose_commits_are_nearly_empty_does_not_go_on) {
  EXPECT_FALSE(commits(1, 6, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
}

TEST(FireTurns, what_was_committed_before_it_was_due_does_not_count) {
  EXPECT_TRUE(commits(8, 6, 1, 50).go_on(at_seconds(48), kLate, at_seconds(60)));
  EXPECT_FALSE(commits(8, 6, 1, 50).go_on(at_seconds(49), kLate, at_seconds(60)));
}

}  // namespace
}  // namespace tenure::sim
