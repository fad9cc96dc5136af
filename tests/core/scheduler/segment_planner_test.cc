#include "core/scheduler/fenced_outbox/segment_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/scheduler/fenced_outbox/schedule_table.h"
#include "core/store/reference/tables.h"

namespace tenure {
namespace {

using reference::Disposition;
using reference::LedgerRow;

constexpr Duration kMicro = Duration::micros(1);

StoreTime t(std::int64_t s) { return StoreTime{} + Duration::seconds(s); }

// Every ten seconds from 0 on, late after 15 s.
Definition every_ten(Misfire::Policy policy = Misfire::Policy::fire_all) {
  Definition d{.recurrence = Interval{t(0), Duration::seconds(10)}};
  d.misfire.policy = policy;
  d.misfire.grace = Duration::seconds(15);
  return d;
}
SegmentPlanner coverage(const Definition& definition, std::int64_t cursor, StoreTime end = StoreTime::max()) {
  return SegmentPlanner{reference::Segment{ScheduleId{1}, 2, t(0), end, t(cursor)}, definition};
}
std::vector<LedgerRow> take(SegmentPlanner& c, StoreTime now, bool busy = false) {
  std::vector<LedgerRow> rows;
  c.take(now, busy, rows);
  return rows;
}
void expect_row(const LedgerRow& row, Disposition what, StoreTime from, StoreTime to, StoreTime slot = {}) {
  EXPECT_EQ(row.what, what);
  EXPECT_EQ(row.from, from);
  EXPECT_EQ(row.to, to);
  EXPECT_EQ(row.slot, slot);
}

TEST(SegmentPlanner, fires_each_slot_at_its_time_and_waits_at_the_next) {
  SegmentPlanner c = coverage(every_ten(), 5);
  EXPECT_EQ(c.wake(), t(10));
  const auto rows = take(c, t(10));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::fired, t(5), t(20), t(10));
  EXPECT_EQ(c.wake(), t(20));
}

TEST(SegmentPlanner, the_last_fire_of_a_closed_segment_drains_it) {
  SegmentPlanner c = coverage(every_ten(), 10, t(17));
  expect_row(take(c, t(18))[0], Disposition::fired, t(10), t(17), t(10));
  EXPECT_TRUE(c.drained());
}

TEST(SegmentPlanner, a_slot_at_the_end_belongs_to_the_next_version) {
  SegmentPlanner c = coverage(every_ten(), 10, t(20));
  take(c, t(21));
  EXPECT_TRUE(c.drained());
}

TEST(SegmentPlanner, a_closed_segment_without_a_slot_is_drained_by_an_empty_range) {
  SegmentPlanner c = coverage(every_ten(), 11, t(17));
  EXPECT_EQ(c.wake(), t(17));
  expect_row(take(c, t(17))[0], Disposition::missed, t(11), t(17));
  EXPECT_TRUE(c.drained());
}

TEST(SegmentPlanner, a_segment_in_force_without_a_slot_is_drained_at_once) {
  Definition d = every_ten();
  d.until = t(15);
  SegmentPlanner c = coverage(d, 11);
  EXPECT_EQ(c.wake(), t(11));
  const auto rows = take(c, t(11));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::missed, t(11), StoreTime::max());
  EXPECT_TRUE(reference::is_end(rows[0]));
  EXPECT_TRUE(c.drained());
}

TEST(SegmentPlanner, a_segment_in_force_that_cannot_be_read_stays_until_it_is_closed) {
  SegmentPlanner c = coverage(unreadable_definition(), 11);
  EXPECT_EQ(c.wake(), StoreTime::max());
  c.close(t(17));
  EXPECT_EQ(c.wake(), t(17));
}

TEST(SegmentPlanner, late_slots_all_fire_in_order_under_fire_all) {
  SegmentPlanner c = coverage(every_ten(), 10);
  for (std::int64_t slot = 10; slot <= 100; slot += 10)
    expect_row(take(c, t(100))[0], Disposition::fired, t(slot), t(slot + 10), t(slot));
}

TEST(SegmentPlanner, fire_once_folds_late_slots_into_the_latest_late_one) {
  SegmentPlanner c = coverage(every_ten(Misfire::Policy::fire_once), 10);
  const auto rows = take(c, t(50));  // 10, 20 and 30 are late; 40 and 50 are not
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::fired, t(10), t(30) + kMicro, t(30));
  EXPECT_EQ(rows[0].slots, 3);
  EXPECT_EQ(c.wake(), t(40));
  EXPECT_EQ(take(c, t(50))[0].slot, t(40));
}

TEST(SegmentPlanner, fire_once_can_fire_the_earliest_late_slot_instead) {
  Definition d = every_ten(Misfire::Policy::fire_once);
  d.misfire.once = Misfire::Which::earliest;
  SegmentPlanner c = coverage(d, 5);
  const auto rows = take(c, t(50));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::fired, t(5), t(30) + kMicro, t(10));
  EXPECT_EQ(rows[0].slots, 3);
  EXPECT_EQ(take(c, t(50))[0].slot, t(40));
}

TEST(SegmentPlanner, late_slots_outside_the_catchup_window_are_missed_in_one_row) {
  Definition d = every_ten();
  d.misfire.catchup_window = Duration::seconds(100);
  SegmentPlanner c = coverage(d, 10);
  const auto rows = take(c, t(1'000));
  ASSERT_EQ(rows.size(), 2u);
  expect_row(rows[0], Disposition::missed, t(10), t(900));
  EXPECT_EQ(rows[0].slots, 89);
  expect_row(rows[1], Disposition::fired, t(900), t(910), t(900));
}

TEST(SegmentPlanner, a_window_without_a_slot_misses_all_and_goes_on) {
  Definition d = every_ten();
  d.misfire.catchup_window = Duration::seconds(16);
  d.until = t(95);
  SegmentPlanner c = coverage(d, 10);
  const auto rows = take(c, t(1'000));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::missed, t(10), t(1'000));
  EXPECT_EQ(rows[0].slots, 9);
  EXPECT_EQ(c.wake(), t(1'000));  // no slot is left
  expect_row(take(c, t(1'000))[0], Disposition::missed, t(1'000), StoreTime::max());
}

TEST(SegmentPlanner, no_more_than_max_catchup_late_slots_fire_the_latest_ones) {
  Definition d = every_ten();
  d.misfire.max_catchup = 3;
  SegmentPlanner c = coverage(d, 10);
  std::vector<LedgerRow> rows;
  while (c.wake() <= t(1'000)) c.take(t(1'000), false, rows);
  ASSERT_EQ(rows.size(), 6u);
  expect_row(rows[0], Disposition::missed, t(10), t(960));
  EXPECT_EQ(rows[0].slots, 95);
  for (int i = 1; i < 6; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(i)].slot, t(950 + 10 * i));
}

// A month at ten seconds: 259,200 slots.
TEST(SegmentPlanner, a_hundred_late_slots_fire_where_nothing_is_said_and_all_where_that_is_said) {
  const StoreTime now = t(30 * 86'400);
  Definition d = every_ten();
  for (const std::int64_t limit : {Misfire::kUnsaid, std::int64_t{1'000}, Misfire::kNoLimit}) {
    d.misfire.max_catchup = limit;
    SegmentPlanner c = coverage(d, 10);
    std::vector<LedgerRow> rows;
    while (c.wake() <= now) c.take(now, false, rows);
    const std::size_t late = limit == Misfire::kUnsaid ? 100 : limit == 1'000 ? 1'000 : 259'200 - 2;
    const bool missed = limit != Misfire::kNoLimit;
    ASSERT_EQ(rows.size(), (missed ? 1 : 0) + late + 2) << "two are within grace";
    if (missed) {
      EXPECT_EQ(rows[0].slots, 259'200 - 2 - static_cast<std::int64_t>(late));
    }
    EXPECT_EQ(rows[0].what, missed ? Disposition::missed : Disposition::fired);
  }
}

TEST(SegmentPlanner, a_fire_once_within_a_window_folds_what_is_in_it) {
  Definition d = every_ten(Misfire::Policy::fire_once);
  d.misfire.catchup_window = Duration::seconds(45);
  SegmentPlanner c = coverage(d, 10);
  const auto rows = take(c, t(100));
  ASSERT_EQ(rows.size(), 2u);
  expect_row(rows[0], Disposition::missed, t(10), t(60));
  expect_row(rows[1], Disposition::fired, t(60), t(80) + kMicro, t(80));
  EXPECT_EQ(rows[1].slots, 3);
}

TEST(SegmentPlanner, with_jitter_a_slot_waits_for_its_due_time_and_keeps_its_name) {
  Definition d = every_ten();
  d.jitter.max = Duration::seconds(10);
  SegmentPlanner c = coverage(d, 10);
  const StoreTime due = due_time(d, ScheduleId{1}, t(10));
  ASSERT_GT(due, t(10));
  ASSERT_LT(due, t(20));
  EXPECT_EQ(c.wake(), due);
  const auto rows = take(c, due);
  expect_row(rows[0], Disposition::fired, t(10), t(20), t(10));
  EXPECT_EQ(rows[0].due, due);
}

TEST(SegmentPlanner, lateness_counts_from_the_due_time) {
  Definition d = every_ten(Misfire::Policy::skip);
  d.jitter.max = Duration::seconds(10);
  SegmentPlanner on_time = coverage(d, 10, t(20));
  const StoreTime due = due_time(d, ScheduleId{1}, t(10));
  EXPECT_EQ(take(on_time, due + d.misfire.grace)[0].what, Disposition::fired);
  SegmentPlanner late = coverage(d, 10, t(20));
  EXPECT_EQ(take(late, due + d.misfire.grace + kMicro)[0].what, Disposition::missed);
}

TEST(SegmentPlanner, a_slot_that_is_not_late_by_its_jitter_is_not_given_up_with_those_before_it) {
  Definition d = every_ten(Misfire::Policy::skip);
  d.jitter.max = Duration::seconds(10);
  // The moment at which the slot 50 is late by its nominal time, and not by its due time.
  const StoreTime now = t(50) + d.misfire.grace + kMicro;
  ASSERT_GT(due_time(d, ScheduleId{1}, t(50)), t(50) + kMicro);
  SegmentPlanner c = coverage(d, 10);
  const auto rows = take(c, now);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].to, t(50));
  EXPECT_EQ(rows[1].slot, t(50));
}

TEST(SegmentPlanner, bounds_end_a_schedule_without_closing_its_segment) {
  Definition d = every_ten();
  d.not_before = t(15);
  d.until = t(30);
  SegmentPlanner c = coverage(d, 0);
  EXPECT_EQ(c.wake(), t(20));
  expect_row(take(c, t(20))[0], Disposition::fired, t(0), StoreTime::max(), t(20));
}

TEST(SegmentPlanner, a_slot_due_while_the_work_before_it_runs_is_suppressed_under_skip) {
  Definition d = every_ten();
  d.overlap = Overlap::skip;
  SegmentPlanner c = coverage(d, 10);
  const auto rows = take(c, t(30), true);
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::overlapped, t(10), t(30) + kMicro);
  EXPECT_EQ(rows[0].slots, 3);
  EXPECT_EQ(c.wake(), t(40));
  EXPECT_EQ(take(c, t(40), false)[0].what, Disposition::fired);
}

TEST(SegmentPlanner, under_queue_one_the_first_waits_and_the_others_meanwhile_are_suppressed) {
  Definition d = every_ten();
  d.overlap = Overlap::queue_one;
  SegmentPlanner c = coverage(d, 10);
  EXPECT_TRUE(take(c, t(10), true).empty());
  EXPECT_EQ(c.wake(), StoreTime::max());
  c.work_ended();
  const auto fire = take(c, t(200), false);  // late, but by its own schedule's doing
  ASSERT_EQ(fire.size(), 1u);
  expect_row(fire[0], Disposition::fired, t(10), t(20), t(10));
  EXPECT_EQ(c.wake(), StoreTime::max());
  c.committed();
  expect_row(take(c, t(205), true)[0], Disposition::overlapped, t(20), t(200) + kMicro);
  EXPECT_EQ(c.wake(), t(210));
}

// A commit that was given up may have fired the slot before, and its work may be over: a slot after it that is called
// overlapped in one commit with that fire would be given up for nothing (torture-schedules, seed 68).
TEST(SegmentPlanner, after_a_fire_one_that_minds_overlap_waits_for_the_commit) {
  for (const Overlap overlap : {Overlap::skip, Overlap::queue_one}) {
    Definition d = every_ten(Misfire::Policy::fire_once);
    d.overlap = overlap;
    SegmentPlanner c = coverage(d, 10);
    EXPECT_EQ(take(c, t(50)).size(), 1u);
    EXPECT_EQ(c.wake(), StoreTime::max());
    c.work_ended();  // of something else
    EXPECT_EQ(c.wake(), StoreTime::max());
    c.committed();
    EXPECT_EQ(c.wake(), t(40));
  }
}

TEST(SegmentPlanner, a_held_slot_of_a_segment_that_is_closed_still_waits) {
  Definition d = every_ten();
  d.overlap = Overlap::queue_one;
  SegmentPlanner c = coverage(d, 10);
  take(c, t(10), true);
  c.close(t(15));
  EXPECT_EQ(c.wake(), StoreTime::max());
  c.work_ended();
  EXPECT_EQ(take(c, t(16))[0].slot, t(10));
  EXPECT_TRUE(c.drained());
}

TEST(SegmentPlanner, an_edit_does_not_put_a_released_slot_back_on_hold) {
  Definition d = every_ten();
  d.overlap = Overlap::queue_one;
  SegmentPlanner c = coverage(d, 10);
  take(c, t(10), true);
  c.work_ended();
  c.close(t(15));
  EXPECT_EQ(c.wake(), t(10));
}

TEST(SegmentPlanner, what_overlaps_matters_to_no_one_who_allows_it) {
  SegmentPlanner c = coverage(every_ten(), 10);
  EXPECT_FALSE(c.minds_overlap());
  EXPECT_EQ(take(c, t(10), true)[0].what, Disposition::fired);
}

TEST(SegmentPlanner, fire_once_with_one_late_slot_just_fires_it) {
  SegmentPlanner c = coverage(every_ten(Misfire::Policy::fire_once), 30);
  const auto rows = take(c, t(50));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0], Disposition::fired, t(30), t(40), t(30));
}

TEST(SegmentPlanner, fire_once_folds_within_its_segment_alone) {
  SegmentPlanner c = coverage(every_ten(Misfire::Policy::fire_once), 10, t(25));
  const auto rows = take(c, t(500));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].slot, t(20));
  EXPECT_EQ(take(c, t(500))[0].to, t(25));
  EXPECT_TRUE(c.drained());
}

TEST(SegmentPlanner, skip_records_the_late_slots_as_missed_and_goes_on) {
  SegmentPlanner c = coverage(every_ten(Misfire::Policy::skip), 10);
  EXPECT_TRUE(c.fires(t(50), false));
  const auto rows = take(c, t(50));
  ASSERT_EQ(rows.size(), 2u) << "40 is not late yet";
  expect_row(rows[0], Disposition::missed, t(10), t(40));
  EXPECT_EQ(rows[1].slot, t(40));
  EXPECT_EQ(rows[1].what, Disposition::fired);
}

TEST(SegmentPlanner, a_range_ends_no_later_than_now) {
  Definition hourly = every_ten(Misfire::Policy::skip);
  hourly.recurrence = Interval{t(0), Duration::hours(1)};
  SegmentPlanner c = coverage(hourly, 0);
  expect_row(take(c, t(20))[0], Disposition::missed, t(0), t(20));
  EXPECT_EQ(c.wake(), t(3'600));
}

TEST(SegmentPlanner, on_the_edge_of_grace_a_slot_is_not_late) {
  SegmentPlanner c = coverage(every_ten(Misfire::Policy::skip), 10);
  EXPECT_EQ(take(c, t(25))[0].what, Disposition::fired);
  SegmentPlanner d = coverage(every_ten(Misfire::Policy::skip), 10);
  EXPECT_EQ(take(d, t(25) + Duration::micros(1))[0].what, Disposition::missed);
}

TEST(SegmentPlanner, while_paused_one_row_speaks_for_many_slots) {
  Definition paused = every_ten();
  paused.paused = true;
  SegmentPlanner c = coverage(paused, 5);
  EXPECT_EQ(c.wake(), t(20));  // kPausedStep after the first slot
  expect_row(take(c, t(47))[0], Disposition::paused, t(5), t(47));
  EXPECT_EQ(c.wake(), t(60));
}

TEST(SegmentPlanner, a_pause_that_ends_is_recorded_at_once) {
  Definition paused = every_ten();
  paused.paused = true;
  SegmentPlanner c = coverage(paused, 5);
  c.close(t(12));
  EXPECT_EQ(c.wake(), t(12));
  expect_row(take(c, t(12))[0], Disposition::paused, t(5), t(12));
  EXPECT_TRUE(c.drained());
}

// Two instances whose time zone databases disagree: what one has covered the other does not cover again, whichever
// slots it knows (decision 7).
TEST(SegmentPlanner, another_database_goes_on_from_the_cursor_and_repeats_nothing) {
  const auto in_zone = [](std::int32_t offset_hours) {
    const auto zone = std::make_shared<const TimeZone>(
        "Here/There", std::to_string(offset_hours),
        std::vector<TimeZone::Period>{{TimeZone::kAlways, offset_hours * 3'600}});
    return Definition{.recurrence = CronRule{
                          std::make_shared<const Cron>(std::get<Cron>(Cron::parse("0 12 * * *"))), zone}};
  };
  constexpr std::int64_t kHour = 3'600;
  SegmentPlanner before = coverage(in_zone(0), 0);
  const LedgerRow noon = take(before, t(12 * kHour))[0];
  EXPECT_EQ(noon.slot, t(12 * kHour));
  // The other database has noon an hour earlier or later.
  for (const std::int32_t offset : {-1, 1}) {
    SegmentPlanner after = coverage(in_zone(offset), noon.to.ns() / 1'000'000'000);
    const LedgerRow next = take(after, after.wake())[0];
    EXPECT_EQ(next.from, noon.to);
    EXPECT_GT(next.slot, noon.slot);
  }
}

Definition drawn_definition() {
  Definition d;
  const auto period = *rc::gen::inRange<std::int64_t>(1, 40);
  d.recurrence = Interval{t(*rc::gen::inRange<std::int64_t>(-50, 50)), Duration::seconds(period)};
  d.misfire.policy = static_cast<Misfire::Policy>(*rc::gen::inRange(0, 3));
  d.misfire.once = static_cast<Misfire::Which>(*rc::gen::inRange(0, 2));
  d.misfire.grace = Duration::millis(*rc::gen::inRange<std::int64_t>(0, 60'000));
  if (*rc::gen::arbitrary<bool>())
    d.misfire.catchup_window = Duration::millis(*rc::gen::inRange<std::int64_t>(1, 300'000));
  if (*rc::gen::arbitrary<bool>()) d.misfire.max_catchup = *rc::gen::inRange(1, 5);
  if (*rc::gen::arbitrary<bool>()) d.jitter.max = Duration::millis(*rc::gen::inRange(1, 60'000));
  d.jitter.per = static_cast<Jitter::Per>(*rc::gen::inRange(0, 2));
  d.overlap = static_cast<Overlap>(*rc::gen::inRange(0, 3));
  if (*rc::gen::arbitrary<bool>()) d.until = t(*rc::gen::inRange(20, 400));
  d.paused = *rc::gen::inRange(0, 4) == 0;
  return d;
}

RC_GTEST_PROP(CoverageProperty, rows_chain_without_a_gap_and_hold_each_slot_once, ()) {
  const Definition d = drawn_definition();
  const auto begin = *rc::gen::inRange<std::int64_t>(0, 100);
  const auto length = *rc::gen::inRange<std::int64_t>(1, 200);
  const bool closed = *rc::gen::arbitrary<bool>();
  const StoreTime end = closed ? t(begin + length) : StoreTime::max();
  SegmentPlanner c = coverage(d, begin, end);
  const auto late = [&](StoreTime slot, StoreTime now) {
    return due_time(d, ScheduleId{1}, slot) + d.misfire.grace < now;
  };

  StoreTime cursor = t(begin);
  StoreTime now = t(begin);
  for (int i = 0; i < 50 && !c.drained(); ++i) {
    if (*rc::gen::arbitrary<bool>()) now += Duration::millis(*rc::gen::inRange<std::int64_t>(0, 100'000));
    if (*rc::gen::arbitrary<bool>()) c.work_ended();
    if (*rc::gen::arbitrary<bool>()) c.committed();
    if (c.wake() == StoreTime::max()) continue;
    if (c.wake() > now) now = c.wake();
    const bool busy = *rc::gen::arbitrary<bool>();
    for (const LedgerRow& row : take(c, now, busy)) {
      RC_ASSERT(row.from == cursor);
      RC_ASSERT(row.from < row.to);
      RC_ASSERT(row.to <= end);
      cursor = row.to;
      const auto first = slot_at_or_after(d, row.from);
      const bool single = row.what == Disposition::fired && row.slots == 1;
      const auto last_of_row = single ? std::optional(row.slot) : slot_before(d, row.to);
      if (row.slots > 0 && row.what != Disposition::paused)
        RC_ASSERT(row.due == due_time(d, ScheduleId{1}, *last_of_row) && row.due <= now);
      if (row.what == Disposition::fired) {
        RC_ASSERT(!d.paused);
        RC_ASSERT(row.slot >= row.from && row.slot < row.to);
        RC_ASSERT(!busy || d.overlap == Overlap::allow);
        const StoreTime until = row.slots == 1 ? row.slot + kMicro : row.to;
        RC_ASSERT(count_slots(d, row.from, until) == row.slots);
        RC_ASSERT(row.slots > 1 || slot_after(d, row.slot).value_or(row.to) >= row.to);
        const auto last = slot_before(d, row.to);
        RC_ASSERT(row.slots == 1 || (d.misfire.policy == Misfire::Policy::fire_once && late(*last, now)));
        RC_ASSERT(row.slots == 1 || row.slot == (d.misfire.once == Misfire::Which::latest ? last : first));
      } else {
        RC_ASSERT(reference::covered_end(row) <= now + kMicro);
        RC_ASSERT(row.slots == count_slots(d, row.from, row.to));
        if (row.slots == 0) continue;
        const StoreTime last = *slot_before(d, row.to);
        if (row.what == Disposition::missed) RC_ASSERT(late(last, now));
        if (row.what == Disposition::overlapped)
          RC_ASSERT(d.overlap != Overlap::allow && due_time(d, ScheduleId{1}, last) <= now);
        RC_ASSERT((row.what == Disposition::paused) == d.paused);
      }
    }
    RC_ASSERT(c.cursor() == cursor);
  }
  RC_ASSERT(!closed || !c.drained() || cursor == end);
}

}  // namespace
}  // namespace tenure
