// What a design keeps on its disk, and writes to the outside world.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/adapters/lua/one_design.h"

namespace tenure::sim {
namespace {

// What the second life of n1 finds: how many of three writes that were not synced, with the first one synced before.
std::string found_after(const std::string& action, std::uint64_t seed) {
  const OneDesign design(R"(
    if t.number > 1 then return end
    if t.disk.get("life") == nil then
      t.disk.put("life", t.identity)
      t.disk.sync()
      for i = 1, 3 do t.disk.put("write " .. i, i) end
      t.on_stop(function() end)
      return t.sleep("1h")
    end
    assert(t.disk.get("life") == "n1#1")
    local count = 0
    for i = 1, 3 do if t.disk.get("write " .. i) == i then count = count + 1 end end
    assert(count == 3 or t.disk.get("write 3") == nil)
    error("found " .. count))");
  const RunResult result = run(scenario_of(design, "[[fault]]\nat = \"20s\"\naction = \"" + action +
                                                       "\"\ntarget = \"n1\"\nduration = \"5s\"\n"),
                               seed);
  const CheckResult& check = check_of(result, "design-error");
  const std::string what = check.violations.empty() ? "" : check.violations.front().message;
  const std::size_t at = what.find("found ");
  return at == std::string::npos ? what : what.substr(at, 7);
}

TEST(LuaDesign, finds_on_its_disk_what_it_synced_and_perhaps_some_of_the_rest) {
  std::set<std::string> crashed;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) crashed.insert(found_after("kill", seed));
  EXPECT_EQ(crashed, (std::set<std::string>{"found 0", "found 1", "found 2", "found 3"}));
  EXPECT_EQ(found_after("kill", 5), found_after("kill", 5));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) EXPECT_EQ(found_after("stop", seed), "found 3");
}

TEST(LuaDesign, has_values_on_its_disk) {
  EXPECT_EQ(error_of(R"(
    local values = { "a text with \0", "", 7, -1, true, false, t.duration("-5s"), t.mono(), t.wall() }
    for i, value in ipairs(values) do t.disk.put("key", value) assert(t.disk.get("key") == value, i) end
    assert(t.disk.get("another") == nil)
    local before = t.mono()
    t.disk.sync()
    assert(t.mono() > before and t.mono() - before <= t.duration("10ms"), "a sync takes time"))"),
            "");
  for (const auto& [node, words] : {std::pair{"t.disk.put('a', {})",
                                              "t.disk.put: a value is text, a whole number, true or false, a "
                                              "duration or a time, and not a table"},
                                    {"t.disk.put('a')", "and not nil"},
                                    {"t.disk.put('a', 1.5)", "and not a number"},
                                    {"t.disk.get(5)", "t.disk.get: a key is text, and not a number"},
                                    {"t.disk.putt('a', 1)", "there is no t.disk.putt; did you mean `put`?"},
                                    {"for i = 1, 20 do t.disk.put('a' .. i, string.rep('x', 60000)) end",
                                     "t.disk.put: the disk is full"}})
    EXPECT_NE(error_of(node).find(words), std::string::npos) << node << ": " << error_of(node);
}

// The first node writes under token 1 at 5 s and 15 s; the second leads from 10 s on, and writes under token 2.
RunResult written(const std::string& more, const std::string& claims = "") {
  const OneDesign design(R"(
    if t.number == 1 then
      t.believe{open = true, token = 1}
      t.sleep("5s")
      assert(t.leads() and t.write{token = 1} == "done")
      t.sleep("10s")
      t.log(t.write{})
      t.step_down("done")
    elseif t.number == 2 then
      t.sleep("10s")
      t.believe{open = true, token = 2}
      assert(t.write{token = t.token()} == "done")
      assert(t.write{timeout = "1ns"} == "unknown")
      t.sleep("5s")
    end)",
                         "tokens = true, claims = {" + claims + "},");
  return run(scenario_of(design, more), 1);
}

TEST(LuaDesign, writes_under_its_token_and_is_judged_by_it) {
  const char* const kClaims =
      "['fenced-writes'] = {}, ['acts-within-belief'] = {}, ['one-holder-per-epoch'] = {}";
  const RunResult fenced = written("", kClaims);
  EXPECT_EQ(check_of(fenced, "design-error").violation_count, 0U);
  EXPECT_EQ(check_of(fenced, "fenced-writes").violation_count, 0U);
  EXPECT_EQ(check_of(fenced, "fenced-writes").opportunities, 2U);
  EXPECT_EQ(check_of(fenced, "acts-within-belief").opportunities, 4U);
  EXPECT_GT(check_of(fenced, "one-holder-per-epoch").opportunities, 0U);
  const RunResult open = written("[work]\nfenced = false\n", kClaims);
  EXPECT_EQ(open.verdict, Verdict::fail);
  const CheckResult& check = check_of(open, "fenced-writes");
  ASSERT_EQ(check.violation_count, 1U);
  EXPECT_NE(check.violations.front().message.find("n1 wrote to the resource under"), std::string::npos)
      << check.violations.front().message;
  EXPECT_EQ(check_of(open, "design-error").violation_count, 0U);
}

// It never says that it has looked whether it leads.
TEST(LuaDesign, with_a_flag_of_its_own_is_struck_between_its_step_and_its_write) {
  const OneDesign design(R"(
    t.sleep(t.number == 1 and "5s" or "10s")
    if t.number > 2 then return end
    t.believe{open = true, token = t.number}
    t.write{})",
                         "tokens = true,");
  const RunResult result =
      run(scenario_of(design,
                      "[[fault]]\non = \"leadership-checked\"\nafter = \"1us\"\naction = \"pause\"\n"
                      "target = \"n1\"\nduration = \"20s\"\n"),
          1);
  EXPECT_EQ(check_of(result, "design-error").violation_count, 0U);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().skipped, "");
  EXPECT_EQ(result.metrics.stale_writes_rejected, 1U) << "it wrote when it woke up, after the second one";
}

TEST(LuaDesign, that_writes_without_a_right_to_is_found) {
  const auto violations = [](const std::string& node, const char* checker) {
    const OneDesign design(node, "tokens = true,");
    return check_of(run(scenario_of(design), 1), checker).violation_count;
  };
  EXPECT_EQ(violations("t.write{token = t.number}", "acts-within-belief"), 3U);
  EXPECT_EQ(violations("t.believe{open = true, token = t.number} t.write{}", "acts-within-belief"), 0U);
  EXPECT_EQ(violations("t.believe{open = true, token = t.number} t.write{token = 1}", "one-holder-per-epoch"),
            2U);
  EXPECT_EQ(violations("t.sleep(t.number * t.duration('1s')) t.write{}", "fenced-writes"), 3U)
      << "without a token";
}

}  // namespace
}  // namespace tenure::sim
