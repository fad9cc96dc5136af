#include "sim/kernel/timeline.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace tenure::sim {
namespace {

struct Recorder : EventHandler {
  explicit Recorder(Timeline& t) : timeline(t), handler(t.add_handler(*this)) {}
  void on_event(const Event& event) override { seen.emplace_back(timeline.now().ns(), event.payload); }
  Timeline& timeline;
  std::uint16_t handler;
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;
};

TEST(Timeline, moves_time_to_each_event_and_then_to_the_limit) {
  Timeline timeline;
  Recorder recorder(timeline);
  timeline.at(TrueTime::from_ns(10), {recorder.handler, 0, 0, 1});
  timeline.at(TrueTime::from_ns(30), {recorder.handler, 0, 0, 2});
  EXPECT_TRUE(timeline.run_next(TrueTime::from_ns(20)));
  EXPECT_FALSE(timeline.run_next(TrueTime::from_ns(20)));
  EXPECT_EQ(timeline.now(), TrueTime::from_ns(20));
  EXPECT_EQ(recorder.seen, (std::vector<std::pair<std::int64_t, std::uint64_t>>{{10, 1}}));
}

TEST(Timeline, an_event_put_in_the_past_happens_now) {
  Timeline timeline;
  Recorder recorder(timeline);
  timeline.run_next(TrueTime::from_ns(50));
  timeline.at(TrueTime::from_ns(10), {recorder.handler, 0, 0, 1});
  timeline.run_next(TrueTime::max());
  EXPECT_EQ(recorder.seen.front().first, 50);
}

// A cluster has as many handlers as it has instances, and a few more.
TEST(Timeline, has_room_for_more_handlers_than_a_byte_can_name) {
  Timeline timeline;
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (std::uint64_t i = 0; i < 1'100; ++i) {
    recorders.push_back(std::make_unique<Recorder>(timeline));
    timeline.at(TrueTime::from_ns(1), {recorders.back()->handler, 0, 0, i});
  }
  while (timeline.run_next(TrueTime::from_ns(2))) {
  }
  for (std::uint64_t i = 0; i < recorders.size(); ++i) {
    ASSERT_EQ(recorders[i]->seen.size(), 1U) << i;
    EXPECT_EQ(recorders[i]->seen.front().second, i);
  }
}

TEST(Timeline, the_hash_covers_when_whom_and_what_each_event_concerned) {
  const auto hash_of = [](std::int64_t time, std::uint32_t subject, std::uint64_t payload) {
    Timeline timeline;
    Recorder recorder(timeline);
    timeline.at(TrueTime::from_ns(time), {recorder.handler, 0, subject, payload});
    timeline.run_next(TrueTime::max());
    return timeline.trace_hash();
  };
  EXPECT_EQ(hash_of(10, 1, 5), hash_of(10, 1, 5));
  EXPECT_NE(hash_of(10, 1, 5), hash_of(11, 1, 5));
  EXPECT_NE(hash_of(10, 1, 5), hash_of(10, 2, 5));
  EXPECT_NE(hash_of(10, 1, 5), hash_of(10, 1, 6));
}

}  // namespace
}  // namespace tenure::sim
