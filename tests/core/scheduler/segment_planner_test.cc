// How slots become ledger rows, as text in segment_planner.txt; and the laws of it.
#include "core/scheduler/fenced_outbox/segment_planner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/model/describe.h"
#include "core/scheduler/fenced_outbox/schedule_table.h"
#include "core/store/reference/tables.h"
#include "tests/support/interaction.h"

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
// "30", or "30s+1us" for what is not in whole seconds.
std::string text_of(StoreTime time) {
  if (time == StoreTime::max()) return "never";
  const std::int64_t us = time.ns() / 1'000;
  const std::string seconds = std::to_string(us / 1'000'000);
  return us % 1'000'000 == 0 ? seconds : seconds + "s+" + std::to_string(us % 1'000'000) + "us";
}

// in [fire_once [earliest]|skip] [paused] [unreadable] [overlap skip|queue_one] [window 100s] [catchup 3]
// [from 15] [until 30]; segment 10 to 17; take 50 [busy]; fires 50; ended; committed; close 15
class SegmentTalk {
 public:
  explicit SegmentTalk(const std::string&) {}
  std::string say(const std::string& line) {
    answers_.clear();
    testing::for_each_statement(line, [this](testing::Words words) { do_one(std::move(words)); });
    if (planner_ && (!last_ || *last_ != state())) answers_.push_back(*(last_ = state()));
    return testing::wrapped(answers_, "; ");
  }
  std::string end() { return ""; }

 private:
  static StoreTime time_of(testing::Words& words) { return t(words.number()); }
  std::string state() const {
    if (planner_->drained()) return "drained";
    return planner_->wake() == StoreTime::max() ? "rests" : "wakes at " + text_of(planner_->wake());
  }
  void define(testing::Words& words) {
    Misfire& misfire = definition_.misfire;
    while (!words.done()) {
      const std::string what = words.next();
      if (what == "fire_once") misfire.policy = Misfire::Policy::fire_once;
      if (what == "skip") misfire.policy = Misfire::Policy::skip;
      if (what == "earliest") misfire.once = Misfire::Which::earliest;
      if (what == "window") misfire.catchup_window = testing::duration_of(words.next()).value();
      if (what == "catchup") misfire.max_catchup = words.number();
      if (what == "overlap")
        definition_.overlap = words.next() == "skip" ? Overlap::skip : Overlap::queue_one;
      if (what == "paused") definition_.paused = true;
      if (what == "every")
        definition_.recurrence = Interval{t(0), testing::duration_of(words.next()).value()};
      if (what == "from") definition_.not_before = time_of(words);
      if (what == "until") definition_.until = time_of(words);
      if (what == "unreadable") definition_ = unreadable_definition();
    }
  }
  void do_one(testing::Words words) {
    if (words.take("in")) return define(words);
    if (words.take("segment")) {
      const std::int64_t cursor = words.number();
      planner_ = coverage(definition_, cursor, words.take("to") ? time_of(words) : StoreTime::max());
    } else if (words.take("take")) {
      const StoreTime now = time_of(words);
      for (const LedgerRow& row : tenure::take(*planner_, now, words.take("busy"))) {
        const bool fired = row.what == Disposition::fired;
        answers_.push_back(fmt::format(
            "{}{} in {}..{}{}", name_of(row.what), fired ? " " + text_of(row.slot) : "", text_of(row.from),
            text_of(row.to), fired && row.slots == 1 ? "" : " x" + std::to_string(row.slots)));
      }
    } else if (words.take("fires")) {
      answers_.emplace_back(planner_->fires(time_of(words), false) ? "fires" : "does not fire");
    } else if (words.take("ended")) {
      planner_->work_ended();
    } else if (words.take("committed")) {
      planner_->committed();
    } else if (words.take("close")) {
      planner_->close(time_of(words));
    }
    EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
  }

  Definition definition_ = every_ten();
  std::optional<SegmentPlanner> planner_;
  std::optional<std::string> last_;
  std::vector<std::string> answers_;
};

TEST(SegmentPlanner, does_as_its_text_says) {
  testing::expect_interaction<SegmentTalk>("tests/core/scheduler/segment_planner.txt");
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

TEST(SegmentPlanner, with_jitter_a_slot_waits_for_its_due_time_and_keeps_its_name) {
  Definition d = every_ten();
  d.jitter.max = Duration::seconds(10);
  SegmentPlanner c = coverage(d, 10);
  const StoreTime due = due_time(d, ScheduleId{1}, t(10));
  ASSERT_GT(due, t(10));
  ASSERT_LT(due, t(20));
  EXPECT_EQ(c.wake(), due);
  const auto rows = take(c, due);
  EXPECT_EQ(rows[0].slot, t(10));
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
