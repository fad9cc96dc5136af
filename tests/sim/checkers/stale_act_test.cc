// no-stale-act: to which leadership an act belongs.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

std::size_t stale_acts(const History& h) { return h.checker("no-stale-act").violation_count(); }

void acts(History& h, Incarnation who, Duration slot) {
  h.asks_for(who, slot);
  h.work_is_done(who, slot);
}

// n1 leads and asks for the work of 10s; n2 leads, and acts.
void is_overtaken(History& h) {
  h.at(seconds(10));
  h.believes(kN1, Open{});
  h.asks_for(kN1, seconds(10));
  h.steps_down(kN1);
  h.at(seconds(20));
  h.believes(kN2, Open{});
  acts(h, kN2, seconds(20));
}

// n2 leads no more, and n1 does.
void leads_again(History& h, Duration when) {
  h.steps_down(kN2);
  h.at(when);
  h.believes(kN1, Open{});
}

TEST(StaleAct, names_both_leaders_and_when_they_led) {
  History h{table_scenario()};
  is_overtaken(h);
  h.at(seconds(21));
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(stale_acts(h), 1U);
  EXPECT_EQ(h.first_message("no-stale-act"),
            "the work of billing 2026-01-01T00:00:10Z, which n1 had asked for as the leader since 10.000s, "
            "was taken at "
            "21.000s, after "
            "n2, which led from 20.000s on, had acted at 20.000s");
}

TEST(StaleAct, belongs_to_the_leadership_in_which_it_was_asked_for_and_not_to_a_later_one) {
  History h{table_scenario()};
  is_overtaken(h);
  leads_again(h, seconds(30));
  acts(h, kN1, seconds(30));
  EXPECT_EQ(stale_acts(h), 0U);
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(stale_acts(h), 1U);
}

TEST(StaleAct, is_none_when_the_leader_asks_for_it_again_in_a_later_leadership) {
  History h{table_scenario()};
  is_overtaken(h);
  leads_again(h, seconds(30));
  h.asks_for(kN1, seconds(10));
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(stale_acts(h), 0U);
}

TEST(StaleAct, is_seen_behind_acts_of_the_same_instance_in_a_later_leadership) {
  History h{table_scenario()};
  is_overtaken(h);
  h.steps_down(kN2);
  h.at(seconds(30));
  h.believes(kN3, Open{});
  h.steps_down(kN3);
  h.at(seconds(40));
  h.believes(kN1, Open{});
  acts(h, kN1, seconds(40));  // the newest that has acted is n1 itself
  h.at(seconds(41));
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(stale_acts(h), 1U);
}

TEST(StaleAct, of_one_leader_does_not_hide_that_of_another) {
  History h{table_scenario()};
  h.at(seconds(10));
  h.believes(kN1, Open{});
  h.asks_for(kN1, seconds(10));
  h.steps_down(kN1);
  h.at(seconds(20));
  h.believes(kN2, Open{});
  h.asks_for(kN2, seconds(20));
  leads_again(h, seconds(30));
  acts(h, kN1, seconds(30));
  EXPECT_EQ(stale_acts(h), 0U);
  h.work_is_done(kN1, seconds(10));  // its own, of before: nobody else has acted
  EXPECT_EQ(stale_acts(h), 0U);
  h.work_is_done(kN2, seconds(20));
  EXPECT_EQ(stale_acts(h), 1U);
}

TEST(StaleAct, is_none_before_the_next_leader_has_acted_and_none_that_is_refused) {
  History h{table_scenario()};
  h.at(seconds(10));
  h.believes(kN1, Open{});
  h.asks_for(kN1, seconds(0));
  h.asks_for(kN1, seconds(10));
  h.steps_down(kN1);
  h.at(seconds(20));
  h.believes(kN2, Open{});
  h.work_is_done(kN1, seconds(0));
  acts(h, kN2, seconds(20));
  h.lands(kN1, seconds(10), {}, DeliveryOutcome::duplicate);
  EXPECT_EQ(stale_acts(h), 0U);
  EXPECT_EQ(h.checker("no-stale-act").opportunities(), 1U);
}

TEST(StaleAct, of_a_life_before_is_one_as_well) {
  History h{table_scenario()};
  h.at(seconds(10));
  h.believes(kN1, Open{});
  h.asks_for(kN1, seconds(10));
  h.see(NodeDied{kN1, Death::killed});
  h.at(seconds(20));
  const Incarnation again{kN1.node, kN1.number + 1};
  h.believes(again, Open{});
  acts(h, again, seconds(20));
  h.work_is_done(kN1, seconds(10));
  EXPECT_EQ(stale_acts(h), 1U);
}

TEST(StaleAct, of_a_write_is_one_as_well) {
  History h{table_scenario()};
  const WriteItem write{kResource, 7, {}};
  h.at(seconds(10));
  h.believes(kN1, Open{});
  h.see(WriteAsked{kN1, write});
  h.steps_down(kN1);
  h.at(seconds(20));
  h.believes(kN2, Open{});
  h.see(WriteAsked{kN2, write});
  h.see(WriteLanded{kN2, write});
  h.see(WriteLanded{kN1, write});
  EXPECT_EQ(stale_acts(h), 1U);
}

}  // namespace
}  // namespace tenure::sim
