// no-lost-fire: work that failed as often as it may is dead, which is neither lost nor delivered.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

constexpr std::uint32_t kAttempts = 5;  // of reference_scenario()
const reference::EventId kEvent{kBilling, store_at({}), 0};

// The slot at 0 s has fired, and its work came back so often, each time failed.
struct DeadWork : ::testing::Test {
  void fails(std::uint32_t times) {
    h.at(millis(200));
    h.covers(kN1, token(1), History::fired_row({}));
    for (std::uint32_t i = 0; i < times; ++i) tries(Ending::failed);
  }
  void tries(Ending ending, std::uint64_t epoch = 1) {
    h.asks_for(kN1, {}, token(epoch));
    h.lands(kN1, {}, token(epoch));
    h.work_ends(kN1, {}, ending, token(epoch));
  }
  void delivered() { h.submits(kN1, reference::Request{reference::AckEvents{kResource, {kEvent}}}, false); }
  void given_up() {
    const reference::GiveUpEvents dead{kResource, kN1, token(1), {{kEvent, kAttempts}}};
    h.submits(kN1, reference::Request{dead}, true);
  }
  // What the checker says at the end; empty: nothing.
  std::string says() {
    h.heals();
    h.finishes();
    return h.checker("no-lost-fire").violation_count() == 0 ? "" : h.first_message("no-lost-fire");
  }

  History h{reference_scenario()};
};

TEST_F(DeadWork, may_be_given_up_and_is_not_lost) {
  fails(kAttempts);
  given_up();
  EXPECT_EQ(says(), "");
}

TEST_F(DeadWork, is_not_delivered) {
  fails(kAttempts);
  delivered();
  EXPECT_NE(says().find("as delivered, although its work had failed each time"), std::string::npos);
}

TEST_F(DeadWork, is_none_before_it_has_failed_often_enough) {
  fails(kAttempts - 1);
  given_up();
  EXPECT_NE(says().find("as dead, although it had not failed often enough"), std::string::npos);
}

TEST_F(DeadWork, is_none_once_it_has_succeeded) {
  fails(kAttempts - 1);
  tries(Ending::done);
  given_up();
  EXPECT_NE(says().find("as dead, although"), std::string::npos);
}

TEST_F(DeadWork, begins_to_count_anew_when_it_is_redriven) {
  fails(kAttempts);
  given_up();
  tries(Ending::failed);
  given_up();
  EXPECT_NE(says().find("as dead, although"), std::string::npos);
}

// It was granted the same lease again, and counts anew; the checker does not know of that.
TEST_F(DeadWork, may_be_tried_more_often_than_it_has_to) {
  fails(kAttempts);
  tries(Ending::failed);
  given_up();
  EXPECT_EQ(says(), "");
}

// A process that leads twice counts from the beginning the second time.
TEST_F(DeadWork, is_dead_only_once_it_has_failed_often_enough_in_one_leadership) {
  fails(kAttempts - 1);
  for (std::uint32_t i = 1; i < kAttempts; ++i) tries(Ending::failed, 2);
  given_up();
  EXPECT_NE(says().find("as dead, although it had not failed often enough"), std::string::npos);
}

TEST_F(DeadWork, may_be_given_up_in_a_second_leadership) {
  fails(kAttempts - 1);
  for (std::uint32_t i = 0; i < kAttempts; ++i) tries(Ending::failed, 2);
  given_up();
  EXPECT_EQ(says(), "");
}

TEST_F(DeadWork, may_be_delivered_after_all_when_it_is_redriven) {
  fails(kAttempts);
  given_up();
  tries(Ending::failed);
  tries(Ending::done);
  delivered();
  EXPECT_EQ(says(), "");
}

}  // namespace
}  // namespace tenure::sim
