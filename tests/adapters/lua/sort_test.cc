// table.sort of times, which Lua itself does not compare.
#include <gtest/gtest.h>

#include <string>

#include "tests/adapters/lua/one_design.h"

namespace tenure::sim {
namespace {

TEST(LuaSort, puts_times_of_one_clock_in_order_and_equal_ones_as_they_were) {
  EXPECT_EQ(error_of(R"(
    local now = t.mono()
    local first, second = now + "1s", now + "1s"
    local times = { now + "3s", first, now, second, now - "1s" }
    table.sort(times)
    local expected = { now - "1s", now, first, second, now + "3s" }
    for i = 1, 5 do assert(rawequal(times[i], expected[i]) or times[i] == expected[i], i) end
    assert(rawequal(times[3], first) and rawequal(times[4], second))
    local lengths = { t.duration("2s"), t.duration("-1s"), t.duration("1ms") }
    table.sort(lengths)
    assert(lengths[1] == t.duration("-1s") and lengths[3] == t.duration("2s"))
    table.sort(times, function(a, b) return a > b end)
    assert(times[1] == now + "3s" and times[5] == now - "1s"))"),
            "");
}

TEST(LuaSort, refuses_times_of_two_clocks_as_a_comparison_does) {
  EXPECT_NE(error_of("table.sort({ t.mono(), t.mono(), t.wall() })").find("a comparison of the"),
            std::string::npos);
  EXPECT_NE(error_of("table.sort({ t.mono(), 3 })").find("an operand must be a duration"), std::string::npos);
}

}  // namespace
}  // namespace tenure::sim
