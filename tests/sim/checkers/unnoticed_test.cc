// What no checker noticed until the second judge was shown it in forged histories.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

struct Leading {
  explicit Leading(Misfire::Policy policy = Misfire::Policy::fire_all) : history(with(policy)) {
    history.at(millis(50));
    history.leads(kN1, token(1), seconds(200));
  }
  static Scenario with(Misfire::Policy policy) {
    Scenario scenario = reference_scenario();
    scenario.schedules.front().definition = every(seconds(10), policy);
    return scenario;
  }
  bool says(const char* checker) const { return history.checker(checker).violation_count() > 0; }
  History history;
};

TEST(Unnoticed, a_fire_that_a_slot_is_coalesced_into_which_is_not_due) {
  for (const int at : {15, 25}) {
    Leading leading(Misfire::Policy::fire_once);
    leading.history.at(seconds(at));
    reference::LedgerRow row = History::fired_row({});
    row.to = store_at(seconds(20) + Duration::micros(1));
    row.slots = 3;
    leading.history.covers(kN1, token(1), row);
    EXPECT_EQ(leading.says("never-early"), at == 15) << at;
  }
}

TEST(Unnoticed, work_of_a_manual_run_that_nobody_asked_for) {
  for (const std::uint64_t run : {7u, 8u}) {
    Leading leading;
    leading.history.at(seconds(3));
    leading.history.applies(
        kClient, reference::Request{reference::TriggerSchedule{kResource, kBilling, 7, store_at(seconds(3))}},
        reference::Reply{reference::Edited{1, 2}});
    const WorkItem item{kResource, {kBilling, store_at(seconds(3)), run}, token(1), true};
    leading.history.see(WorkAsked{kN1, item});
    leading.history.see(WorkLanded{kN1, item, DeliveryOutcome::begun, store_at(seconds(4))});
    EXPECT_EQ(leading.says("no-drift"), run == 8) << run;
  }
}

TEST(Unnoticed, a_commit_before_the_heal_whose_work_never_begins_is_not_caught_up_with) {
  for (const bool begins : {true, false}) {
    Leading leading;
    for (int slot = 0; slot < 120; slot += 10) {
      leading.history.at(seconds(slot) + millis(200));
      leading.history.covers(kN1, token(1), History::fired_row(seconds(slot)));
      if (slot != 20 || begins) leading.history.work_is_done(kN1, seconds(slot), token(1));
      if (slot == 60) leading.history.heals();
    }
    leading.history.finishes();
    EXPECT_EQ(leading.says("caught-up"), !begins);
  }
}

TEST(Unnoticed, a_commit_under_another_nonce_than_was_granted) {
  for (const std::uint64_t nonce : {101u, 102u}) {
    Leading leading;
    leading.history.at(millis(200));
    const reference::Request request =
        reference::CommitFires{kResource, kN1, token(1, nonce), {History::fired_row({})}};
    leading.history.applies(kN1, request,
                            reference::Reply{reference::Committed{{reference::RowResult::covered}}});
    EXPECT_EQ(leading.says("one-holder-per-epoch"), nonce == 102u);
  }
}

}  // namespace
}  // namespace tenure::sim
