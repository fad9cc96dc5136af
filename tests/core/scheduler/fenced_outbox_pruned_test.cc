// What pruning leaves of a store, and of the fires that go on beside it.
#include <gtest/gtest.h>

#include "tests/core/scheduler/mini_cluster.h"

namespace tenure::testing::fenced_outbox_pruned_tests {
namespace {

// A store in which schedules pause, run by hand and are replaced for days stays as large as its retention.
TEST(FencedOutboxPruned, fires_go_on_and_the_store_stays_small) {
  Parameters parameters{kFencedOutbox.parameters()};
  parameters.set("retention", Duration::minutes(10));
  parameters.set("prune_period", Duration::minutes(1));
  parameters.set(parameters.find("prune_batch"), 3);
  LittleWorld world{7, 2, parameters};
  world.work_length = kMs;
  world.start(0);
  world.start(1);
  Definition definition{Interval{StoreTime::from_ns(kEpochNs), Duration::seconds(10)}};
  definition.misfire.policy = Misfire::Policy::skip;
  definition.misfire.grace = Duration{};
  world.put(ScheduleId{1}, definition);
  world.grant(0);
  constexpr True kMinute = 60 * kSec;
  for (True minute = 1; minute < 240; ++minute) {
    world.at(minute * kMinute, [&world, &definition, minute] {
      if (minute % 7 == 0) world.trigger(ScheduleId{1}, static_cast<std::uint64_t>(minute));
      if (minute % 5 == 0) {
        definition.paused = !definition.paused;
        world.put(ScheduleId{1}, definition);
      }
      if (minute % 40 == 0) world.grant(static_cast<int>(minute / 40 % 2));
    });
  }
  world.run_until(240 * kMinute);
  const auto prunes = world.requests[reference::Request(reference::Prune{}).index()];
  EXPECT_GT(prunes, 200u);
  EXPECT_LT(prunes, 500u);
  EXPECT_LT(world.store().ledger(kResource).exceptions.size(), 40u);
  const auto changes =
      std::get<reference::Changes>(world.ask(reference::ChangesSince{kResource, 0, 1'000})).changes.size();
  EXPECT_GT(changes, 1u);
  EXPECT_LT(changes, 8u);
  EXPECT_EQ(world.outbox_size(), 0u);
  EXPECT_GT(world.begun.size(), 700u);
}

}  // namespace
}  // namespace tenure::testing::fenced_outbox_pruned_tests
