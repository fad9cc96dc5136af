// What monitors see of a run: a fault or a setting that could break an assumption, and did not, excuses nothing.
#include "sim/runner/assumption_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

constexpr TrueTime monitored_second(std::int64_t second) { return TrueTime{} + Duration::seconds(second); }

std::string monitored_fault(const std::string& at, const std::string& rest) {
  return "[[fault]]\nat = \"" + at + "\"\n" + rest + "\n";
}

std::vector<BrokenSpan> seen_in(const std::string& text) {
  Recording recording;
  run(parsed(text), 1, {.story = false, .recording = &recording});
  return recording.broken;
}
std::vector<BrokenSpan> seen_in(const std::string& text, std::string_view assumption) {
  std::vector<BrokenSpan> all = seen_in(text);
  std::erase_if(all, [&](const BrokenSpan& one) { return one.assumption != assumption; });
  return all;
}
bool saw(const std::string& text, std::string_view assumption) { return !seen_in(text, assumption).empty(); }

// ---- clocks ------------------------------------------------------------------------------------------------

TEST(AssumptionMonitor, counts_a_clock_as_moved_from_a_microsecond_on) {
  const auto step = [](const std::string& by) {
    return monitored_fault("20s", "action = \"clock-step\"\ntarget = \"n1\"\nby = \"" + by + "\"");
  };
  EXPECT_FALSE(saw(small(step("-999ns"), "db-lease", "none"), "wall-in-step"));
  EXPECT_TRUE(saw(small(step("-1us"), "db-lease", "none"), "wall-in-step"));
  EXPECT_TRUE(saw(small(step("600ns") + step("600ns"), "db-lease", "none"), "wall-in-step"))
      << "small ones add up";
  EXPECT_FALSE(saw(small(step("600ns") + step("-600ns"), "db-lease", "none"), "wall-in-step"))
      << "it is right again";
}

TEST(AssumptionMonitor, adds_up_the_steps_of_the_store) {
  const std::string step = monitored_fault("10s", "action = \"store-clock-step\"\nby = \"-600ns\"");
  EXPECT_FALSE(saw(small(step, "client-go", "none"), "no-store-step"));
  EXPECT_TRUE(saw(small(step + step, "client-go", "none"), "no-store-step"));
}

TEST(AssumptionMonitor, measures_what_a_rate_moves_beyond_its_bound) {
  const auto rate = [](const std::string& ppm, const std::string& duration) {
    return small(monitored_fault("10s", "action = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = " + ppm +
                                            "\nduration = \"" + duration + "\""));
  };
  EXPECT_FALSE(saw(rate("501", "1ns"), "rates-equal"));
  EXPECT_FALSE(saw(rate("\"-501\"", "1ms"), "rates-equal"));
  EXPECT_TRUE(saw(rate("501", "10ms"), "rates-equal"));
  EXPECT_FALSE(saw(rate("501", "10ms"), "rate-bound")) << "10 ns beyond 500 ppm";
  EXPECT_TRUE(saw(rate("501", "10s"), "rate-bound"));
  const auto on_both = [&](const std::string& second) {
    return small(monitored_fault(
                     "10s", "action = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = 300\nduration = \"30s\"") +
                 monitored_fault("20s", "action = \"clock-rate\"\ntarget = \"" + second +
                                            "\"\nrate_ppm = 300\nduration = \"30s\""));
  };
  EXPECT_TRUE(saw(on_both("n1"), "rate-bound"));
  EXPECT_FALSE(saw(on_both("n2"), "rate-bound")) << "the sum of two clocks is no clock's";
}

TEST(AssumptionMonitor, tells_a_suspended_machine_from_a_broken_clock) {
  const std::string suspended =
      small(monitored_fault("20s", "action = \"vm-pause\"\ntarget = \"n2\"\nduration = \"5s\""));
  for (const char* name : {"no-mono-freeze", "no-pause", "rates-equal"}) {
    const std::vector<BrokenSpan> broken = seen_in(suspended, name);
    ASSERT_EQ(broken.size(), 1U) << name;
    EXPECT_EQ(broken.front().span, (Span{monitored_second(20), monitored_second(25)})) << name;
    EXPECT_EQ(broken.front().nodes, std::vector{NodeId{1}}) << name;
  }
  EXPECT_FALSE(saw(suspended, "rate-bound"));
  EXPECT_TRUE(
      saw(small(monitored_fault("20s", "action = \"clock-freeze\"\ntarget = \"n2\"\nduration = \"5s\"")),
          "rate-bound"));
}

// ---- processes ---------------------------------------------------------------------------------------------

// A restart is over when the process is there again, and not with the heal.
TEST(AssumptionMonitor, knows_when_a_process_is_back) {
  const std::vector<BrokenSpan> broken = seen_in(
      small(monitored_fault("20s", "action = \"restart\"\ntarget = \"n1\"\ndown = \"3s\"")), "no-crash");
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken.front().span, (Span{monitored_second(20), monitored_second(23)}));
}

// ---- answers -----------------------------------------------------------------------------------------------

TEST(AssumptionMonitor, blames_a_store_only_for_answers_that_came_late) {
  const auto down = [](const std::string& duration) {
    return small(monitored_fault("20s", "action = \"store-down\"\nduration = \"" + duration + "\""));
  };
  EXPECT_TRUE(saw(down("10s"), "prompt-store"));
  EXPECT_FALSE(saw(down("1us"), "prompt-store")) << "nobody asked for anything";
}

TEST(AssumptionMonitor, excuses_only_whose_answers_came_late) {
  const std::vector<BrokenSpan> broken =
      seen_in(small(monitored_fault(
                  "20s", "action = \"partition\"\ntarget = \"n2\"\npeers = \"store\"\nduration = \"10s\"")),
              "prompt-store");
  ASSERT_FALSE(broken.empty());
  for (const BrokenSpan& one : broken) EXPECT_EQ(one.nodes, std::vector{NodeId{1}});
}

// Its slowest answer would be too late. None was so slow.
TEST(AssumptionMonitor, takes_settings_at_what_they_did) {
  const auto with = [](const std::string& latency) {
    return small("[store]\nlatency = " + latency + "\n", "fenced-lease", "none");
  };
  const std::string rarely_slow = with("{ min = \"1ms\", p50 = \"1ms\", p9999 = \"2ms\", max = \"20s\" }");
  EXPECT_FALSE(broken_at_rest(parsed(rarely_slow)).empty());
  EXPECT_FALSE(saw(rarely_slow, "prompt-at-rest"));
  EXPECT_TRUE(saw(with("\"21s\""), "prompt-at-rest"));
}

}  // namespace
}  // namespace tenure::sim
