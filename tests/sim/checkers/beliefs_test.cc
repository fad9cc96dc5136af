// Belief in true time: where it begins and ends, and what clocks do to it.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

constexpr NodeId kNode1{0};
constexpr NodeId kNode2{1};

WallTime wall_at(Duration since_start) { return WallTime::from_ns(kStartNs) + since_start; }

// How many there are once time has gone on.
std::uint64_t overlaps(History& h) {
  h.at(h.now() - TrueTime{} + Duration::nanos(1));
  h.see(ClockChanged{NodeId{2}});
  return h.checker("one-believer").violation_count();
}

TEST(OneBeliever, lets_a_belief_begin_in_the_instant_in_which_another_ends) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes_for(kN1, seconds(10));
  h.at(seconds(11));
  h.believes_for(kN2, seconds(10));
  EXPECT_EQ(overlaps(h), 0u);
  EXPECT_EQ(h.checker("one-believer").opportunities(), 2u);
}

// What noted first that it began, and what noted first that it ended, is chance.
TEST(OneBeliever, lets_a_belief_be_given_up_in_the_instant_in_which_another_begins) {
  for (const bool dies : {false, true}) {
    for (const Duration later : {Duration{}, Duration::nanos(1)}) {
      History h{election_scenario()};
      h.at(seconds(1));
      h.believes_for(kN1, seconds(10));
      h.at(seconds(5));
      h.believes_for(kN2, seconds(10));
      h.at(seconds(5) + later);
      if (dies)
        h.see(NodeDied{kN1, Death::killed});
      else
        h.steps_down(kN1);
      EXPECT_EQ(overlaps(h), later > Duration{} ? 1u : 0u);
    }
  }
}

// A third one that gives up in that instant ends the overlaps that it has part in, and no other.
TEST(OneBeliever, counts_the_overlap_of_two_in_the_instant_in_which_a_third_gives_up) {
  History h{election_scenario()};
  h.at(seconds(1));
  const Incarnation third{NodeId{2}, 1};
  h.believes(kN1, Open{});
  h.believes(third, Open{});
  h.at(seconds(2));
  h.steps_down(third);
  const std::uint64_t before = overlaps(h);
  h.at(seconds(3));
  h.believes(third, Open{});
  h.believes(kN2, Open{});
  h.steps_down(third);
  EXPECT_EQ(overlaps(h), before + 1) << "of the first two";
}

TEST(OneBeliever, names_who_stays_on_first_and_says_for_how_long) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes_for(kN1, seconds(10));
  h.at(millis(10'900));
  h.believes_for(kN2, seconds(10));
  ASSERT_EQ(overlaps(h), 1u);
  const Violation& violation = *h.checker("one-believer").violations().begin();
  EXPECT_EQ(violation.at, TrueTime{} + millis(10'900));
  EXPECT_EQ(violation.who, (std::vector<Incarnation>{kN1, kN2}));
  EXPECT_EQ(
      violation.message,
      "n2 began to believe that it leads at 10.900s, while n1 still did, since 1.000s: for up to 100ms");
}

// A paused leader whose lease has run out does not overlap with its successor, though it has not said so yet.
TEST(OneBeliever, ends_a_belief_at_its_declared_end_and_not_at_the_note) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes_for(kN1, seconds(10));
  h.see(NodePaused{kN1});
  h.at(seconds(12));
  h.believes_for(kN2, seconds(10));
  h.at(seconds(14));
  h.see(NodeResumed{kN1});
  h.steps_down(kN1);
  EXPECT_EQ(overlaps(h), 0u);
}

TEST(OneBeliever, ends_a_belief_with_the_death_of_its_incarnation_only) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, Open{});
  h.at(seconds(2));
  h.see(NodeDied{kN1, Death::killed});
  h.see(NodeStarted{{kNode1, 2}});
  h.at(seconds(3));
  h.believes(kN2, Open{});
  EXPECT_EQ(overlaps(h), 0u);
  h.see(NodeDied{kN1, Death::killed});
  h.believes({kNode1, 2}, Open{});
  EXPECT_EQ(overlaps(h), 1u);
}

TEST(OneBeliever, takes_a_note_of_what_is_over_for_no_belief) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, Open{});
  h.believes_for(kN2, Duration{});
  h.believes_for(kN2, seconds(-1));
  EXPECT_EQ(overlaps(h), 0u);
  h.believes_for(kN1, Duration{});  // a later note can also end one
  h.at(seconds(2));
  h.believes(kN2, Open{});
  EXPECT_EQ(overlaps(h), 0u);
}

TEST(OneBeliever, takes_a_later_note_for_an_extension_and_not_for_another_belief) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes_for(kN1, seconds(10));
  h.at(seconds(9));
  h.believes_for(kN1, seconds(10));
  EXPECT_EQ(h.checker("one-believer").opportunities(), 1u);
  h.at(seconds(12));
  h.believes_for(kN2, seconds(10));
  EXPECT_EQ(overlaps(h), 1u);
}

TEST(OneBeliever, maps_a_belief_on_the_wall_clock_again_when_that_clock_is_stepped) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, wall_at(seconds(10)));
  h.at(seconds(5));
  h.view.wall_ahead[kNode1] = seconds(-10);  // it will read 10s only at 20s
  h.see(ClockChanged{kNode1});
  h.at(seconds(15));
  h.believes_for(kN2, seconds(10));
  EXPECT_EQ(overlaps(h), 1u);
}

TEST(OneBeliever, lets_a_step_forward_end_a_belief_at_once) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, wall_at(seconds(10)));
  h.at(seconds(5));
  h.view.wall_ahead[kNode1] = seconds(10);
  h.see(ClockChanged{kNode1});
  h.believes_for(kN2, seconds(10));
  EXPECT_EQ(overlaps(h), 0u);
}

TEST(OneBeliever, finds_a_belief_that_a_step_back_brings_to_life_again) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, wall_at(seconds(10)));
  h.at(seconds(12));
  h.believes_for(kN2, seconds(30));
  EXPECT_EQ(overlaps(h), 0u);
  h.at(seconds(13));
  h.view.wall_ahead[kNode1] = seconds(-20);
  h.see(ClockChanged{kNode1});
  EXPECT_EQ(overlaps(h), 1u);
}

TEST(OneBeliever, keeps_a_belief_that_was_given_up_dead_whatever_the_clock_does) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, wall_at(seconds(10)));
  h.at(seconds(2));
  h.steps_down(kN1);
  h.believes_for(kN2, seconds(30));
  h.at(seconds(3));
  h.view.wall_ahead[kNode1] = seconds(-20);
  h.see(ClockChanged{kNode1});
  EXPECT_EQ(overlaps(h), 0u);
}

TEST(OneBeliever, is_not_moved_by_another_nodes_clock) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes_for(kN1, seconds(10));
  h.view.mono_ahead[kNode2] = seconds(-100);
  h.see(ClockChanged{kNode2});
  h.at(seconds(12));
  h.believes(kN2, Open{});
  EXPECT_EQ(overlaps(h), 0u);
}

// To declare short and act long does not help: what the belief no longer covers is seen as an act outside it.
TEST(ActsWithinBelief, holds_a_node_to_the_short_end_that_it_declared) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.granted(kN1, token(1));
  h.believes_for(kN1, seconds(1), token(1));
  h.at(millis(2'100));
  h.believes_for(kN2, millis(100), token(1));
  h.at(millis(2'500));
  h.asks_for(kN1, {}, token(1));
  ASSERT_EQ(h.checker("acts-within-belief").violation_count(), 1u);
  EXPECT_EQ(
      h.first_message("acts-within-belief"),
      "n1 asked for the work of billing 2026-01-01T00:00:00Z at 2.500s, when its belief had ended at 2.000s");
}

TEST(ActsWithinBelief, looks_at_the_moment_of_the_step_and_not_at_the_landing) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.leads(kN1, token(1));
  h.at(seconds(2));
  h.asks_for(kN1, {}, token(1));
  h.at(seconds(30));
  h.work_is_done(kN1, {}, token(1));
  EXPECT_EQ(h.checker("acts-within-belief").violation_count(), 0u);
  EXPECT_EQ(h.checker("acts-within-belief").opportunities(), 1u);
}

TEST(ActsWithinBelief, leaves_requests_alone_that_need_no_leadership) {
  History h{reference_scenario()};
  h.submits(kN1, reference::Request{reference::ReadDue{kResource, store_at({}), 10, {}}}, false);
  EXPECT_EQ(h.checker("acts-within-belief").opportunities(), 0u);
  h.submits(kN1, reference::Request{reference::ReadDue{kResource, store_at({}), 10, {}}}, true);
  EXPECT_EQ(h.first_message("acts-within-belief"),
            "n1 submitted a leader's request at 0.000s, before it had believed to lead");
}

// A clock step stays when the fault phase ends (it would be a second fault to take it back), and so does what it
// did to beliefs.
TEST(LeaderElected, judges_the_end_of_the_tail_on_the_clocks_as_they_then_are) {
  History h{election_scenario()};
  h.at(seconds(50));
  h.believes(kN1, wall_at(seconds(130)));
  h.view.wall_ahead[kNode1] = seconds(20);
  h.see(ClockChanged{kNode1});
  h.at(seconds(60));
  h.heals();
  h.finishes();
  EXPECT_EQ(h.first_message("leader-elected"),
            "nobody leads at the end: the last to was n1, until 1m50.000s");
}

TEST(LeaderElected, wants_a_node_that_runs) {
  History h{election_scenario()};
  h.at(seconds(50));
  h.believes(kN1, Open{});
  h.at(seconds(60));
  h.heals();
  h.at(seconds(90));
  h.see(NodePaused{kN1});
  h.finishes();
  EXPECT_EQ(h.checker("leader-elected").violation_count(), 1u);
}

TEST(LeaderElected, does_not_take_the_pause_of_an_earlier_life_for_this_ones) {
  History h{election_scenario()};
  h.at(seconds(50));
  h.see(NodePaused{kN1});
  h.see(NodeDied{kN1, Death::killed});
  h.see(NodeStarted{{kNode1, 2}});
  h.believes({kNode1, 2}, Open{});
  h.at(seconds(60));
  h.heals();
  h.finishes();
  EXPECT_EQ(h.checker("leader-elected").violation_count(), 0u);
}

TEST(LeaderElected, lets_leadership_be_on_its_way_for_a_second) {
  for (const bool soon : {true, false}) {
    History h{ring_scenario()};
    h.at(seconds(60));
    h.heals();
    h.believes(kN1, Open{}, token(1));
    h.at(soon ? millis(119'200) : millis(118'900));
    h.steps_down(kN1);
    h.finishes();
    EXPECT_EQ(h.checker("leader-elected").violation_count(), soon ? 0u : 1u);
  }
}

TEST(LeaderElected, has_nothing_to_say_of_a_run_that_was_never_healed) {
  History h{election_scenario()};
  h.finishes();
  EXPECT_EQ(h.checker("leader-elected").opportunities(), 0u);
}

}  // namespace
}  // namespace tenure::sim
