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

struct Ending {
  const char* what_became_of_the_last_slot;
  Definition definition;
  True led_from;
  True work_length = kMs;
};
std::vector<Ending> endings() {
  Definition ends{Interval{StoreTime::from_ns(kEpochNs), Duration::seconds(10)}};
  ends.until = StoreTime::from_ns(kEpochNs + 60 * kSec);
  ends.misfire.grace = Duration{};
  Definition skips = ends;
  skips.misfire.policy = Misfire::Policy::skip;
  Definition fires_once = ends;
  fires_once.misfire.policy = Misfire::Policy::fire_once;
  Definition paused = ends;
  paused.paused = true;
  Definition overlaps = ends;
  overlaps.overlap = Overlap::skip;
  constexpr True kLate = 90 * kSec;
  return {{"fired", ends, 0},
          {"missed", skips, kLate},
          {"coalesced", fires_once, kLate},
          {"paused", paused, 0},
          {"overlapped", overlaps, 0, kLate}};
}

// Its cursor would stay where the last row ended, each leader would read it as due, and retention would keep it.
TEST(FencedOutboxPruned, a_finished_schedule_is_deleted_whatever_became_of_its_last_slot) {
  Parameters parameters{kFencedOutbox.parameters()};
  parameters.set("retention", Duration::minutes(10));
  parameters.set("prune_period", Duration::minutes(1));
  for (const Ending& ending : endings()) {
    LittleWorld world{7, 1, parameters};
    world.work_length = ending.work_length;
    world.start(0);
    world.put(ScheduleId{1}, ending.definition);
    world.at(ending.led_from, [&world] { world.grant(0); });
    world.run_until(9 * 60 * kSec);
    const auto segments = world.store().ledger(kResource).watermarks;
    ASSERT_EQ(segments.size(), 1u) << ending.what_became_of_the_last_slot;
    EXPECT_EQ(segments[0].cursor, StoreTime::max()) << ending.what_became_of_the_last_slot;
    world.run_until(20 * 60 * kSec);
    EXPECT_TRUE(world.store().ledger(kResource).watermarks.empty()) << ending.what_became_of_the_last_slot;
  }
}

}  // namespace
}  // namespace tenure::testing::fenced_outbox_pruned_tests
