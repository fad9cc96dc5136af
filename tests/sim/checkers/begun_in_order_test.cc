// begun-in-order: each leadership has an order of its own.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// n1 has committed the orders of 51s, 52s and 53s.
void commits_three_orders(History& h) {
  h.commits_orders_and_mails();
  h.at(seconds(53) + millis(100));
  reference::LedgerRow row = History::fired_row(seconds(53));
  row.schedule = kOrders;
  row.to = row.slot + seconds(1);
  h.covers(kN1, token(1), row);
}
void sends_order(History& h, int slot, const Token& shown) {
  h.sends(kN1, History::delivery(kOrders, seconds(slot), shown));
}
std::size_t out_of_order(const History& h) { return h.checker("begun-in-order").violation_count(); }

TEST(BegunInOrder, remembers_a_leadership_when_another_token_was_shown_meanwhile) {
  History h{pushing_scenario()};
  commits_three_orders(h);
  sends_order(h, 52, token(1));
  sends_order(h, 53, token(2));
  EXPECT_EQ(out_of_order(h), 0U);
  sends_order(h, 51, token(1));
  EXPECT_EQ(out_of_order(h), 1U);
}

TEST(BegunInOrder, compares_no_attempts_of_two_leaderships) {
  History h{pushing_scenario()};
  commits_three_orders(h);
  sends_order(h, 53, token(1));
  sends_order(h, 51, token(2));
  EXPECT_EQ(out_of_order(h), 0U);
}

// n1 has the order of 53s committed by a version with this definition.
void commits_by_another_version(History& h, const Definition& orders) {
  h.commits_orders_and_mails();
  h.at(seconds(52) + millis(900));
  h.puts(kOrders, 2, orders);
  h.at(seconds(53) + millis(100));
  h.commits(kOrders, seconds(53), 2);
}

TEST(BegunInOrder, asks_for_no_order_between_two_destinations) {
  for (const bool strict : {false, true}) {
    Scenario scenario = pushing_scenario();
    Definition& orders = scenario.schedules[kOrders.value].definition;
    orders.delivery.strict_order = strict;
    Definition moved = orders;
    moved.delivery.destination = "erp";
    History h{scenario};
    commits_by_another_version(h, moved);
    sends_order(h, 53, token(1));
    sends_order(h, 51, token(1));
    EXPECT_EQ(out_of_order(h), 0U);
  }
}

TEST(BegunInOrder, goes_by_the_version_that_fired) {
  Scenario scenario = pushing_scenario();
  Definition& orders = scenario.schedules[kOrders.value].definition;
  const Definition free = orders;
  orders.delivery.strict_order = true;
  History h{scenario};
  commits_by_another_version(h, free);
  sends_order(h, 51, token(1));
  sends_order(h, 53, token(1));  // it waits for nothing
  EXPECT_EQ(out_of_order(h), 0U);
  sends_order(h, 52, token(1));
  EXPECT_EQ(out_of_order(h), 1U) << "that of 51s is not over";
}

}  // namespace
}  // namespace tenure::sim
