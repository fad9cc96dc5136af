#include <gtest/gtest.h>

#include "core/schedule/definition.h"

namespace tenure {
namespace {

Definition delivered(Delivery::Kind kind) {
  Definition definition{.recurrence = Interval{{}, Duration::seconds(1)}};
  definition.delivery.kind = kind;
  if (kind == Delivery::Kind::push) definition.delivery.destination = "crm";
  return definition;
}

TEST(Delivery, waits_twice_as_long_after_each_attempt_up_to_the_longest) {
  const Delivery delivery{.back_off = Duration::seconds(2), .longest_back_off = Duration::seconds(15)};
  EXPECT_EQ(back_off_after(delivery, 1), Duration::seconds(2));
  EXPECT_EQ(back_off_after(delivery, 2), Duration::seconds(4));
  EXPECT_EQ(back_off_after(delivery, 3), Duration::seconds(8));
  EXPECT_EQ(back_off_after(delivery, 4), Duration::seconds(15));
  EXPECT_EQ(back_off_after(delivery, kMostAttempts), Duration::seconds(15));
}

TEST(Delivery, says_what_does_not_go_together) {
  for (const auto kind : {Delivery::Kind::work, Delivery::Kind::pull, Delivery::Kind::push})
    EXPECT_EQ(problem_of_delivery(delivered(kind)), "");

  Definition definition = delivered(Delivery::Kind::work);
  definition.overlap = Overlap::replace;
  EXPECT_NE(problem_of_delivery(definition), "");
  definition.delivery.kind = Delivery::Kind::pull;
  EXPECT_EQ(problem_of_delivery(definition), "");

  definition = delivered(Delivery::Kind::work);
  definition.delivery.strict_order = true;
  EXPECT_NE(problem_of_delivery(definition), "");
  definition = delivered(Delivery::Kind::pull);
  definition.delivery.destination = "crm";
  EXPECT_NE(problem_of_delivery(definition), "");
  definition = delivered(Delivery::Kind::push);
  definition.delivery.destination = "https://crm";
  EXPECT_NE(problem_of_delivery(definition), "");
  definition = delivered(Delivery::Kind::push);
  definition.delivery.longest_back_off = Duration::millis(1);
  EXPECT_NE(problem_of_delivery(definition), "");
}

// Traces and explorations of before there was a choice stay as they are.
TEST(Delivery, adds_nothing_to_the_hash_of_a_definition_when_the_leader_does_the_work) {
  const auto hash = [](const Definition& definition) {
    Hasher hasher;
    add(hasher, definition);
    return hasher.value();
  };
  EXPECT_EQ(hash(delivered(Delivery::Kind::work)), 781'352'203'527'621'795ULL);
  EXPECT_NE(hash(delivered(Delivery::Kind::pull)), hash(delivered(Delivery::Kind::push)));
}

}  // namespace
}  // namespace tenure
