#include "core/scheduler/fenced_outbox/due_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <map>
#include <set>

namespace tenure {
namespace {

DueQueue::Routed routed;  // nothing here is for others

StoreTime at(std::int64_t s) { return StoreTime{} + Duration::seconds(s); }
Definition every(std::int64_t s) { return {.recurrence = Interval{at(0), Duration::seconds(s)}}; }
reference::Segment segment(std::uint32_t schedule, std::int64_t cursor, std::uint32_t version = 1,
                           StoreTime end = StoreTime::max()) {
  return {ScheduleId{schedule}, version, at(0), end, at(cursor)};
}

// An edit within an hour of jitter must not keep the new version's slots waiting for that hour.
TEST(DueQueue, a_version_does_not_wait_for_the_jitter_of_the_one_before_it) {
  Definition spread = every(3'600);
  spread.jitter.max = Duration::hours(1);
  const StoreTime due = due_time(spread, ScheduleId{1}, at(3'600));
  ASSERT_GT(due, at(3'700));
  DueQueue queue;
  queue.put(segment(1, 3'600, 1, at(3'650)), spread);
  queue.put(segment(1, 3'660, 2), every(60));
  EXPECT_EQ(queue.next(), at(3'660));
  std::vector<reference::LedgerRow> rows;
  queue.take_due(at(3'660), StoreTime::max(), 100, 100, {}, rows, routed);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].version, 2u);
  EXPECT_TRUE(queue.contains(ScheduleId{1}, 1));
}

TEST(DueQueue, without_room_it_takes_what_fires_nothing) {
  Definition paused = every(10);
  paused.paused = true;
  DueQueue queue;
  queue.put(segment(1, 10), paused);
  queue.put(segment(2, 30), every(10));
  std::vector<reference::LedgerRow> rows;
  queue.take_due(at(30), StoreTime::max(), 100, 0, {}, rows, routed);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].what, reference::Disposition::paused);
  queue.take_due(at(30), StoreTime::max(), 100, 1, {}, rows, routed);
  EXPECT_EQ(rows.size(), 2u);
}

// Whether they overlap, the store says: it knows what workers are at.
TEST(DueQueue, slots_for_workers_neither_wait_for_work_of_its_own_nor_are_skipped_for_it) {
  const Token token{1, 4, 99};
  Deliveries in_hand;
  for (const std::uint32_t schedule : {1u, 2u})
    in_hand.begin({{ScheduleId{schedule}, at(10), 0}}, token, MonoTime::min(), {.attempts = 3});
  Definition skips = every(10);
  skips.overlap = Overlap::skip;
  Definition pulled = skips;
  pulled.delivery.kind = Delivery::Kind::pull;
  DueQueue queue;
  queue.put(segment(1, 20, 2), pulled);
  queue.put(segment(2, 20, 2), skips);
  std::vector<reference::LedgerRow> rows;
  DueQueue::Routed to_whom;
  queue.take_due(at(20), StoreTime::max(), 100, 0, in_hand, rows, to_whom);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].what, reference::Disposition::fired);
  EXPECT_TRUE(to_whom.contains(0));
  EXPECT_EQ(rows[1].what, reference::Disposition::overlapped);

  queue.committed(ScheduleId{1});
  in_hand.finish({{ScheduleId{1}, at(10), 0}, WorkResult::running}, token, MonoTime::from_ns(1));
  in_hand.take_asks(in_hand.next_ask(), 0, token);
  ASSERT_EQ(in_hand.overlap(ScheduleId{1}, at(30)), Deliveries::Overlap::unknown);
  rows.clear();
  queue.take_due(at(30), StoreTime::max(), 100, 0, in_hand, rows, to_whom);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0].schedule, ScheduleId{1});
}

using Model = std::map<std::pair<std::uint32_t, std::uint32_t>, SegmentPlanner>;

// Against the obvious implementation: a map that is scanned.
RC_GTEST_PROP(DueQueueProperty, behaves_like_a_scan_of_all_segments, ()) {
  DueQueue queue;
  Model model;
  const auto drop_drained = [&model] {
    std::erase_if(model, [](const auto& e) { return e.second.drained(); });
  };
  for (int i = 0; i < 60; ++i) {
    const auto schedule = *rc::gen::inRange<std::uint32_t>(0, 8);
    const auto version = *rc::gen::inRange<std::uint32_t>(1, 4);
    const StoreTime time = at(*rc::gen::inRange<std::int64_t>(0, 200));
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
      case 1: {
        const auto fresh =
            segment(schedule, time.ns() / 1'000'000'000, version,
                    *rc::gen::arbitrary<bool>() ? time + Duration::seconds(40) : StoreTime::max());
        const auto definition = every(1 + schedule);
        queue.put(fresh, definition);
        const auto [it, inserted] = model.try_emplace({schedule, version}, fresh, definition);
        if (!inserted) {
          it->second.close(fresh.end);
          if (fresh.cursor > it->second.cursor()) it->second.move_to(fresh.cursor);
        }
        break;
      }
      case 2:
        queue.close_before(ScheduleId{schedule}, version, time);
        for (auto& [key, c] : model)
          if (key.first == schedule && key.second < version) c.close(time);
        break;
      case 3:
        queue.remove(ScheduleId{schedule});
        std::erase_if(model, [&](const auto& e) { return e.first.first == schedule; });
        break;
      case 4: {
        queue.move_to(ScheduleId{schedule}, version, time);
        const auto it = model.find({schedule, version});
        if (it != model.end()) it->second.move_to(time);
        break;
      }
      case 5: {
        const auto limit = *rc::gen::inRange<std::size_t>(1, 20);
        std::vector<reference::LedgerRow> rows, expected;
        queue.take_due(time, StoreTime::max(), limit, 1'000, {}, rows, routed);
        while (expected.size() < limit) {
          auto first = model.end();
          for (auto it = model.begin(); it != model.end(); ++it)
            if (first == model.end() || it->second.wake() < first->second.wake()) first = it;
          if (first == model.end() || first->second.wake() > time) break;
          const bool with_another = std::any_of(expected.begin(), expected.end(), [&](const auto& row) {
            return row.schedule.value == first->first.first && row.version != first->first.second;
          });
          if (with_another) break;
          first->second.take(time, false, expected);
          drop_drained();
        }
        RC_ASSERT(rows.size() == expected.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
          RC_ASSERT(rows[k].schedule == expected[k].schedule && rows[k].version == expected[k].version);
          RC_ASSERT(rows[k].from == expected[k].from && rows[k].to == expected[k].to);
        }
        break;
      }
    }
    drop_drained();
    RC_ASSERT(queue.size() == model.size());
    StoreTime next = StoreTime::max();
    for (const auto& [key, c] : model) next = std::min(next, c.wake());
    RC_ASSERT(queue.next() == next);
  }
}

}  // namespace
}  // namespace tenure
