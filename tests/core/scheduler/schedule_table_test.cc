#include "core/scheduler/fenced_outbox/schedule_table.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr std::uint32_t kBranch = 1;

StoreTime sec(std::int64_t s) { return StoreTime{} + Duration::seconds(s); }

reference::Change change(std::uint64_t seq, std::uint32_t schedule, std::uint32_t version,
                         std::int64_t begin) {
  const Definition definition{Interval{sec(0), Duration::seconds(version)}};
  return {seq, reference::Segment{ScheduleId{schedule}, version, sec(begin), StoreTime::max(), sec(begin)},
          definition};
}

TEST(ScheduleTable, keeps_each_version_until_the_next_and_knows_where_it_ends) {
  ScheduleTable table;
  table.apply(change(1, 5, 1, 0), kBranch);
  table.apply(change(2, 5, 2, 100), kBranch);
  table.apply(change(3, 6, 1, 150), kBranch);
  ASSERT_NE(table.find(ScheduleId{5}, 1), nullptr);
  EXPECT_EQ(std::get<Interval>(table.find(ScheduleId{5}, 2)->recurrence).period, Duration::seconds(2));
  EXPECT_EQ(table.end_of(ScheduleId{5}, 1), sec(100));
  EXPECT_EQ(table.end_of(ScheduleId{5}, 2), StoreTime::max());
  EXPECT_EQ(table.seq(), 3u);
}

TEST(ScheduleTable, does_not_grow_with_edits_over_time) {
  ScheduleTable table;
  for (std::uint32_t i = 1; i <= 1'000; ++i) table.apply(change(i, 5, i, 600 * i), kBranch);
  EXPECT_LE(table.size(), 8u);  // the last hour's, at one in ten minutes
  EXPECT_NE(table.find(ScheduleId{5}, 1'000), nullptr);
  EXPECT_NE(table.find(ScheduleId{5}, 996), nullptr);
}

TEST(ScheduleTable, forgets_nothing_while_it_is_asked_not_to) {
  ScheduleTable table;
  table.reset(true);
  for (std::uint32_t i = 1; i <= 100; ++i) table.apply(change(i, 5, i, 600 * i), kBranch);
  EXPECT_EQ(table.size(), 100u);
  table.forget_again();
  table.apply(change(101, 5, 101, 600 * 101), kBranch);
  EXPECT_LE(table.size(), 8u);
}

}  // namespace
}  // namespace tenure
