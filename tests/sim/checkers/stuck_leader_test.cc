// When a leader is stuck, to the moment: from when something came due, and not while it waits for what is no store.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// stall_timeout, a poll, two requests and a second.
constexpr Duration kBound = seconds(27);

// n1 leads, has fired the slot of 0s, and goes on renewing.
struct Idle {
  explicit Idle(Overlap overlap = Overlap::allow) : history(with(overlap)) {
    history.at(millis(100));
    history.leads(kN1, token(1), seconds(200));
    history.at(millis(200));
    history.covers(kN1, token(1), History::fired_row({}));
    history.asks_for(kN1, {}, token(1));
    history.lands(kN1, {}, token(1));
  }
  static Scenario with(Overlap overlap) {
    Scenario scenario = reference_scenario();
    scenario.schedules.front().definition.overlap = overlap;
    return scenario;
  }
  // It reads, and gets nothing done.
  void polls_until(int second) {
    for (; at < second; ++at) {
      history.at(seconds(at));
      history.submits(kN1, reference::Request{reference::ReadOutbox{kResource, 1000, 0}}, false);
    }
  }
  bool stuck() const { return history.checker("no-stuck-leader").violation_count() > 0; }
  History history;
  int at = 1;
};

TEST(StuckLeader, is_one_from_the_moment_at_which_something_came_due) {
  Idle idle;
  idle.history.work_ends(kN1, {}, Ending::done, token(1));
  idle.polls_until(37);
  EXPECT_FALSE(idle.stuck()) << "10s is due since 10s, and the bound is not over";
  idle.polls_until(39);
  EXPECT_TRUE(idle.stuck());
  EXPECT_GE(idle.history.checker("no-stuck-leader").violations().front().at, at_seconds(10) + kBound);
}

TEST(StuckLeader, is_none_whose_slots_were_deleted) {
  Idle idle;
  idle.history.work_ends(kN1, {}, Ending::done, token(1));
  idle.polls_until(11);
  idle.history.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kBilling, 1}},
                       reference::Reply{reference::Edited{1, 2}});
  idle.polls_until(60);
  EXPECT_FALSE(idle.stuck());
}

TEST(StuckLeader, is_none_while_a_slot_waits_for_its_own_work_and_one_when_that_is_over) {
  Idle idle(Overlap::queue_one);
  idle.polls_until(50);
  EXPECT_FALSE(idle.stuck());
  idle.history.work_ends(kN1, {}, Ending::done, token(1));
  idle.polls_until(75);
  EXPECT_FALSE(idle.stuck());
  idle.polls_until(80);
  EXPECT_TRUE(idle.stuck());
}

}  // namespace
}  // namespace tenure::sim
