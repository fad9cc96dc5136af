// Whether commits go on when more is due than one of them can have.
#include "sim/checkers/trackers/fire_turns.h"

#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// A turn takes five answers of 1 s; a commit of four of eight rows is full.
Scenario eight_workers() {
  Scenario scenario = reference_scenario();
  scenario.departure = Quantiles::constant(Duration::nanos(1));
  scenario.store.latency = Quantiles::constant({});
  scenario.network.latency = Quantiles::constant(millis(500));
  scenario.scheduling.set(scenario.scheduling.find("max_running"), 8);
  return scenario;
}

// Commits of so many rows, every so many seconds, in [from, to), while so many workers are at work.
FireTurns commits(int rows, int apart, int from, int to, int at_work = 0) {
  FireTurns turns(eight_workers());
  for (int second = from; second < to; second += apart)
    turns.committed(at_seconds(second), rows, rows, at_work);
  return turns;
}

constexpr Duration kLate = seconds(10);

TEST(FireTurns, what_waits_behind_full_commits_waits_in_its_turn) {
  EXPECT_TRUE(commits(8, 5, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
  EXPECT_TRUE(commits(4, 5, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
}

TEST(FireTurns, a_commit_has_no_more_rows_than_free_workers) {
  EXPECT_TRUE(commits(1, 5, 1, 100, 6).go_on(at_seconds(0), kLate, at_seconds(100)));
  EXPECT_FALSE(commits(1, 5, 1, 100, 5).go_on(at_seconds(0), kLate, at_seconds(100)));
}

TEST(FireTurns, a_leader_that_stops_does_not_go_on) {
  EXPECT_TRUE(commits(8, 5, 1, 20).go_on(at_seconds(0), kLate, at_seconds(28)));
  EXPECT_FALSE(commits(8, 5, 1, 20).go_on(at_seconds(0), kLate, at_seconds(31)));
  EXPECT_FALSE(commits(8, 5, 1, 1).go_on(at_seconds(0), kLate, at_seconds(5)));
}

TEST(FireTurns, a_leader_that_leaves_room_in_its_commits_does_not_go_on) {
  EXPECT_FALSE(commits(3, 5, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
  EXPECT_FALSE(commits(3, 1, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
}

TEST(FireTurns, a_leader_that_commits_more_rarely_than_it_could_does_not_go_on) {
  EXPECT_FALSE(commits(8, 8, 1, 100).go_on(at_seconds(0), kLate, at_seconds(100)));
}

TEST(FireTurns, what_was_committed_before_it_was_due_does_not_count) {
  EXPECT_TRUE(commits(8, 5, 1, 50).go_on(at_seconds(45), kLate, at_seconds(58)));
  EXPECT_FALSE(commits(8, 5, 1, 50).go_on(at_seconds(46), kLate, at_seconds(57)));
}

}  // namespace
}  // namespace tenure::sim
