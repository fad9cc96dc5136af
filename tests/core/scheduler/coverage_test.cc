#include "core/scheduler/fenced_outbox/coverage.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tenure {
namespace {

using house::Covering;
using house::Disposition;

StoreTime t(std::int64_t s) { return StoreTime{} + Duration::seconds(s); }

// Every ten seconds from 0 on, late after 15 s.
Definition every_ten(Misfire::Policy policy = Misfire::Policy::fire_all) {
  return {Interval{t(0), Duration::seconds(10)}, {policy, Duration::seconds(15)}, false};
}
Coverage coverage(const Definition& definition, std::int64_t cursor, StoreTime end = StoreTime::max()) {
  return Coverage{house::Segment{ScheduleId{1}, 2, t(0), end, t(cursor)}, definition};
}
std::vector<Covering> take(Coverage& c, StoreTime now) {
  std::vector<Covering> rows;
  c.take(now, rows);
  return rows;
}
void expect_row(const Covering& row, Disposition what, StoreTime from, StoreTime to, StoreTime slot = {}) {
  EXPECT_EQ(row.what, what);
  EXPECT_EQ(row.from, from);
  EXPECT_EQ(row.to, to);
  EXPECT_EQ(row.slot, slot);
}

TEST(Coverage, fires_each_slot_at_its_time_and_waits_at_the_next) {
  Coverage c = coverage(every_ten(), 5);
  EXPECT_EQ(c.wake(), t(10));
  const auto rows = take(c, t(10));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::fired, t(5), t(20), t(10));
  EXPECT_EQ(c.wake(), t(20));
}

TEST(Coverage, the_last_fire_of_a_closed_segment_drains_it) {
  Coverage c = coverage(every_ten(), 10, t(17));
  expect_row(take(c, t(18))[0], Disposition::fired, t(10), t(17), t(10));
  EXPECT_TRUE(c.drained());
}

TEST(Coverage, a_slot_at_the_end_belongs_to_the_next_version) {
  Coverage c = coverage(every_ten(), 10, t(20));
  take(c, t(21));
  EXPECT_TRUE(c.drained());
}

TEST(Coverage, a_closed_segment_without_a_slot_is_drained_by_an_empty_range) {
  Coverage c = coverage(every_ten(), 11, t(17));
  EXPECT_EQ(c.wake(), t(17));
  expect_row(take(c, t(17))[0], Disposition::missed, t(11), t(17));
  EXPECT_TRUE(c.drained());
}

TEST(Coverage, late_slots_all_fire_in_order_under_fire_all) {
  Coverage c = coverage(every_ten(), 10);
  for (std::int64_t slot = 10; slot <= 100; slot += 10)
    expect_row(take(c, t(100))[0], Disposition::fired, t(slot), t(slot + 10), t(slot));
}

TEST(Coverage, fire_once_folds_late_slots_into_the_latest_late_one) {
  Coverage c = coverage(every_ten(Misfire::Policy::fire_once), 10);
  const auto rows = take(c, t(50));  // 10, 20 and 30 are late; 40 and 50 are not
  ASSERT_EQ(rows.size(), 2u);
  expect_row(rows[0], Disposition::coalesced, t(10), t(30), t(30));
  expect_row(rows[1], Disposition::fired, t(30), t(30) + Duration::micros(1), t(30));
  EXPECT_EQ(c.wake(), t(40));
  EXPECT_EQ(take(c, t(50))[0].slot, t(40));
}

TEST(Coverage, fire_once_with_one_late_slot_just_fires_it) {
  Coverage c = coverage(every_ten(Misfire::Policy::fire_once), 30);
  const auto rows = take(c, t(50));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::fired, t(30), t(40), t(30));
}

TEST(Coverage, fire_once_folds_within_its_segment_alone) {
  Coverage c = coverage(every_ten(Misfire::Policy::fire_once), 10, t(25));
  const auto rows = take(c, t(500));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].slot, t(20));
  EXPECT_EQ(take(c, t(500))[0].to, t(25));
  EXPECT_TRUE(c.drained());
}

TEST(Coverage, skip_records_the_late_slots_as_missed_and_goes_on) {
  Coverage c = coverage(every_ten(Misfire::Policy::skip), 10);
  expect_row(take(c, t(50))[0], Disposition::missed, t(10), t(40));
  EXPECT_EQ(take(c, t(50))[0].slot, t(40));
}

TEST(Coverage, a_range_ends_no_later_than_now) {
  Definition hourly = every_ten(Misfire::Policy::skip);
  hourly.recurrence = Interval{t(0), Duration::hours(1)};
  Coverage c = coverage(hourly, 0);
  expect_row(take(c, t(20))[0], Disposition::missed, t(0), t(20));
  EXPECT_EQ(c.wake(), t(3'600));
}

TEST(Coverage, on_the_edge_of_grace_a_slot_is_not_late) {
  Coverage c = coverage(every_ten(Misfire::Policy::skip), 10);
  EXPECT_EQ(take(c, t(25))[0].what, Disposition::fired);
  Coverage d = coverage(every_ten(Misfire::Policy::skip), 10);
  EXPECT_EQ(take(d, t(25) + Duration::micros(1))[0].what, Disposition::missed);
}

TEST(Coverage, while_paused_one_row_speaks_for_many_slots) {
  Definition paused = every_ten();
  paused.paused = true;
  Coverage c = coverage(paused, 5);
  EXPECT_EQ(c.wake(), t(20));  // kPausedStep after the first slot
  expect_row(take(c, t(47))[0], Disposition::paused, t(5), t(47));
  EXPECT_EQ(c.wake(), t(60));
}

TEST(Coverage, a_pause_that_ends_is_recorded_at_once) {
  Definition paused = every_ten();
  paused.paused = true;
  Coverage c = coverage(paused, 5);
  c.close(t(12));
  EXPECT_EQ(c.wake(), t(12));
  expect_row(take(c, t(12))[0], Disposition::paused, t(5), t(12));
  EXPECT_TRUE(c.drained());
}

RC_GTEST_PROP(CoverageProperty, rows_chain_without_a_gap_and_hold_each_slot_once, ()) {
  Definition d;
  const auto period = *rc::gen::inRange<std::int64_t>(1, 40);
  d.recurrence = Interval{t(*rc::gen::inRange<std::int64_t>(-50, 50)), Duration::seconds(period)};
  d.misfire.policy = static_cast<Misfire::Policy>(*rc::gen::inRange(0, 3));
  d.misfire.grace = Duration::millis(*rc::gen::inRange<std::int64_t>(0, 60'000));
  d.paused = *rc::gen::arbitrary<bool>();
  const auto begin = *rc::gen::inRange<std::int64_t>(0, 100);
  const auto length = *rc::gen::inRange<std::int64_t>(1, 200);
  const bool closed = *rc::gen::arbitrary<bool>();
  const StoreTime end = closed ? t(begin + length) : StoreTime::max();
  Coverage c = coverage(d, begin, end);

  StoreTime cursor = t(begin);
  StoreTime now = t(begin);
  for (int i = 0; i < 50 && !c.drained(); ++i) {
    if (*rc::gen::arbitrary<bool>()) now += Duration::millis(*rc::gen::inRange<std::int64_t>(0, 100'000));
    if (c.wake() > now) now = c.wake();
    for (const Covering& row : take(c, now)) {
      RC_ASSERT(row.from == cursor);
      RC_ASSERT(row.from < row.to);
      RC_ASSERT(row.to <= end);
      cursor = row.to;
      if (row.what == Disposition::fired) {
        RC_ASSERT(!d.paused);
        RC_ASSERT(row.slot >= row.from && row.slot < row.to && row.slot <= now);
        RC_ASSERT(slot_at_or_after(d.recurrence, row.from) == row.slot);
        RC_ASSERT(*slot_after(d.recurrence, row.slot) >= row.to);
      } else {
        RC_ASSERT(row.to <= now);
        const auto last = slot_before(d.recurrence, row.to);
        const bool holds_none = !last || *last < row.from;
        RC_ASSERT(holds_none || d.paused || *last + d.misfire.grace < now);
      }
    }
    RC_ASSERT(c.cursor() == cursor);
  }
  RC_ASSERT(!closed || !c.drained() || cursor == end);
}

}  // namespace
}  // namespace tenure
