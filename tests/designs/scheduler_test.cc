// Schedulers in Lua, alone and with their election in one program.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "adapters/lua/design.h"
#include "adapters/sql/sql_store.h"
#include "format/parse/parse.h"
#include "lab/hunt/shrink.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

class OneFile final : public DesignFiles {
 public:
  // `role`, the rest of the table, and the body of node(t).
  OneFile(const std::string& role, const std::string& node, const std::string& more = "") {
    lua::Problem problem;
    const std::string text = "return { name = 'mine', role = '" + role + "',\n" + more + R"lua(
      schema = [[ CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, period interval) ]],
      put_schedule = function(s)
        return { [[
          INSERT INTO jobs VALUES ($1, $2, $3)
          ON CONFLICT (id) DO UPDATE SET next_run = excluded.next_run, period = excluded.period
        ]], s.id, s.first, s.period }
      end,
      delete_schedule = function(s) return { "DELETE FROM jobs WHERE id = $1", s.id } end,
      node = function(t)
    )lua" + node + "\nend }\n";
    design_ = lua::Design::read("my.lua", text, sql::store_kind, problem);
    EXPECT_NE(design_, nullptr) << problem.line << ": " << problem.text;
  }
  bool names_one(std::string_view name) const override { return name == "my.lua"; }
  Found find(std::string_view, std::string_view) const override {
    return {.kind = design_->elects() ? &design_->kind() : nullptr,
            .scheduler = design_->schedules() ? &design_->scheduler() : nullptr};
  }

 private:
  std::unique_ptr<const lua::Design> design_;
};

format::ParseResult parsed_with(const OneFile& file, const std::string& protocol, const std::string& more) {
  const std::string text =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"2m\"\ntail = \"60s\"\n[cluster]\ninstances = 2\n"
      "protocol = \"" +
      protocol + "\"\nscheduler = \"my.lua\"\n" + more;
  return format::parse_scenario("x.toml", text, {}, only_utc(), nullptr, {}, nullptr,
                                format::Unsafe::must_be_accepted, &file);
}

Scenario scenario_with(const OneFile& file, const std::string& protocol, const std::string& more) {
  format::ParseResult parsed = parsed_with(file, protocol, more);
  for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
  return parsed.scenario.value();
}

const CheckResult& outcome_of(const RunResult& result, std::string_view name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == name; });
  EXPECT_NE(found, result.checks.end()) << name;
  return *found;
}

const char* const kEvery10s = "[[schedule]]\nname = \"sync\"\nevery = \"10s\"\n";

// Each second the leader does what is due, and moves it on.
const char* const kPoll = R"lua(
  t.every("1s", function()
    if not t.leads() then return end
    for _, job in ipairs(t.sql{"SELECT id, next_run, period FROM jobs WHERE next_run <= now()"} or {}) do
      t.log(t.run{schedule = job.id, slot = job.next_run})
      t.sql{"UPDATE jobs SET next_run = next_run + period WHERE id = $1", job.id}
    end
  end))lua";

TEST(LuaScheduler, does_what_is_due_on_any_election) {
  const OneFile file("scheduler", kPoll);
  for (const char* protocol : {"db-lease", "fenced-lease", "client-go"}) {
    const Scenario scenario = scenario_with(file, protocol, kEvery10s);
    const RunResult result = run(scenario, 3);
    EXPECT_EQ(result.verdict, Verdict::pass) << protocol;
    EXPECT_GE(outcome_of(result, "no-lost-fire").opportunities, 12U) << protocol;
    EXPECT_EQ(outcome_of(result, "no-lost-fire").violation_count, 0U) << protocol;
    EXPECT_EQ(outcome_of(result, "no-drift").violation_count, 0U) << protocol;
    EXPECT_EQ(result.trace_hash, run(scenario, 3).trace_hash) << protocol;
  }
}

TEST(LuaScheduler, and_election_may_be_one_program) {
  const OneFile file("both", "t.believe{open = true}\n" + std::string(kPoll));
  const Scenario scenario = scenario_with(file, "my.lua", "[[schedule]]\nname = \"a\"\nevery = \"20s\"\n");
  const RunResult result = run(scenario, 1);
  // Both instances believe from the start, and both do each slot.
  EXPECT_GT(outcome_of(result, "no-duplicate-fire").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "acts-within-belief").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "design-error").violation_count, 0U);
}

TEST(LuaScheduler, is_judged_by_its_claims) {
  const std::string twice = std::string(R"lua(
    local run = t.run
    t.run = function(what) run(what) return run(what) end)lua") +
                            kPoll;
  const OneFile unclaimed("scheduler", twice);
  EXPECT_FALSE(
      outcome_of(run(scenario_with(unclaimed, "db-lease", kEvery10s), 1), "no-duplicate-fire").demanded);
  const OneFile file("scheduler", twice,
                     "claims = { ['no-duplicate-fire'] = { election = { 'one-believer' } } },");
  const RunResult result = run(scenario_with(file, "db-lease", kEvery10s), 1);
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_TRUE(outcome_of(result, "no-duplicate-fire").demanded);
}

TEST(LuaScheduler, that_forgets_its_schedules_loses_fires) {
  const OneFile file("scheduler", "t.sleep('1h')");
  const RunResult result = run(scenario_with(file, "db-lease", kEvery10s), 1);
  EXPECT_GT(outcome_of(result, "no-lost-fire").violation_count, 0U);
  EXPECT_GT(outcome_of(result, "caught-up").violation_count, 0U);
}

TEST(LuaScheduler, hears_of_edits_by_its_rows) {
  const OneFile file("scheduler", kPoll);
  const std::string changes =
      std::string(kEvery10s) +
      "[[change]]\nat = \"35s\"\naction = \"update\"\nschedule = \"sync\"\nevery = \"30s\"\n"
      "[[change]]\nat = \"40s\"\naction = \"create\"\nschedule = \"late\"\nevery = \"7s\"\n"
      "[[change]]\nat = \"100s\"\naction = \"delete\"\nschedule = \"late\"\n";
  const RunResult result = run(scenario_with(file, "db-lease", changes), 1);
  EXPECT_EQ(outcome_of(result, "no-drift").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "no-lost-fire").violation_count, 0U);
  EXPECT_GE(outcome_of(result, "no-lost-fire").opportunities, 14U);
}

// As kPoll, by the rule that its rows have.
class KeepsRules final : public DesignFiles {
 public:
  KeepsRules() {
    lua::Problem problem;
    design_ = lua::Design::read("my.lua", R"lua(return { name = 'mine', role = 'scheduler',
      schema = [[ CREATE TABLE jobs (id bigint PRIMARY KEY, next_run timestamptz, rule text) ]],
      put_schedule = function(s) return { [[INSERT INTO jobs VALUES ($1, $2, $3)]], s.id, s.first, s.rule } end,
      node = function(t)
        t.every("1s", function()
          if not t.leads() then return end
          for _, job in ipairs(t.sql{"SELECT id, next_run, rule FROM jobs WHERE next_run <= now()"} or {}) do
            t.run{schedule = job.id, slot = job.next_run}
            t.sql{"UPDATE jobs SET next_run = $2 WHERE id = $1", job.id, t.slot_after(job.rule, job.next_run)}
          end
        end)
      end })lua",
                                sql::store_kind, problem);
    EXPECT_NE(design_, nullptr) << problem.line << ": " << problem.text;
  }
  bool names_one(std::string_view name) const override { return name == "my.lua"; }
  Found find(std::string_view, std::string_view) const override {
    return {.scheduler = &design_->scheduler()};
  }

 private:
  std::unique_ptr<const lua::Design> design_;
};

TEST(LuaScheduler, keeps_any_schedule_by_its_rule) {
  const KeepsRules file;
  const format::ParseResult parsed = format::parse_scenario(
      "x.toml",
      "format = 1\nname = \"x\"\n[sim]\nstart = \"2026-03-01T23:58:30Z\"\nduration = \"4m\"\ntail = \"60s\"\n"
      "[cluster]\ninstances = 2\nprotocol = \"db-lease\"\nscheduler = \"my.lua\"\n"
      "[[schedule]]\nname = \"fixed\"\ncron = \"0 0,1 0 * * *\"\n"
      "[[schedule]]\nname = \"often\"\ncron = \"*/20 * * * * *\"\n"
      "[[schedule]]\nname = \"listed\"\nat = [\"2026-03-01T23:59:00Z\", \"2026-03-02T00:00:10Z\"]\n"
      "[[schedule]]\nname = \"plain\"\nevery = \"45s\"\n",
      {}, only_utc(), nullptr, {}, nullptr, format::Unsafe::must_be_accepted, &file);
  for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
  const RunResult result = run(parsed.scenario.value(), 1);
  EXPECT_EQ(outcome_of(result, "design-error").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "no-drift").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "no-lost-fire").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "no-duplicate-fire").violation_count, 0U);
  EXPECT_GE(outcome_of(result, "no-lost-fire").opportunities, 2U + 12U + 2U + 5U);
}

TEST(LuaScheduler, that_cannot_write_a_schedule_is_told_so) {
  const OneFile file("scheduler", kPoll, "parameters = {},");
  const Scenario scenario = scenario_with(
      file, "db-lease",
      std::string(kEvery10s) +
          "[[change]]\nat = \"35s\"\naction = \"update\"\nschedule = \"sync\"\nevery = \"30s\"\n");
  EXPECT_EQ(outcome_of(run(scenario, 1), "design-error").violation_count, 0U);
  lua::Problem problem;
  const auto wrong =
      lua::Design::read("wrong.lua",
                        "return { name = 'wrong', role = 'scheduler', schema = 'CREATE TABLE a (b int)', "
                        "node = function() end,\n"
                        "put_schedule = function(s) return { 'INSERT INTO nowhere VALUES ($1)', s.id } end }",
                        sql::store_kind, problem);
  ASSERT_NE(wrong, nullptr) << problem.text;
  Scenario other = scenario;
  other.scheduler = &wrong->scheduler();
  const CheckResult check = outcome_of(run(other, 1), "design-error");
  ASSERT_GE(check.violation_count, 2U);
  EXPECT_NE(check.violations.front().message.find("the statement that writes a schedule failed: 42P01"),
            std::string::npos)
      << check.violations.front().message;
}

TEST(LuaScheduler, shows_the_token_of_its_election) {
  const OneFile file("scheduler", R"lua(
    t.every("1s", function()
      if t.leads() and t.token() == nil then error("no token") end
      if t.leads() and t.token() ~= t.token() then error("two tokens") end
    end))lua",
                     "tokens = true,");
  EXPECT_EQ(run(scenario_with(file, "fenced-lease", kEvery10s), 1).metrics.fires, 0U);
  EXPECT_EQ(
      outcome_of(run(scenario_with(file, "fenced-lease", kEvery10s), 1), "design-error").violation_count, 0U);
  const format::ParseResult refused = parsed_with(file, "db-lease", kEvery10s);
  ASSERT_FALSE(refused.diagnostics.empty());
  EXPECT_EQ(refused.diagnostics.front().message,
            "scheduler `my.lua` needs tokens, and protocol `db-lease` has none");
}

// What was due when it is asked to stop is done by its leader, which gives its lease back only then.
TEST(LuaScheduler, stops_before_its_election) {
  const OneFile file("scheduler", R"lua(
    local busy = false
    t.on_stop(function() while busy do t.sleep("100ms") end end)
    t.every("1s", function()
      if not t.leads() then return end
      for _, job in ipairs(t.sql{"SELECT id, next_run, period FROM jobs WHERE next_run <= now()"} or {}) do
        busy = true
        if t.run{schedule = job.id, slot = job.next_run} ~= "done" then error("cut short") end
        t.sql{"UPDATE jobs SET next_run = next_run + period WHERE id = $1", job.id}
        busy = false
      end
    end))lua");
  const std::string stop =
      std::string(kEvery10s) +
      "[work]\nduration = \"4s\"\n"
      "[[fault]]\nat = \"32s\"\naction = \"rolling-restart\"\ngrace = \"20s\"\ngap = \"20s\"\n"
      "[expect]\nsometimes = [\"graceful-release\"]\n";
  const RunResult result = run(scenario_with(file, "fenced-lease", stop), 1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_EQ(outcome_of(result, "no-duplicate-fire").violation_count, 0U) << "its update is done, too";
  EXPECT_EQ(outcome_of(result, "design-error").violation_count, 0U);
}

TEST(LuaScheduler, has_no_election_of_its_own) {
  for (const char* call : {"t.believe{open = true}", "t.step_down('x')", "t.send(1, 'x')", "t.receive()"}) {
    const RunResult result = run(scenario_with(OneFile("scheduler", call), "db-lease", kEvery10s), 1);
    const CheckResult& check = outcome_of(result, "design-error");
    ASSERT_GT(check.violation_count, 0U) << call;
    EXPECT_NE(check.violations.front().message.find("this design is a scheduler"), std::string::npos) << call;
  }
}

TEST(LuaScheduler, names_what_it_does) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"t.run{schedule = 9, slot = 1}", "`schedule` is the id that put_schedule was given, from 1 to 1"},
      {"t.run{schedule = 1, slot = t.wall()}", "`slot` is a time of the store"},
      {"t.run{schedule = 1, slott = 1}", "t.run has no option `slott`; did you mean `slot`?"},
  };
  for (const auto& [call, words] : kWrong) {
    const CheckResult check =
        outcome_of(run(scenario_with(OneFile("scheduler", call), "db-lease", kEvery10s), 1), "design-error");
    ASSERT_GT(check.violation_count, 0U) << call;
    EXPECT_NE(check.violations.front().message.find(words), std::string::npos)
        << check.violations.front().message;
  }
}

TEST(LuaScheduler, knows_periods_only) {
  const OneFile file("scheduler", kPoll);
  const format::ParseResult refused =
      parsed_with(file, "db-lease", "[[schedule]]\nname = \"a\"\ncron = \"* * * * *\"\n");
  ASSERT_FALSE(refused.diagnostics.empty());
  EXPECT_EQ(refused.diagnostics.front().message, "`mine` reads periods only");
}

TEST(LuaScheduler, prints_and_parses_back) {
  const OneFile file("scheduler", kPoll);
  const Scenario scenario = scenario_with(file, "db-lease", kEvery10s);
  const std::optional<Scenario> again = lab::as_its_file_says(scenario, only_utc());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->scheduler, scenario.scheduler);
  EXPECT_EQ(run(*again, 5).trace_hash, run(scenario, 5).trace_hash);
}

TEST(LuaDesignRoles, are_told_apart) {
  const OneFile both("both", kPoll);
  const format::ParseResult alone = parsed_with(both, "db-lease", kEvery10s);
  ASSERT_FALSE(alone.diagnostics.empty());
  EXPECT_EQ(alone.diagnostics.front().message, "`my.lua` elects and schedules in one program");
  const OneFile scheduler("scheduler", kPoll);
  const format::ParseResult as_election = parsed_with(scheduler, "my.lua", kEvery10s);
  ASSERT_FALSE(as_election.diagnostics.empty());
  EXPECT_EQ(as_election.diagnostics.front().message, "`my.lua` is a scheduler alone");
}

}  // namespace
}  // namespace tenure::sim
