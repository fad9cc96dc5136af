// A clock that jumps forward twice within the hour: a shifted slot stays within the stretch between the jumps.
#include <gtest/gtest.h>

#include <memory>
#include <variant>

#include "core/schedule/recurrence.h"

namespace tenure {
namespace {

// The clock leaves out a day, and an hour later half an hour more.
TEST(ShortStretch, has_the_shifted_slot_at_its_last_second_from_both_sides) {
  constexpr std::int64_t kJump = 1'000 * 86'400;
  const auto zone = std::make_shared<const TimeZone>(
      "Made/Up", "test",
      std::vector<TimeZone::Period>{{TimeZone::kAlways, 0}, {kJump, 86'400}, {kJump + 3'600, 88'200}});
  const Recurrence daily =
      CronRule{.cron = std::make_shared<const Cron>(std::get<Cron>(Cron::parse("0 12 * * *"))),
               .zone = zone,
               .gap = DstGap::shift};
  const StoreTime jump = StoreTime{} + Duration::seconds(kJump);
  const StoreTime last = jump + Duration::seconds(3'599);
  EXPECT_EQ(slot_at_or_after(daily, jump), last);
  EXPECT_EQ(slot_before(daily, last + Duration::micros(1)), last);
  EXPECT_EQ(slot_before(daily, jump + Duration::hours(2)), last);
  EXPECT_EQ(slot_before(daily, last), jump - Duration::hours(12));
  EXPECT_EQ(count_slots(daily, jump, jump + Duration::hours(2)), 1);
}

}  // namespace
}  // namespace tenure
