// Memory does not grow with simulated time: a second half of a long, quiet run needs no more than the first.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <variant>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

// A leader renews and fires, slots of ten schedules each tick, with the pairs swapped to make it less regular.
void runs(History& h, int from, int to) {
  for (int tick = from; tick < to; ++tick) {
    h.at(seconds(10) * tick + millis(100));
    tick == 0 ? h.leads(kN1, token(1)) : h.extends(kN1, token(1));
    const Duration slot = seconds(10) * tick;
    h.covers(kN1, token(1), History::fired_row(slot));
    h.asks_for(kN1, slot, token(1));
    if (tick % 2 == 1) {
      for (const Duration done : {slot, slot - seconds(10)}) {
        h.work_is_done(kN1, done, token(1));
        h.takes_from_the_outbox(kN1, {kResource, {kBilling, store_at(done), 0}, token(1), true});
      }
    }
  }
}

// What is allocated, large blocks included.
std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void expect_no_growth(const Recurrence& recurrence) {
  Scenario scenario = reference_scenario();
  scenario.duration = Duration::hours(24 * 30);
  scenario.schedules.front().definition.recurrence = recurrence;
  History h{scenario};
  runs(h, 0, 10'000);  // fills the rings, and the samples that are kept exactly
  const std::size_t before = allocated();
  runs(h, 10'000, 30'000);
  const std::size_t after = allocated();
  EXPECT_EQ(h.failing(), std::set<std::string>{});
  EXPECT_EQ(h.metrics().fires, 30'000u);
  // One byte a fire would be 20 kB.
  EXPECT_LT(after, before + 10'000);
}

TEST(Memory, does_not_grow_with_the_number_of_fires) { expect_no_growth(every(seconds(10)).recurrence); }

TEST(Memory, does_not_grow_with_the_fires_of_a_calendar) {
  expect_no_growth(
      CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("*/10 * * * * *")))});
}

TEST(Memory, does_not_grow_with_a_token_that_goes_round_all_day) {
  History h{ring_scenario()};
  const auto rounds = [&h](int from, int to) {
    for (int pass = from; pass < to; ++pass) {
      h.at(millis(100) * pass);
      const Incarnation who{NodeId{static_cast<std::uint32_t>(pass % 3)}, 1};
      h.believes(who, Open{}, token(static_cast<std::uint64_t>(pass) + 1));
      h.lands(who, {}, token(static_cast<std::uint64_t>(pass) + 1), DeliveryOutcome::duplicate);
      h.steps_down(who);
    }
  };
  rounds(0, 10'000);
  const std::size_t before = allocated();
  rounds(10'000, 30'000);
  EXPECT_LT(allocated(), before + 10'000);
  EXPECT_EQ(h.failing(), std::set<std::string>{});
  EXPECT_EQ(h.checker("one-holder-per-epoch").opportunities(), 30'000u);
}

}  // namespace
}  // namespace tenure::sim
