// What an exploration covers of a situation, and when it covers too little.
#include "lab/session/explored_whole.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

sim::Scenario with(const std::string& design) {
  return *make_case(situation(fault_of("pause", "duration = \"1s\"\n")), candidate(design)).scenario;
}

format::ExhaustiveSetting one_pause() {
  format::ExhaustiveSetting bounds;
  bounds.instances = 2;
  bounds.crashes = 0;
  bounds.losses = 0;
  bounds.delays = 0;
  bounds.acting = false;
  return bounds;
}

TEST(ExploredWhole, says_within_which_bounds_every_order_was_tried) {
  const std::string proof = explored_whole(with("fenced-lease"), one_pause(), {});
  EXPECT_TRUE(
      proof.starts_with("in every order: 2 instances; 0 crashes, 1 pause, 0 losses, 0 delays; within 40s: "))
      << proof;
}

TEST(ExploredWhole, is_nothing_where_two_can_lead) {
  EXPECT_EQ(explored_whole(with("client-go:15/10/2"), one_pause(), {}), "");
}

TEST(ExploredWhole, goes_on_for_three_of_the_designs_own_failover_times) {
  const std::string proof = explored_whole(with("fenced-lease"), one_pause(), Duration::seconds(20));
  EXPECT_NE(proof.find("within 60s"), std::string::npos) << proof;
}

// Another one leads 60 s after the first at the earliest.
TEST(ExploredWhole, is_none_where_nobody_could_have_led_after_the_first) {
  EXPECT_EQ(explored_whole(with("heartbeat-lock"), one_pause(), {}), "");
}

TEST(ExploredWhole, is_none_of_faults_and_clocks_that_are_not_explored) {
  sim::Scenario scenario = with("fenced-lease");
  scenario.faults.push_back(scenario.faults.front());
  EXPECT_EQ(explored_whole(scenario, one_pause(), {}), "") << "two pauses, and a budget of one";
  scenario.faults.back().action = "vm-pause";
  EXPECT_EQ(explored_whole(scenario, one_pause(), {}), "");
  scenario = with("fenced-lease");
  scenario.store.clock.rate_ppm = {0, 1};
  EXPECT_EQ(explored_whole(scenario, one_pause(), {}), "");
}

// An exploration without delays and losses knows of no answer that comes too late.
TEST(ExploredWhole, is_nothing_where_answers_come_late_by_themselves) {
  for (const char* rest : {"[network]\nlatency = \"5s\"\n", "[network]\nloss = 0.6\n",
                           "[store]\ncapacity = { concurrent = 1, queue = 0 }\n"}) {
    const sim::Scenario scenario =
        *make_case(situation(fault_of("pause", "duration = \"1s\"\n") + rest, "10m"),
                   candidate("fenced-lease"))
             .scenario;
    EXPECT_EQ(explored_whole(scenario, one_pause(), {}), "") << rest;
  }
}

TEST(ExploredWhole, is_none_where_there_are_more_states_than_it_may_spend) {
  format::ExhaustiveSetting bounds = one_pause();
  bounds.states = 100;
  EXPECT_EQ(explored_whole(with("fenced-lease"), bounds, {}), "");
}

TEST(ExploredWhole, is_none_of_what_cannot_be_explored) {
  EXPECT_EQ(explored_whole(with("token-ring"), one_pause(), {}), "");
}

}  // namespace
}  // namespace tenure::lab
