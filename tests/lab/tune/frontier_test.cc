// Bisection, against a line whose answer is known, and against the simulator.
#include "lab/tune/frontier.h"

#include <gtest/gtest.h>

#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

format::TuneFrontier asked(std::int64_t low, std::int64_t high, std::int64_t resolution) {
  format::TuneFrontier frontier;
  frontier.against = "fault.1.duration";
  frontier.type = format::TuneType::number;
  frontier.span = {low, high};
  frontier.resolution = resolution;
  frontier.checkers = {"a", "b"};
  frontier.seeds = 1;
  return frontier;
}

// Checker a fails from `a` on, b from `b` on; both with seed 7. The number of tries.
std::size_t search(Frontier& frontier, std::int64_t a, std::int64_t b, std::int64_t none_below = INT64_MIN,
                   std::int64_t unknown_from = INT64_MAX) {
  std::size_t tries = 0;
  for (auto round = frontier.next_round(); !round.empty(); round = frontier.next_round())
    for (const FrontierTry& what : round) {
      ++tries;
      if (what.value < none_below) {
        frontier.take_none(what, "not a setting");
        continue;
      }
      RunNumbers run{.seed = 7, .values = {}, .leaderless_by_cause = {}, .broken = {}};
      if (what.value >= a) run.broken.emplace_back("a");
      if (what.value >= b) run.broken.emplace_back("b");
      if (what.value >= unknown_from) run.inconclusive.emplace_back("x", "x did not happen");
      frontier.take(what, {}, {run});
    }
  return tries;
}

TEST(Bisection, finds_where_each_checker_starts_to_fail) {
  Frontier frontier(asked(0, 1'000, 10));
  const std::size_t tries = search(frontier, 337, 812);
  EXPECT_LE(tries, 2u + 2 * 7);
  const std::vector<FrontierCell> cells = frontier.cells();
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].safe, 330);
  EXPECT_EQ(cells[0].unsafe, 340);
  EXPECT_EQ(cells[0].seed, 7u);
  EXPECT_EQ(cells[1].safe, 810);
  EXPECT_EQ(cells[1].unsafe, 820);
}

TEST(Bisection, looks_between_two_safe_ends) {
  Frontier frontier(asked(0, 1'000, 10));
  std::size_t tries = 0;
  const auto fails = [](std::int64_t value) { return value >= 480 && value < 520; };
  for (auto round = frontier.next_round(); !round.empty(); round = frontier.next_round())
    for (const FrontierTry& what : round) {
      ++tries;
      RunNumbers run{.seed = 7, .values = {}, .leaderless_by_cause = {}, .broken = {}};
      if (fails(what.value)) run.broken.emplace_back("a");
      frontier.take(what, {}, {run});
    }
  const std::vector<FrontierCell> cells = frontier.cells();
  EXPECT_EQ(cells[0].safe, 470);
  EXPECT_EQ(cells[0].unsafe, 480);
  EXPECT_TRUE(cells[0].broken_order);
  EXPECT_FALSE(cells[1].unsafe);
  EXPECT_EQ(cells[1].tried, tries);
}

TEST(Bisection, says_when_all_is_safe_or_nothing_is) {
  Frontier frontier(asked(0, 1'000, 10));
  EXPECT_EQ(search(frontier, 5'000, 0), 9u);
  const std::vector<FrontierCell> cells = frontier.cells();
  EXPECT_EQ(cells[0].safe, 1'000);
  EXPECT_FALSE(cells[0].unsafe);
  EXPECT_FALSE(cells[1].safe);
  EXPECT_EQ(cells[1].unsafe, 0);
}

TEST(Bisection, begins_where_there_is_a_setting) {
  Frontier frontier(asked(0, 1'000, 10));
  search(frontier, 337, 5'000, 1);
  const std::vector<FrontierCell> cells = frontier.cells();
  EXPECT_EQ(cells[0].safe, 330);
  EXPECT_EQ(cells[0].unsafe, 340);
  EXPECT_EQ(cells[1].safe, 1'000);
  EXPECT_EQ(frontier.why_none(), "not a setting");
}

TEST(Bisection, ends_where_nobody_knows) {
  Frontier frontier(asked(0, 1'000, 10));
  search(frontier, 337, 5'000, INT64_MIN, 600);
  const std::vector<FrontierCell> cells = frontier.cells();
  EXPECT_EQ(cells[0].unsafe, 340) << "what fails is known";
  EXPECT_EQ(cells[0].unknown, "");
  EXPECT_EQ(cells[1].safe, 590);
  EXPECT_EQ(cells[1].unsafe, 600);
  EXPECT_EQ(cells[1].seed, 0u);
  EXPECT_EQ(cells[1].unknown, "x did not happen in 1 of 1 runs");
}

TEST(Bisection, of_all_that_is_demanded_names_what_fails) {
  format::TuneFrontier all = asked(0, 1'000, 10);
  all.checkers.clear();
  Frontier frontier(all);
  search(frontier, 5'000, 337);
  ASSERT_EQ(frontier.cells().size(), 1u);
  EXPECT_EQ(frontier.cells().front().safe, 330);
  EXPECT_EQ(frontier.cells().front().checker, "b");
}

TEST(Bisection, takes_a_row_for_each_value_and_writes_what_is_asked) {
  format::TuneFrontier frontier = asked(0, 100, 10);
  frontier.write = "-{}..{}";
  frontier.parameter = format::TuneParameter{};
  frontier.parameter->key = "election.lease_duration";
  frontier.parameter->values = {5'000'000'000, 8'000'000'000};
  const Frontier made(frontier);
  EXPECT_EQ(made.rows(), 2u);
  const std::vector<format::Override> overrides = made.overrides_of({1, 30});
  ASSERT_EQ(overrides.size(), 2u);
  EXPECT_EQ(overrides[0].value, "8s");
  EXPECT_EQ(overrides[1].value, "-30..30");
}

}  // namespace
}  // namespace tenure::lab
