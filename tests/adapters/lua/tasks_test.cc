// Tasks of a program in Lua, each on a stack of its own.
#include <gtest/gtest.h>

#include <cfenv>
#include <string>

#include "adapters/lua/task_stack.h"
#include "tests/adapters/lua/one_design.h"

namespace tenure::sim {
namespace {

TEST(LuaTasks, go_on_where_they_waited_however_deep_that_is) {
  EXPECT_EQ(error_of(R"(
    local function down(n)
      if n > 0 then
        local good, sum = pcall(down, n - 1)
        assert(good, sum)
        return sum + n
      end
      t.sleep("1s")
      return 0
    end
    assert(down(150) == 150 * 151 // 2)
    assert(t.mono() > t.mono() - "1s"))"),
            "");
}

TEST(LuaTasks, fail_where_calls_go_too_deep_and_the_others_go_on) {
  EXPECT_EQ(error_of(R"(
    local function down() local good, why = pcall(down) if not good then error(why, 0) end end
    local others = 0
    t.spawn(function() for _ = 1, 3 do t.sleep("1s") others = others + 1 end end)
    t.sleep("1500ms")
    local good, why = pcall(down)
    assert(not good and string.find(why, "overflow"), why)
    t.sleep("2s")
    assert(others == 3))"),
            "");
}

TEST(LuaTasks, may_be_cancelled_wherever_they_wait_and_new_ones_take_their_place) {
  EXPECT_EQ(error_of(R"(
    local sum = 0
    for round = 1, 300 do
      local never = t.spawn(function() pcall(function() t.sleep("1h") end) error("it went on") end)
      local later = t.spawn(function() t.event().wait() error("nothing happened") end)
      local ends = t.spawn(function() t.sleep("1ms") sum = sum + round end)
      t.sleep("2ms")
      never.cancel()
      later.cancel()
      ends.cancel()
    end
    assert(sum == 300 * 301 // 2))"),
            "");
}

TEST(LuaTasks, share_the_letters) {
  EXPECT_EQ(error_of(R"(
    if t.number > 1 then
      for n = 1, 500 do t.sleep("10ms") t.send(1, "letter", n) end
      return
    end
    local first, second = 0, 0
    t.spawn(function() while true do t.receive() first = first + 1 end end)
    t.spawn(function() while true do t.receive() second = second + 1 t.sleep("7ms") end end)
    t.sleep("20s")
    assert(first > 0 and second > 0 and first + second == 500 * (t.nodes - 1), first .. " and " .. second))"),
            "");
}

TEST(LuaTasks, that_end_leave_room_for_a_thousand_more) {
  EXPECT_EQ(error_of(R"(
    for _ = 1, 3 do
      for _ = 1, 900 do t.spawn(function() t.sleep("1s") end) end
      t.sleep("2s")
    end)"),
            "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(TaskStack, switches_to_and_fro_and_is_used_again) {
  struct Count {
    lua::TaskStack stack;
    int steps = 0;
  } count;
  const auto body = [](void* of) {
    auto& it = *static_cast<Count*>(of);
    ++it.steps;
    it.stack.wait();
    ++it.steps;
  };
  for (int round = 0; round < 3; ++round) {
    count.steps = 0;
    count.stack.begin(body, &count);
    EXPECT_EQ(count.steps, 1);
    EXPECT_FALSE(count.stack.is_over());
    if (round == 1) continue;  // forgotten while it waits
    count.stack.go_on();
    EXPECT_EQ(count.steps, 2);
    EXPECT_TRUE(count.stack.is_over());
  }
}

TEST(TaskStack, keeps_in_mind_that_a_result_was_no_number) {
  std::feclearexcept(FE_ALL_EXCEPT);
  lua::TaskStack stack;
  stack.begin([](void*) { std::feraiseexcept(FE_INVALID); }, nullptr);
  EXPECT_NE(std::fetestexcept(FE_INVALID), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
  stack.begin([](void*) {}, nullptr);
  EXPECT_EQ(std::fetestexcept(FE_INVALID), 0);
}
#endif

}  // namespace
}  // namespace tenure::sim
