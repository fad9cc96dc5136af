// What a definition forbids: a fire although work runs, a late fire although late slots are given up. Each ledger here
// breaks its definition, and some checker must say so.
#include <gtest/gtest.h>

#include "sim/checkers/oracle/slots.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

using reference::Disposition;

Scenario with(const Definition& definition) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition = definition;
  return scenario;
}

// n1 leads, fires the slot of 0s, and its work never ends.
struct Busy {
  explicit Busy(Overlap overlap) : history(with(minding(overlap))) {
    history.at(millis(50));
    history.leads(kN1, token(1), seconds(200));
    history.covers(kN1, token(1), History::fired_row({}));
    history.asks_for(kN1, {}, token(1));
    history.lands(kN1, {}, token(1));
  }
  static Definition minding(Overlap overlap) {
    Definition definition = every(seconds(10));
    definition.overlap = overlap;
    return definition;
  }
  History history;
};

bool kept(const History& history) { return history.failing().empty(); }

TEST(PolicyKept, a_slot_does_not_fire_while_work_of_its_schedule_has_been_running_since_it_was_due) {
  for (const Overlap overlap : {Overlap::skip, Overlap::queue_one}) {
    Busy busy{overlap};
    busy.history.at(seconds(15));
    busy.history.covers(kN1, token(1), History::fired_row(seconds(10)));
    EXPECT_FALSE(kept(busy.history)) << static_cast<int>(overlap);
  }
}

TEST(PolicyKept, a_late_slot_does_not_fire_under_skip) {
  Definition definition = every(seconds(10), Misfire::Policy::skip);
  definition.misfire.grace = seconds(5);
  History history{with(definition)};
  history.at(millis(50));
  history.leads(kN1, token(1), seconds(200));
  history.at(seconds(100));
  history.covers(kN1, token(1), History::fired_row({}));
  EXPECT_FALSE(kept(history));
}

TEST(PolicyKept, a_schedule_that_minds_overlap_does_not_fire_twice_in_one_commit) {
  for (const Overlap overlap : {Overlap::allow, Overlap::skip, Overlap::queue_one}) {
    History history{with(Busy::minding(overlap))};
    history.at(millis(50));
    history.leads(kN1, token(1), seconds(200));
    history.at(seconds(15));
    const reference::Request both = reference::CommitFires{
        kResource, kN1, token(1), {History::fired_row({}), History::fired_row(seconds(10))}};
    history.submits(kN1, both);
    history.applies(kN1, both,
                    reference::Reply{reference::Committed{
                        {reference::RowResult::covered, reference::RowResult::covered}}});
    EXPECT_EQ(kept(history), overlap == Overlap::allow) << static_cast<int>(overlap);
  }
}

// A leader's reading may be a minute old, so at 199s the slots up to 130s are late beyond doubt.
TEST(PolicyKept, no_more_late_slots_fire_than_may_be_caught_up_with) {
  for (const Overlap overlap :
       {Overlap::allow, Overlap::queue_one}) {  // a queued slot fires however late it is
    for (const int slot : {100, 110}) {
      Definition definition = every(seconds(10));
      definition.misfire.grace = seconds(5);
      definition.misfire.max_catchup = 3;
      definition.overlap = overlap;
      History history{with(definition)};
      history.at(millis(50));
      history.leads(kN1, token(1), seconds(200));
      history.at(seconds(199));
      history.covers(kN1, token(1), History::fired_row(seconds(slot)));
      EXPECT_EQ(kept(history), slot == 110 || overlap == Overlap::queue_one) << slot;
    }
  }
}

// What a delete leaves is forgiven; what was passed over before it is not.
TEST(PolicyKept, a_delete_does_not_forgive_a_slot_that_was_passed_over_long_before) {
  History history{reference_scenario()};
  history.at(millis(50));
  history.leads(kN1, token(1), seconds(200));
  history.covers(kN1, token(1), History::fired_row({}));
  history.work_is_done(kN1, {}, token(1));
  history.at(seconds(21));
  history.covers(kN1, token(1), History::fired_row(seconds(20)));  // and 10s is in no row
  history.work_is_done(kN1, seconds(20), token(1));
  history.at(seconds(40));
  history.applies(kClient, reference::Request{reference::DeleteSchedule{kResource, kBilling, 1}},
                  reference::Reply{reference::Edited{1, 2}});
  history.at(seconds(60));
  history.heals();
  history.finishes();
  EXPECT_NE(history.first_message("no-lost-fire"), "");
}

}  // namespace
}  // namespace tenure::sim
