// What a design's Lua does the same each time, what it lacks, and what ends it.
#include "adapters/lua/sandbox.h"

#include <gtest/gtest.h>

#include <lua.hpp>

#include "adapters/lua/chunk.h"
#include "adapters/lua/instants.h"

namespace tenure::lua {
namespace {

// What the chunk returns, as text; or "error: …".
std::string run(const std::string& text, const Limits& limits = {}) {
  Sandbox sandbox(limits);
  lua_State* const state = sandbox.state();
  lua_register(state, "duration", [](lua_State* of) {
    push(of, Kind::duration, check_duration(of, 1, "duration").ns());
    return 1;
  });
  for (const auto& [name, kind] :
       {std::pair{"mono", Kind::mono}, {"wall", Kind::wall}, {"store", Kind::store}}) {
    push(state, kind, 1'000'000'000);
    lua_setglobal(state, name);
  }
  sandbox.begin_step();
  Chunk chunk;
  if (const std::string problem = compile(state, text, "x.lua", chunk); !problem.empty())
    return "error: " + problem;
  const int status = lua_pcall(state, 0, 1, 0);
  if (status == LUA_OK && Sandbox::made_no_number()) return "at its end: " + sandbox.about_no_number(state);
  const std::string result = luaL_tolstring(state, -1, nullptr);
  return status == LUA_OK ? result : "error: " + result;
}

TEST(Sandbox, goes_through_a_table_in_the_order_of_its_keys) {
  EXPECT_EQ(run(R"(
    local t = { b = 1, a = 2, [3] = 3, [1.5] = 4, [true] = 5, [false] = 6, ["B"] = 7, [-1] = 8 }
    local keys = ""
    for k, v in pairs(t) do keys = keys .. tostring(k) .. "=" .. v .. " " end
    return keys)"),
            "false=6 true=5 -1=8 1.5=4 3=3 B=7 a=2 b=1 ");
  EXPECT_EQ(run("for k in pairs({[{}] = 1}) do end"),
            "error: x.lua:1: pairs() of a table with a table as a key: such keys have no order");
}

TEST(Sandbox, lets_a_loop_change_the_table_it_goes_through) {
  EXPECT_EQ(run("local t = {a = 1, b = 2} local n = 0 for k in pairs(t) do t[k] = nil t[k .. k] = 1 n = n + "
                "1 end return n"),
            "2");
}

TEST(Sandbox, sorts_equals_in_the_order_in_which_they_were) {
  EXPECT_EQ(run(R"(
    local t = {}
    for i = 1, 100 do t[i] = { key = i % 3, place = i } end
    table.sort(t, function(a, b) return a.key < b.key end)
    for i = 2, #t do
      if t[i-1].key == t[i].key and t[i-1].place > t[i].place then return "not stable" end
      if t[i-1].key > t[i].key then return "not sorted" end
    end
    local n = { 3, 1, 2 }
    table.sort(n)
    return table.concat(n, " "))"),
            "1 2 3");
}

TEST(Sandbox, shows_no_address) {
  EXPECT_EQ(run("return tostring({}) .. ' ' .. tostring(print) .. ' ' .. string.format('%s|%5d', {}, 7)"),
            "table function table|    7");
  EXPECT_EQ(run("return string.format('%p', {})"),
            "error: x.lua:1: string.format: %p shows what differs from run to run");
}

TEST(Sandbox, finds_plain_text_and_nothing_else) {
  EXPECT_EQ(run("return string.find('a.b.c', '.b')"), "2");
  EXPECT_EQ(run("return tostring(string.find('abc', '.'))"), "nil");
  EXPECT_EQ(run("return tostring(string.find('abc', 'a', 9))"), "nil");
  EXPECT_NE(run("return ('x'):match('x*')").find("a design has no string.match: patterns can take minutes"),
            std::string::npos);
}

TEST(Sandbox, lacks_what_differs_from_run_to_run_and_says_what_to_use) {
  EXPECT_EQ(run("return type(io) .. type(os) .. type(debug) .. type(package) .. type(coroutine)"),
            "nilnilnilnilnil");
  EXPECT_NE(run("return math.random()").find("a design has no math.random: use t.random(n)"),
            std::string::npos);
  EXPECT_NE(run("load('return 1')").find("a design has no load"), std::string::npos);
  EXPECT_NE(run("return next({})").find("use pairs(), which goes in order"), std::string::npos);
  EXPECT_NE(run("setmetatable({}, {__gc = function() end})").find("a metatable with __gc"),
            std::string::npos);
  EXPECT_NE(run("setmetatable({}, {__mode = 'k'})").find("a metatable with __mode"), std::string::npos);
  EXPECT_NE(run("\x1bLua").find("attempt to load a binary chunk"), std::string::npos);
}

TEST(Sandbox, has_of_math_what_all_machines_have_alike) {
  EXPECT_EQ(
      run("return math.max(1, 2.5) .. ' ' .. math.floor(2.5) .. ' ' .. math.abs(-3) .. ' ' .. 7 / 2 .. ' ' "
          ".. 7 // 2 .. ' ' .. 0.1 .. ' ' .. 1e100 .. ' ' .. math.huge"),
      "2.5 2 3 3.5 3 0.1 1e+100 inf");
  for (const char* const name :
       {"sin", "sqrt", "log", "exp", "fmod", "pow", "cosh", "log10", "frexp", "ldexp"})
    EXPECT_NE(
        run("return math." + std::string(name) + "(2, 2)").find("a design has no math." + std::string(name)),
        std::string::npos)
        << name;
  EXPECT_NE(run("return string.format('%q', 0.1)").find("%q shows what differs from run to run"),
            std::string::npos);
}

TEST(Sandbox, has_no_powers) {
  const std::string refusal =
      ": a design has no `^`: its results differ from machine to machine; x * x is exact, and 1 << n is a "
      "power of two";
  EXPECT_EQ(run("local x = 2\nreturn x ^ 0.5"), "error: x.lua:2" + refusal);
  EXPECT_EQ(run("-- 2^3 [[\nlocal a = [==[ ^ ]] ]==]\n--[[ ^\n]] return 2^3"), "error: x.lua:4" + refusal);
  EXPECT_EQ(run("local t = { 3 }\nreturn '^' .. \"\\\"^\" .. [[^]] .. t[t[1] - 2] -- ^"), "^\"^^3");
}

TEST(Sandbox, makes_no_number_that_is_none) {
  const std::string refusal =
      ": a result that is no number (0/0, or inf - inf), whose text differs from machine to machine";
  EXPECT_EQ(run("local a = 0\nlocal b = a / a\nreturn b .. ''"), "error: x.lua:2" + refusal);
  EXPECT_EQ(run("local a = 0\nlocal b = 5.0 % a\nreturn b .. ''"), "error: x.lua:2" + refusal);
  EXPECT_EQ(run("local a = math.huge\nlocal b = a - a\nreturn b .. ''"), "error: x.lua:2" + refusal);
  EXPECT_EQ(run("local ok = pcall(function()\nlocal b = 0 / 0\nreturn b\nend)\nreturn 'out'"),
            "error: x.lua:2" + refusal);
  EXPECT_EQ(run("local a = tonumber('0')\nlocal b = 5 % (a + .0)\nreturn b .. ''"),
            "error: x.lua:2" + refusal);
  EXPECT_EQ(run("local a = 1e308 * 10\nreturn (a - a) .. ''"), "at its end: " + refusal.substr(2))
      << "nothing says beforehand that it might";
  EXPECT_EQ(run("return 1 / 0 .. ' ' .. 7.5 // 2 .. ' ' .. -7.5 % 2 .. ' ' .. tostring(1e300 < 5)"),
            "inf 3.0 0.5 false");
}

TEST(Sandbox, watches_no_lines_of_a_program_of_whole_numbers) {
  const auto is_watched = [](std::string_view text) {
    Sandbox sandbox;
    Chunk chunk;
    EXPECT_EQ(compile(sandbox.state(), text, "x.lua", chunk), "");
    return chunk.watched;
  };
  EXPECT_FALSE(is_watched("local a1 = 0xe1 // 7 % 2 -- 0.5 / 3\nreturn a1 .. '1.5' .. [[ / ]]"));
  EXPECT_FALSE(is_watched("return 1.5 * 1e3 .. ''")) << "it divides nothing";
  for (const char* const text :
       {"return 1 / 2", "return math.huge", "return 1 % .5", "return 7. // 2", "return 0x1p4 // 2",
        "return 1e3 // 2", "return 9223372036854775808 // 2", "return tonumber('1') // 2"})
    EXPECT_TRUE(is_watched(text)) << text;
}

TEST(Sandbox, ends_a_loop_without_end_and_pcall_is_no_way_around_it) {
  const Limits few{.memory = 1 << 20, .instructions_a_step = 100'000};
  EXPECT_EQ(run("while true do end", few),
            "error: x.lua:1: a step of more than 100000 instructions: is there a loop that does not wait?");
  EXPECT_NE(run("while true do pcall(function() while true do end end) end return 'out'", few)
                .find("a step of more than 100000 instructions"),
            std::string::npos);
}

TEST(Sandbox, ends_what_takes_too_much_memory_and_pcall_is_no_way_around_it) {
  const Limits little{.memory = 1 << 20, .instructions_a_step = 100'000'000};
  EXPECT_NE(run("local s = 'x' while true do s = s .. s end", little).find("not enough memory"),
            std::string::npos);
  EXPECT_NE(run("pcall(function() local s = 'x' while true do s = s .. s end end) return 'out'", little)
                .find("not enough memory"),
            std::string::npos);
}

TEST(Sandbox, ends_what_takes_long_in_one_instruction) {
  const Limits few{.instructions_a_step = 100'000};
  for (const char* const text : {
           "string.rep('', 1 << 50)",
           "table.move({}, 1, 1 << 50, 2)",
           "table.concat({}, '', 1, 1 << 50)",
           "local t = {} for i = 1, 90000 do t[#t + 1] = i end for i = 1, 90000 do table.insert(t, 1, i) end",
           "local t = {} for i = 1, 20000 do t[i] = -i end table.sort(t)",
           "local t = {} for i = 1, 20000 do t[i] = i end for i = 1, 5 do pairs(t) end",
           "local s = string.rep('x', 90000) for i = 1, 90000 do string.find(s, 'y') end",
       })
    EXPECT_NE(run(text, few).find("a step of more than 100000 instructions"), std::string::npos) << text;
  // Each of these makes a new text, and drops it.
  EXPECT_NE(run("local s = string.rep('x', 1 << 20) for i = 1, 1 << 30 do local t = s .. i end")
                .find("not enough memory"),
            std::string::npos);
}

TEST(Sandbox, finds_a_long_text_in_a_long_one_at_once) {
  EXPECT_EQ(run("local a = string.rep('a', 1 << 21) return tostring(string.find(a .. a, a .. 'b'))"), "nil");
}

TEST(Sandbox, collects_garbage_before_its_memory_is_full) {
  EXPECT_EQ(run("for i = 1, 1000 do local s = string.rep('x', 100000 + i) end return pcall(error) and 'no' "
                "or 'yes'",
                Limits{.memory = 1 << 20}),
            "yes");
}

TEST(Sandbox, catches_errors_as_lua_does) {
  EXPECT_EQ(run("local good, what = pcall(error, 'no') return tostring(good) .. ' ' .. what"), "false no");
  EXPECT_EQ(run("return select('#', pcall(function() return 1, 2, 3 end))"), "4");
}

// ---- durations and instants ----------------------------------------------------------------------------------------

TEST(Instants, have_the_arithmetic_of_times) {
  EXPECT_EQ(run("return tostring(duration('1m') + '1.5s')"), "1m1.5s");
  EXPECT_EQ(run("return tostring(duration('10s') * 3 // 4)"), "7.5s");
  EXPECT_EQ(run("return duration('10s') // duration('3s')"), "3");
  EXPECT_EQ(run("return tostring(-duration('5ms'))"), "-5ms");
  EXPECT_EQ(run("return tostring((mono + '5s') - mono)"), "5s");
  EXPECT_EQ(run("return tostring(mono + '5s' > mono)"), "true");
  EXPECT_EQ(run("return tostring(wall == wall + '0s')"), "true");
  EXPECT_EQ(run("return 'at ' .. store"), "at 1970-01-01T00:00:01Z");
}

TEST(Instants, of_two_clocks_do_not_mix) {
  EXPECT_EQ(run("return wall < store"),
            "error: x.lua:1: a comparison of the wall clock with one of the store's clock: these clocks need "
            "not agree; "
            "t.as_wall(x) takes a store's time for a wall clock's");
  EXPECT_NE(run("return mono - wall").find("these clocks need not agree"), std::string::npos);
  EXPECT_NE(run("return wall == store").find("these clocks need not agree"), std::string::npos);
  EXPECT_EQ(run("return mono + mono"), "error: x.lua:1: a sum of two times of the monotonic clock");
  EXPECT_EQ(run("return mono < duration('1s')"), "error: x.lua:1: a comparison of a mono with a duration");
}

TEST(Instants, say_what_is_no_duration) {
  EXPECT_EQ(run("return duration('5')"),
            "error: x.lua:1: duration must be a duration, like \"5s\": `5` has no unit");
  EXPECT_EQ(run("return duration(5)"),
            "error: x.lua:1: duration must be a duration, like \"5s\": it is a number");
  EXPECT_EQ(run("return duration('1s') // 0"), "error: x.lua:1: a duration is divided by zero");
}

}  // namespace
}  // namespace tenure::lua
