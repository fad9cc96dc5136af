// A paused schedule's slots are written down without a worker, but behind fires that wait for one.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// One worker, busy from the slot `last` to the end; billing is paused at 21s, and no row says what became of it then.
std::set<std::string> judged_when_the_last_fire_is(Duration last) {
  Scenario scenario = reference_scenario();
  scenario.scheduling.set(scenario.scheduling.find("max_running"), 1);
  History h(scenario);
  h.leads_and_fires({}, last);
  h.at(last + millis(200));
  h.covers(kN1, token(1), History::fired_row(last));
  h.asks_for(kN1, last, token(1));
  h.lands(kN1, last, token(1));
  h.at(seconds(21));
  h.puts(kBilling, 2, every(seconds(10), Misfire::Policy::fire_all, true));
  h.at(seconds(60));
  h.heals();
  h.finishes();
  return h.failing();
}

TEST(WaitingPauses, are_not_lost_behind_a_fire_without_a_worker) {
  EXPECT_FALSE(judged_when_the_last_fire_is(seconds(10)).contains("no-lost-fire"));
}

TEST(WaitingPauses, are_lost_when_no_fire_was_before_them) {
  EXPECT_TRUE(judged_when_the_last_fire_is(seconds(20)).contains("no-lost-fire"));
}

}  // namespace
}  // namespace tenure::sim
