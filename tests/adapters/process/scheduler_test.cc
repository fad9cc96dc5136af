// Programs that schedule, on any election or on their own: poller.py. tests/designs has what they share with schedulers
// in Lua.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/sql/sql_store.h"
#include "format/print/print.h"
#include "lab/hunt/shrink.h"
#include "tests/adapters/process/processes.h"

namespace tenure::sim {
namespace {

class Poller {
 public:
  explicit Poller(const std::string& how = "well", const std::string& role = "scheduler")
      : program({"python3", "poller.py", how, role}, std::chrono::seconds(20), sql::store_kind) {
    EXPECT_NE(program.program(), nullptr) << program.problem();
  }
  OneProgram program;
};

const char* const kByProgram = "scheduler_node = { command = [\"x\"] }\n";
const char* const kEvery10s = "[[schedule]]\nname = \"sync\"\nevery = \"10s\"\n";

// `cluster`: what elects, and what schedules.
format::ParseResult parsed_with(const Poller& poller, const std::string& cluster, const std::string& more) {
  return format::parse_scenario(
      "x.toml",
      "format = 1\nname = \"x\"\n[sim]\nduration = \"2m\"\ntail = \"60s\"\n[cluster]\ninstances = 2\n" +
          cluster + more,
      {}, only_utc(), nullptr, {}, nullptr, format::Unsafe::must_be_accepted, &poller.program);
}

Scenario scheduled(const Poller& poller, const std::string& protocol, const std::string& more = kEvery10s) {
  format::ParseResult parsed =
      parsed_with(poller, fmt::format("protocol = \"{}\"\n{}", protocol, kByProgram), more);
  for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
  return parsed.scenario.value();
}

const CheckResult& outcome_of(const RunResult& result, std::string_view name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == name; });
  EXPECT_NE(found, result.checks.end()) << name;
  return *found;
}

std::string error_with(const std::string& how) {
  const Poller poller(how);
  const RunResult result = run(scheduled(poller, "fenced-lease"), 1, {.story = false});
  const CheckResult& check = design_errors(result);
  return check.violations.empty() ? "" : check.violations.front().message;
}

TEST(ProgramScheduler, and_election_may_be_one_program) {
  const Poller poller("well", "both");
  format::ParseResult parsed =
      parsed_with(poller, std::string("node = { command = [\"x\"] }\n") + kByProgram, kEvery10s);
  for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
  const RunResult result = run(parsed.scenario.value(), 1);
  // Both instances believe from the start, and both do each slot.
  EXPECT_GT(outcome_of(result, "no-duplicate-fire").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "acts-within-belief").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "design-error").violation_count, 0U);
}

TEST(ProgramScheduler, that_does_nothing_loses_fires) {
  const RunResult result = run(scheduled(Poller("is-lazy"), "db-lease"), 1);
  EXPECT_GT(outcome_of(result, "no-lost-fire").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "design-error").violation_count, 0U);
}

TEST(ProgramScheduler, hears_of_edits_by_its_rows) {
  const RunResult result = run(
      scheduled(Poller(), "db-lease",
                std::string(kEvery10s) +
                    "[[change]]\nat = \"35s\"\naction = \"update\"\nschedule = \"sync\"\nevery = \"30s\"\n"
                    "[[change]]\nat = \"40s\"\naction = \"create\"\nschedule = \"late\"\nevery = \"7s\"\n"
                    "[[change]]\nat = \"100s\"\naction = \"delete\"\nschedule = \"late\"\n"),
      1);
  EXPECT_EQ(outcome_of(result, "no-drift").violation_count, 0U);
  EXPECT_EQ(outcome_of(result, "no-lost-fire").violation_count, 0U);
  EXPECT_GE(outcome_of(result, "no-lost-fire").opportunities, 14U);
}

TEST(ProgramScheduler, is_told_when_its_election_decides) {
  const Poller poller("tells");
  Remarks remarks;
  run(scheduled(poller, "fenced-lease"), 1, {.trace = &remarks, .story = false});
  EXPECT_GT(remarks.count("leads"), 10) << "each renewal is told at once, besides the polls";
}

// A leader that looks, and acts when it leads no more, is what `on = "leadership-checked"` is for.
TEST(ProgramScheduler, says_that_it_has_checked) {
  const RunResult result =
      run(scheduled(Poller(), "db-lease",
                    std::string(kEvery10s) +
                        "[[fault]]\non = \"leadership-checked\"\nnth = 15\naction = \"kill\"\n"
                        "target = \"leader\"\nduration = \"5s\"\n"),
          1);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().skipped, "");
}

TEST(ProgramScheduler, shows_the_token_of_its_election) {
  for (const char* how : {"well", "shows-its-token"}) {
    const Poller poller(how);
    const RunResult result = run(scheduled(poller, "fenced-lease"), 1);
    EXPECT_EQ(result.verdict, Verdict::pass) << how;
    EXPECT_GE(outcome_of(result, "fenced-writes").opportunities, 12U) << how;
    EXPECT_EQ(outcome_of(result, "design-error").violation_count, 0U) << how;
  }
  const format::ParseResult refused =
      parsed_with(Poller("needs-tokens"), std::string("protocol = \"db-lease\"\n") + kByProgram, kEvery10s);
  ASSERT_FALSE(refused.diagnostics.empty());
  EXPECT_EQ(refused.diagnostics.front().message,
            "scheduler `my-poller` needs tokens, and protocol `db-lease` has none");
}

// What was due when it is asked to stop is done by its leader, which gives its lease back only then.
TEST(ProgramScheduler, stops_before_its_election) {
  const std::string stop =
      std::string(kEvery10s) +
      "[work]\nduration = \"4s\"\n"
      "[[fault]]\nat = \"32s\"\naction = \"rolling-restart\"\ngrace = \"20s\"\ngap = \"20s\"\n"
      "[expect]\nsometimes = [\"graceful-release\"]\n";
  const RunResult result = run(scheduled(Poller(), "fenced-lease", stop), 1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_EQ(outcome_of(result, "no-duplicate-fire").violation_count, 0U) << "its update is done, too";
}

TEST(ProgramScheduler, that_asks_for_what_it_cannot_have_is_told_so) {
  const std::pair<const char*, const char*> kWrong[] = {
      {R"({"believe":{"open":true}})",
       "`believe` is its election's business, and this program is a scheduler"},
      {R"({"send":{"to":1,"kind":"x"}})", "`send` is its election's business"},
      {R"({"step_down":"x"})", "`step_down` is its election's business"},
      {R"({"write":{"id":1}})", "`write` is an election's own; `run` does the work of a slot"},
      {R"({"run":{"id":1,"schedule":9,"slot":0}})",
       "`schedule` is the id that put_schedule was given, from 1 to 1"},
      {R"({"run":{"id":1,"schedule":1,"slot":1}})", "`slot` is a time of the store, in whole microseconds"},
      {R"({"run":{"id":1,"schedule":1,"slot":0,"token":"mine"}})",
       "`mine` is no token that `leadership` had"},
      {R"({"sql":{"id":1,"deadline":9,"statements":[{"text":"SELECT 1"}],"on":5}})", "`on` must be"},
      {R"({"run":{"id":1,"schedule":1,"slot":0,"token":0}})", "a token is a whole number above 0"},
  };
  for (const auto& [act, words] : kWrong) {
    const std::string said = error_with(std::string("begins ") + act);
    EXPECT_NE(said.find(words), std::string::npos) << act << " gives: " << said;
  }
}

TEST(ProgramScheduler, that_cannot_write_a_schedule_is_told_so) {
  EXPECT_NE(error_with("writes-nowhere").find("the statement that writes a schedule failed: 42P01"),
            std::string::npos);
  EXPECT_NE(error_with("cannot-edit").find("put_schedule: no room"), std::string::npos);
}

TEST(ProgramScheduler, prints_and_parses_back) {
  const Poller poller;
  const Scenario scenario = scheduled(poller, "db-lease");
  const std::optional<Scenario> again = lab::as_its_file_says(scenario, only_utc());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->scheduler, scenario.scheduler);
  EXPECT_EQ(again->scheduler_command, scenario.scheduler_command);
  EXPECT_EQ(run(*again, 5).trace_hash, run(scenario, 5).trace_hash);
}

TEST(ProgramRoles, are_told_apart) {
  const auto problem_of = [](const Poller& poller, const std::string& cluster) {
    const format::ParseResult parsed = parsed_with(poller, cluster, kEvery10s);
    return parsed.diagnostics.empty() ? "" : parsed.diagnostics.front().message;
  };
  const std::string by_protocol = "protocol = \"db-lease\"\n";
  const std::string by_node = "node = { command = [\"x\"] }\n";
  EXPECT_EQ(problem_of(Poller("well", "both"), by_protocol + kByProgram),
            "`my-poller` elects and schedules in one program");
  EXPECT_EQ(problem_of(Poller("well", "both"), by_node), "`my-poller` elects and schedules in one program");
  EXPECT_EQ(problem_of(Poller(), by_node), "`my-poller` is a scheduler alone");
  EXPECT_EQ(problem_of(Poller("well", "elector"), by_protocol + kByProgram),
            "`my-poller` is an election alone");
  EXPECT_EQ(problem_of(Poller(), by_protocol + "scheduler = \"ticker\"\n" + kByProgram),
            "a `scheduler` and a `scheduler_node`");
}

}  // namespace
}  // namespace tenure::sim
