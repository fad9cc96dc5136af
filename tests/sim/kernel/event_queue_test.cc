#include "sim/kernel/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace tenure::sim {
namespace {

TrueTime at(std::int64_t ns) { return TrueTime::from_ns(ns); }
Event named(std::uint64_t payload) { return {0, 0, 0, payload}; }

TEST(EventQueue, gives_events_by_time_and_then_by_order_of_insertion) {
  EventQueue queue;
  queue.push(at(5), named(1));
  queue.push(at(3), named(2));
  queue.push(at(5), named(3));
  queue.push(at(3), named(4));
  std::vector<std::uint64_t> order;
  while (!queue.empty()) order.push_back(queue.pop().payload);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{2, 4, 1, 3}));
}

TEST(EventQueue, a_cancelled_event_is_gone_at_once) {
  EventQueue queue;
  const EventHandle handle = queue.push(at(1), named(1));
  EXPECT_TRUE(queue.cancel(handle));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.cancel(handle));
}

TEST(EventQueue, an_old_handle_does_not_cancel_the_event_that_took_its_slot) {
  EventQueue queue;
  const EventHandle old = queue.push(at(1), named(1));
  queue.pop();
  queue.push(at(2), named(2));
  EXPECT_FALSE(queue.cancel(old));
  EXPECT_EQ(queue.size(), 1U);
}

TEST(EventQueue, setting_and_cancelling_a_timer_for_ever_leaves_nothing_behind) {
  EventQueue queue;
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(queue.cancel(queue.push(at(1'000 + i), named(1))));
  EXPECT_EQ(queue.size(), 0U);
}

// The model: a sorted list of (time, order of push).
RC_GTEST_PROP(EventQueueProperty, agrees_with_a_sorted_list_under_pushes_pops_and_cancels, ()) {
  struct Waiting {
    std::int64_t time;
    std::uint64_t order;
    EventHandle handle;
  };
  EventQueue queue;
  std::vector<Waiting> model;
  std::uint64_t pushed = 0;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 50)));
  for (const auto& [what, number] : steps) {
    if (what <= 1) {
      model.push_back({number, pushed, queue.push(at(number), named(pushed))});
      ++pushed;
    } else if (what == 2 && !model.empty()) {
      const auto next = std::min_element(model.begin(), model.end(), [](const Waiting& a, const Waiting& b) {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
      });
      RC_ASSERT(queue.next_time() == at(next->time));
      RC_ASSERT(queue.pop().payload == next->order);
      model.erase(next);
    } else if (what == 3 && !model.empty()) {
      const auto victim = model.begin() + number % static_cast<int>(model.size());
      RC_ASSERT(queue.cancel(victim->handle));
      model.erase(victim);
    }
    RC_ASSERT(queue.size() == model.size());
  }
}

}  // namespace
}  // namespace tenure::sim
