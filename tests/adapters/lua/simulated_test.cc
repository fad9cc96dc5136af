// Designs in Lua, run by the simulator.
#include <gtest/gtest.h>

#include <string>

#include "sim/stores/registry.h"
#include "tests/adapters/lua/one_design.h"

namespace tenure::sim {
namespace {

// The first node leads, for as long as it says so again.
const char* const kFirst = R"(
  if t.number == 1 then
    while true do
      t.believe{until_mono = t.mono() + "4s"}
      for i = 2, t.nodes do t.send(i, "beat", i) end
      t.sleep("2s")
    end
  end
  while true do
    local from, kind, n = t.receive()
    if from ~= 1 or kind ~= "beat" or n ~= t.number then error("a wrong letter") end
  end)";

TEST(LuaDesign, runs_and_does_the_same_each_time) {
  const OneDesign design(kFirst);
  const Scenario scenario = scenario_of(design);
  const RunResult one = run(scenario, 7);
  EXPECT_EQ(one.verdict, Verdict::pass);
  EXPECT_EQ(one.trace_hash, run(scenario, 7).trace_hash);
  EXPECT_NE(one.trace_hash, run(scenario, 8).trace_hash);
  EXPECT_EQ(check_of(one, "design-error").opportunities, 3U);
}

TEST(LuaDesign, begins_anew_in_each_life) {
  const OneDesign design(
      "lives = (lives or 0) + 1\nif lives > 1 then error('a second life in one state') end\n" +
      std::string(kFirst));
  const RunResult result =
      run(scenario_of(design,
                      "[[fault]]\nat = \"20s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"10s\"\n"),
          1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_GT(result.metrics.leaderless, Duration::seconds(9));
  EXPECT_EQ(check_of(result, "design-error").opportunities, 4U);
}

TEST(LuaDesign, that_fails_is_a_finding_about_it) {
  const OneDesign design("t.believe{open = true}\nt.sleep('5s')\nlocal nothing = nil\nreturn nothing.field");
  const RunResult result = run(scenario_of(design), 1);
  EXPECT_EQ(result.verdict, Verdict::fail);
  const CheckResult& check = check_of(result, "design-error");
  ASSERT_EQ(check.violation_count, 3U);
  EXPECT_NE(check.violations.front().message.find(
                "the program of n1 failed: node: my.lua:6: attempt to index a nil value (local 'nothing')"),
            std::string::npos)
      << check.violations.front().message;
  EXPECT_NE(check.violations.front().message.find("stack traceback"), std::string::npos);
}

TEST(LuaDesign, whose_loop_does_not_wait_ends) {
  const RunResult result = run(scenario_of(OneDesign("while true do end")), 1);
  EXPECT_NE(check_of(result, "design-error").violations.front().message.find("a step of more than"),
            std::string::npos);
}

TEST(LuaDesign, whose_loop_waits_for_no_time_ends_too) {
  for (const char* const none : {"0s", "-1s"}) {
    const OneDesign design("while true do t.sleep('" + std::string(none) + "') end");
    const RunResult result = run(scenario_of(design), 7);
    EXPECT_EQ(result.verdict, Verdict::fail);
    const std::string message = check_of(result, "design-error").violations.front().message;
    EXPECT_NE(message.find("a loop waits for no time at all"), std::string::npos) << message;
    EXPECT_NE(message.find("my.lua:3"), std::string::npos) << message;
  }
}

TEST(LuaDesign, that_takes_all_memory_ends_too) {
  for (const char* const node : {"local t = {} while true do t[#t + 1] = {} end",
                                 "pcall(function() local s = 'x' while true do s = s .. s end end)",
                                 "local function deep(n) return 1 + deep(n + 1) end deep(1)"}) {
    const RunResult result = run(scenario_of(OneDesign(node)), 1);
    EXPECT_EQ(check_of(result, "design-error").violation_count, 3U) << node;
  }
  for (const auto& [node, said] :
       {std::pair{"local t = {} while true do t[#t + 1] = {} end", "not enough memory: a process has 16 MB"},
        {"local s = ('x'):rep(1 << 20) for i = 1, 1 << 30 do local t = s .. i end",
         "not enough memory: a step has 512 MB"}}) {
    const RunResult result = run(scenario_of(OneDesign(node)), 1);
    EXPECT_NE(check_of(result, "design-error").violations.front().message.find(said), std::string::npos)
        << node;
  }
}

TEST(LuaDesign, has_no_store_without_a_schema) {
  const RunResult result = run(scenario_of(OneDesign("t.sql{'SELECT 1'}")), 1);
  EXPECT_NE(check_of(result, "design-error").violations.front().message.find("the design has no `schema`"),
            std::string::npos);
}

TEST(LuaDesign, cannot_wait_where_nothing_can_go_on) {
  const RunResult result = run(scenario_of(OneDesign("table.sort({2, 1}, function() t.sleep('1s') end)")), 1);
  EXPECT_NE(
      check_of(result, "design-error").violations.front().message.find("what sorts or compares cannot wait"),
      std::string::npos);
}

TEST(LuaDesign, logs_what_it_likes) {
  const RunResult result =
      run(scenario_of(OneDesign("t.log('x') t.log('x', 3) t.log(t.mono(), 4) t.log({})")), 1);
  EXPECT_EQ(check_of(result, "design-error").violation_count, 0U);
}

TEST(LuaDesign, waits_for_events_and_no_longer_than_it_says) {
  EXPECT_EQ(error_of(R"(
    local begun = t.mono()
    local one, other = t.event(), t.event()
    t.spawn(function() t.sleep("3s") one.set("x") one.set("y") t.sleep("2s") other.set(7) end)
    local value, why = one.wait("1s")
    assert(value == nil and why == "timeout" and t.mono() - begun == t.duration("1s"))
    assert(one.wait() == "x" and t.mono() - begun == t.duration("3s"))
    assert(one.wait() == "x", "it has happened for good")
    local which, what = t.any{other, timeout = "1s"}
    assert(which == nil and what == "timeout")
    which, what = t.any{other, one}
    assert(which == 2 and what == "x")
    which, what = t.any{other}
    assert(which == 1 and what == 7 and t.mono() - begun == t.duration("5s")))"),
            "");
}

TEST(LuaDesign, has_deadlines_that_cancel_what_takes_too_long) {
  EXPECT_EQ(error_of(R"(
    local went_on = false
    local a, b, c = t.deadline("5s", function() t.sleep("1s") return 1, nil, 3 end)
    assert(a == 1 and b == nil and c == 3)
    local none, why = t.deadline("2s", function() t.sleep("3s") went_on = true end)
    assert(none == nil and why == "deadline")
    t.sleep("5s")
    assert(not went_on))"),
            "");
}

TEST(LuaDesign, ticks_and_names_what_becomes_of_missed_ticks) {
  const std::string ticks = R"(
    local begun, at = t.mono(), ""
    t.deadline("10s", function()
      t.every("2s", function()
        at = at .. (t.mono() - begun) // t.duration("1s") .. " "
        if at == "0 2 " then t.sleep("5s") end
      end, missed)
    end)
    error("ticks " .. at))";
  for (const auto& [missed, wanted] : {std::pair{"nil", "ticks 0 2 8 "},
                                       {"'skip'", "ticks 0 2 8 "},
                                       {"'catch up'", "ticks 0 2 7 7 8 "},
                                       {"'delay'", "ticks 0 2 9 "}}) {
    const std::string said = error_of("local missed = " + std::string(missed) + ticks);
    EXPECT_NE(said.find(wanted), std::string::npos) << missed << ": " << said;
  }
  EXPECT_NE(error_of("t.every('2s', function() end, 'later')").find("missed ticks are"), std::string::npos);
}

TEST(LuaDesign, cancels_what_it_does_while_leading) {
  EXPECT_EQ(error_of(R"(
    local begun = t.mono()
    local function passed() return (t.mono() - begun) // t.duration("1s") end
    assert(not t.while_leading(function() error("nobody leads") end))
    t.believe{until_mono = t.mono() + "3s"}
    t.spawn(function() t.sleep("2s") t.believe{until_mono = t.mono() + "3s"} end)
    local worked = 0
    assert(not t.while_leading(function() while true do worked = worked + 1 t.sleep("1s") end end))
    assert(passed() == 5 and worked == 5, "extended once, and over by itself")
    t.believe{open = true}
    t.spawn(function() t.sleep("2s") t.step_down("test") end)
    assert(not t.while_leading(function() t.sleep("1h") end))
    assert(passed() == 7, "until it steps down")
    t.believe{open = true}
    assert(t.while_leading(function() t.sleep("1s") end), "it was done first")
    t.step_down("test"))"),
            "");
}

TEST(LuaDesign, may_cancel_its_tasks_and_is_asked_to_stop) {
  const OneDesign design(R"(
    local loud = t.spawn("loud", function() while true do t.sleep("1s") t.believe{open = true} end end)
    t.on_stop(function() loud.cancel() t.step_down("deploy") t.sleep("1s") end)
    if t.number ~= 1 then loud.cancel() end)");
  const RunResult result = run(scenario_of(design,
                                           "[[fault]]\nat = \"20s\"\naction = \"stop\"\ntarget = "
                                           "\"n1\"\ngrace = \"30s\"\nduration = \"5s\"\n"),
                               1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_GT(result.metrics.leaderless, Duration::seconds(6))
      << "it stepped down, stopped a second later, and came back";
  EXPECT_LT(result.metrics.leaderless, Duration::seconds(9));
}

TEST(LuaDesign, has_its_parameters_and_its_draws) {
  const OneDesign design(
      R"(
    if t.p.wait ~= t.duration("7s") or t.p.tries ~= 3 or not t.p.strict then error("parameters") end
    for i = 1, 100 do
      local n = t.random(6)
      if n < 1 or n > 6 then error("a die of " .. n) end
    end
    if t.number == 1 then t.believe{open = true} end)",
      "parameters = { wait = { default = '5s' }, tries = { default = 3 }, strict = { default = true } },");
  EXPECT_EQ(run(scenario_of(design, "[election]\nwait = \"7s\"\n"), 1).verdict, Verdict::pass);
  EXPECT_EQ(run(scenario_of(design), 1).verdict, Verdict::fail) << "5s is not 7s";
}

TEST(LuaDesign, that_mixes_two_clocks_is_told_so) {
  const RunResult result = run(scenario_of(OneDesign("t.believe{until_wall = t.mono()}")), 1);
  EXPECT_NE(check_of(result, "design-error")
                .violations.front()
                .message.find("until_wall must be a time of the wall clock, like t.wall() + \"5s\""),
            std::string::npos);
}

TEST(LuaDesign, that_spawns_without_end_is_told_so) {
  EXPECT_NE(error_of("local function two() t.sleep('1ms') t.spawn(two) t.spawn(two) end two()")
                .find("more than 1000 tasks: does each of them end?"),
            std::string::npos);
}

TEST(LuaDesign, is_told_of_options_that_there_are_not) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"t.any{t.event(), timeot = '1s'}", "t.any has no option `timeot`; did you mean `timeout`?"},
      {"t.any{5}", "my.lua:3: t.any takes events of t.event"},
      {"t.believe{open = true, tokne = 4}", "t.believe has no option `tokne`; did you mean `token`?"},
      {"t.believe{open = true, token = 4}", "t.believe: a token needs a design with tokens = true"},
      {"t.every('1s')", "my.lua:3: t.every takes a function, and not nil"},
      {"t.while_leading(5)", "my.lua:3: t.while_leading takes a function, and not number"},
      {"t.deadline('1s', 5)", "my.lua:3: t.deadline takes a function, and not number"},
      {"t.spawn('x')", "t.spawn takes a function, or a name and a function"},
      {"t.as_wall(t.wall())", "t.as_wall takes a time that a store gave, and not a time of the wall clock"},
      {"t.unix_ms(t.mono())",
       "t.unix_ms takes a time of the wall clock or of a store, and not a time of the monotonic clock"},
      {"local x = t.p.pol", "there is no parameter `pol`; it has none"},
      {"error({})", "an error that is a table"},
      {"t.slepe('1s')", "my.lua:3: there is no t.slepe; did you mean `sleep`?"},
      {"t.store('redis')", "the design names no store, as in stores = { \"redis\" }"},
      {"t.watch('jobs')",
       "there is no t.watch: no store of a design tells anybody of a change; poll it with t.every"},
      {"t.run{schedule = 1}", "t.run is for a scheduler"},
      {"t.write{tokne = 1}", "t.write has no option `tokne`; did you mean `token`?"},
      {"t.write{token = 'a'}", "t.write: token is t.token() or a whole number, and not a string"},
      {"local of = t of.write{}", "write t.write{…} out"},
      {"t.slot_after('daily', 1)", "t.slot_after takes a time of the store, and not a number"},
      {"t.slot_after(1, 1)",
       "t.slot_after takes a rule, which put_schedule is given as s.rule, and not a number"},
      {"t.slot_after('daily', t.as_store(t.wall()))",
       "t.slot_after: the rule `daily`: it begins with cron, every or at"},
  };
  for (const auto& [node, words] : kWrong)
    EXPECT_NE(error_of(node).find(words), std::string::npos) << node << ": " << error_of(node);
  for (const auto& [node, words] : kWrong)
    EXPECT_EQ(error_of(node).find("prelude"), std::string::npos) << node;
}

TEST(LuaDesign, ends_when_a_result_is_no_number) {
  const std::string message = error_of("local a = 0\nlocal b = a / a\nt.log(b)\n t.sleep('1s')");
  EXPECT_NE(message.find("node: my.lua:4: a result that is no number (0/0, or inf - inf)"), std::string::npos)
      << message;
  const std::string late = error_of("local a = 1e308 * 10\na = a - a\nt.sleep('1s')");
  EXPECT_NE(late.find("node: a result that is no number"), std::string::npos) << late;
  EXPECT_NE(late.find("my.lua:5: in function"), std::string::npos) << "where it waits: " << late;
}

TEST(LuaDesign, says_what_no_report_can_show_in_other_letters) {
  const std::string message = error_of("error('bad \\xff \\27[31m \\194\\155 \\195\\164')");
  EXPECT_NE(message.find("bad \\xff \\x1b[31m \\xc2\\x9b ä"), std::string::npos) << message;
}

TEST(LuaDesign, whose_leadership_goes_round_loses_nothing_when_it_steps_down) {
  const char* const node =
      "while true do t.believe{open = true} t.sleep('5s') t.step_down('done') t.sleep('5s') end";
  // A design with a store; without one leadership is taken to go round.
  const std::string schema = "schema = 'CREATE TABLE a (b int)', ";
  const auto lost = [&](const std::string& more) {
    lua::Problem problem;
    const auto design = lua::Design::read(
        "my.lua",
        "return { name = 'mine', " + more + " node = function(t)\nif t.number > 1 then return end\n" + node +
            " end }",
        [](const std::string&, std::string&) { return &kLeaseTableStore; }, problem);
    EXPECT_NE(design, nullptr) << problem.text;
    const OneDesign other("t.sleep('1s')");
    Scenario scenario = scenario_of(other);
    scenario.protocol = &design->kind();
    return run(scenario, 1).metrics.false_failovers;
  };
  EXPECT_GT(lost(schema), 0U);
  EXPECT_EQ(lost(schema + "goes_round = true, "), 0U);
}

// How long a tail must be, in the words of the error; empty: the one of scenario_of() is long enough.
std::string tail_for(const std::string& row) {
  const OneDesign design("t.sleep(t.p.retention)",
                         "parameters = { retention = { default = '168h'" + row + " } },");
  const format::ParseResult parsed =
      format::parse_scenario("x.toml",
                             "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = "
                             "\"30s\"\n[cluster]\nprotocol = \"my.lua\"\n",
                             {}, only_utc(), nullptr, {}, nullptr, format::Unsafe::must_be_accepted, &design);
  return parsed.diagnostics.empty() ? "" : parsed.diagnostics.front().message;
}

TEST(LuaDesign, says_of_a_duration_that_no_recovery_waits_for_it) {
  EXPECT_EQ(tail_for(""), "a tail of 30s is too short for mine to recover");
  EXPECT_EQ(tail_for(", recovery = false"), "");
}

}  // namespace
}  // namespace tenure::sim
