// What has happened long ago, or often, is not forgotten.
#include <gtest/gtest.h>

#include <memory>
#include <variant>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

void begins(History& h, const reference::EventId& event) {
  h.see(WorkArrived{kN1, {kResource, event, token(1), true}, DeliveryOutcome::begun, event.slot});
}

CronRule cron(const char* text) {
  return {.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse(text)))};
}

// Begins `many` events, then the first, the middle one and the last of them again.
template <class Event>
void expect_found(History& h, int many, const Event& event) {
  for (int n = 0; n < many; ++n) begins(h, event(n));
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 0u);
  for (const int n : {0, many / 2, many - 1}) begins(h, event(n));
  EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 3u) << many;
}

TEST(ForgetsNothing, of_slots_in_a_row_and_of_slots_with_gaps_between_them) {
  for (const int many : {5'000, 50'000, 200'000}) {
    for (const int step : {1, 3}) {
      History h{reference_scenario()};
      expect_found(h, many, [step](int n) {
        return reference::EventId{kBilling, store_at(seconds(10) * n * step), 0};
      });
    }
  }
}

TEST(ForgetsNothing, of_slots_of_no_definition) {
  History h{reference_scenario()};
  expect_found(h, 50'000, [](int n) {
    return reference::EventId{ScheduleId{3}, store_at(seconds(10) * n + millis(7)), 0};
  });
}

TEST(ForgetsNothing, of_the_slots_of_a_backfill) {
  for (const int many : {5'000, 200'000}) {
    History h{reference_scenario()};
    expect_found(h, many, [](int n) { return reference::EventId{kBilling, store_at(seconds(10) * n), 7}; });
  }
}

TEST(ForgetsNothing, of_manual_runs) {
  History h{reference_scenario()};
  expect_found(h, 20'000, [](int n) {
    return reference::EventId{kBilling, store_at(seconds(n)), static_cast<std::uint64_t>(n) + 1};
  });
}

TEST(ForgetsNothing, of_a_weekly_schedule_whatever_version_fires_it_again) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition.recurrence = cron("0 3 * * SUN");
  for (const char* other : {"0 3 * * SUN", "0 * * * *", "0 3 4 1 *"}) {
    History h{scenario};
    const Duration sunday = Duration::hours(3 * 24 + 3);  // the start is a Thursday
    const auto week = [&](int n) {
      return reference::EventId{kBilling, store_at(sunday + Duration::hours(7 * 24) * n), 0};
    };
    for (int n = 0; n < 2'000; ++n) begins(h, week(n));
    h.puts(kBilling, 2, {.recurrence = cron(other)});
    for (const int n : {0, 1, 1'999}) begins(h, week(n));
    EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 3u) << other;
  }
}

// Each failover takes the edit back; each time the minute is fired under the other definition.
TEST(ForgetsNothing, of_what_a_version_fired_that_two_failovers_lost) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition.recurrence = cron("0 * * * * *");
  History h{scenario};
  const reference::EventId minute{kBilling, store_at(seconds(180)), 0};
  for (std::uint32_t branch = 1; branch <= 2; ++branch) {
    h.see(StoreReplicaStalled{});
    h.at(seconds(150));
    h.puts(kBilling, 2, {.recurrence = cron("*/5 * * * * *")});
    h.at(seconds(180));
    begins(h, minute);
    EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 2 * (branch - 1));
    h.see(StoreFailedOver{StoreId{}, branch});
    begins(h, minute);
    EXPECT_EQ(h.checker("no-duplicate-fire").violation_count(), 2 * branch - 1);
  }
}

// But for terms.
TEST(OneHolderPerEpoch, says_that_it_does_not_judge_a_term_too_long_ago) {
  History h{ring_scenario()};
  for (std::uint64_t epoch = 1; epoch <= 6'000; ++epoch) h.believes(kN1, Open{}, token(epoch));
  h.believes(kN2, Open{}, token(5'000));
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
  h.believes(kN2, Open{}, token(17));
  h.finishes();
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
  ASSERT_EQ(h.checker("one-holder-per-epoch").not_judged().size(), 1u);
  EXPECT_EQ(h.checker("one-holder-per-epoch").not_judged()[0],
            "who held terms that are older than the newest 4096: epoch 17 (n2 believes in it at 0.000s)");
}

}  // namespace
}  // namespace tenure::sim
