// The reports for CI servers: JUnit, annotations, Markdown and JSON lines, on results made up to be nasty.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/reports/reporters.h"
#include "cli/reports/run_tally.h"
#include "cli/terminal/clean_text.h"
#include "tests/support/transcript.h"

namespace tenure::cli {
namespace {

using CheckStanding = SuiteCase::CheckStanding;
using tenure::testing::expect_golden;

constexpr const char* kNasty =
    "a<b> & \"c\" 'd' ]]> \x01\x1b[31m \xff\xc3 ::error::x, 100%\r\n##[error]y `z` | ```` \x7f";

std::vector<Suite> some_suites() {
  Suite good{.scenario = "good", .path = "scenarios/good.toml", .extent = "seeds 1..20"};
  good.cases = {{.name = "one-believer", .kind = "always", .path = good.path, .line = 12},
                {.name = "no-drift",
                 .kind = "always",
                 .outcome = CheckStanding::reported,
                 .message = "outside its claims: assumes rate-bound, which fault clock-rate breaks",
                 .path = good.path}};
  good.never = {"fault 2 (pause)", "failover"};
  Suite bad{.scenario = kNasty, .path = "./x y/%20,a:b.toml", .extent = "seed 7"};
  bad.cases = {{.name = kNasty,
                .kind = "always",
                .outcome = CheckStanding::failed,
                .message = kNasty,
                .story = std::string(kNasty) + "\n::warning::two\n",
                .reproduce = "tenure run 'x y/%20,a:b.toml' --seed 7",
                .kept = "regressions/x.toml",
                .path = bad.path,
                .line = 7},
               {.name = "failover",
                .kind = "sometimes",
                .outcome = CheckStanding::inconclusive,
                .message = "did not happen",
                .path = bad.path},
               {.name = "internal-error",
                .kind = "internal-error",
                .outcome = CheckStanding::broken,
                .message = "CHECK(false) failed",
                .path = bad.path}};
  return {good, bad, suite_of_nothing({}, CheckStanding::inconclusive, "interrupted before it was hunted")};
}

TEST(Reports, are_as_in_the_golden_files_whatever_is_in_them) {
  const std::vector<Suite> suites = some_suites();
  expect_golden("tests/cli/golden/nasty.junit.xml", junit_of(suites));
  expect_golden("tests/cli/golden/nasty.md",
                summary_of(suites, {.unit = "scenario", .planned = 3, .done = 2, .interrupted = true}));
  std::string annotations;
  for (const Suite& suite : suites)
    for (const SuiteCase& each : suite.cases) annotations += annotation_of(each, suite);
  expect_golden("tests/cli/golden/nasty.github.txt", annotations);
}

TEST(Reports, have_one_line_for_each_annotation) {
  const std::vector<Suite> suites = some_suites();
  for (const Suite& suite : suites)
    for (const SuiteCase& each : suite.cases) {
      const std::string text = annotation_of(each, suite);
      EXPECT_EQ(text.empty(), each.outcome <= CheckStanding::reported);
      EXPECT_EQ(text.find_first_of("\r\n"), text.empty() ? std::string::npos : text.size() - 1) << text;
    }
}

TEST(Reports, of_what_nobody_knows_are_no_pass) {
  Suite suite{.scenario = "x"};
  EXPECT_EQ(worst_of(suite), CheckStanding::passed);
  suite.cases = {{.name = "a", .outcome = CheckStanding::reported}};
  EXPECT_EQ(worst_of(suite), CheckStanding::reported) << "nothing passed";
  suite.cases.push_back({.name = "b"});
  EXPECT_EQ(worst_of(suite), CheckStanding::passed) << "and what is only reported takes nothing from it";
  suite.cases.push_back({.name = "c", .outcome = CheckStanding::inconclusive});
  EXPECT_EQ(worst_of(suite), CheckStanding::inconclusive);
  EXPECT_NE(junit_of(std::vector{suite}).find("errors=\"1\" skipped=\"1\""), std::string::npos);
}

TEST(CleanText, is_utf8_without_control_characters) {
  EXPECT_EQ(clean_text("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(clean_text("\x01"), "\xef\xbf\xbd");
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(clean_text("\xc3"), "\xef\xbf\xbd") << "cut off";
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(clean_text("\xc2\x85\xef\xbf\xbe"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(clean_text("█ ü 🙂"), "█ ü 🙂");
}

TEST(WorkflowCommands, are_escaped_as_the_runner_reads_them) {
  EXPECT_EQ(workflow_data("100%\r\na:b,c"), "100%25%0D%0Aa:b,c");
  EXPECT_EQ(workflow_property("100%\r\na:b,c"), "100%25%0D%0Aa%3Ab%2Cc");
}

TEST(WorkflowCommands, never_come_from_what_is_only_text) {
  EXPECT_EQ(without_commands("::error::x"), ": :error::x");
  EXPECT_EQ(without_commands("a\n  ::error::x\n"), "a\n  : :error::x\n");
  EXPECT_EQ(without_commands("a ##[error]x"), "a # #[error]x");
  EXPECT_EQ(without_commands("a::b"), "a::b") << "not at the beginning of a line";
}

TEST(Markdown, shows_text_as_it_is) {
  EXPECT_EQ(markdown_text("a|b*c_<d>\n`e`"), "a&#124;b&#42;c&#95;&#60;d&#62;<br>&#96;e&#96;");
  EXPECT_EQ(markdown_block("a\n~~~\nb\n"), "~~~~text\na\n~~~\nb\n~~~~\n");
}

sim::RunResult run_of(std::uint64_t seed, sim::Verdict verdict, bool demanded = true) {
  sim::RunResult result;
  result.seed = seed;
  result.reproduce = "tenure run x.toml --seed " + std::to_string(seed);
  sim::CheckResult check;
  check.name = "one-believer";
  check.verdict = verdict;
  check.demanded = demanded;
  if (verdict == sim::Verdict::fail)
    check.violations = {{sim::TrueTime{} + Duration::seconds(30), "two at once"}};
  result.checks = {check};
  result.faults = {{.id = 1,
                    .entry = 2,
                    .action = "pause",
                    .target = "n1",
                    .at = sim::TrueTime{} + Duration::seconds(20),
                    .duration = {},
                    .detail = {},
                    .skipped = {},
                    .fell_short = {}}};
  return result;
}

sim::Scenario scenario_with_a_fault() {
  sim::Scenario scenario;
  scenario.name = "x";
  scenario.path = "x.toml";
  scenario.faults.resize(1);
  scenario.faults[0].entry = 2;
  scenario.faults[0].line = 17;
  return scenario;
}

TEST(RunTally, keeps_the_worst_of_each_check_and_the_first_run_that_said_it) {
  const sim::Scenario scenario = scenario_with_a_fault();
  RunTally tally(scenario, true);
  tally.add(run_of(1, sim::Verdict::pass));
  tally.add(run_of(2, sim::Verdict::inconclusive));
  tally.add(run_of(3, sim::Verdict::fail));
  tally.add(run_of(4, sim::Verdict::fail));
  tally.add(run_of(5, sim::Verdict::pass));
  const Suite suite = tally.suite(5, nullptr, "");
  ASSERT_EQ(suite.cases.size(), 1u);
  EXPECT_EQ(suite.cases[0].outcome, CheckStanding::failed);
  EXPECT_EQ(suite.cases[0].message, "at 30s: two at once (2 of 5 runs)");
  EXPECT_EQ(suite.cases[0].reproduce, "tenure run x.toml --seed 3");
  EXPECT_EQ(suite.cases[0].line, 17) << "of the fault before it";
  EXPECT_EQ(suite.extent, "seeds 1..5");
}

TEST(RunTally, sends_a_reader_to_the_line_that_demands_the_check) {
  sim::Scenario scenario = scenario_with_a_fault();
  scenario.expect.lines["one-believer"] = 40;
  RunTally tally(scenario, false);
  tally.add(run_of(1, sim::Verdict::fail));
  EXPECT_EQ(tally.suite(1, nullptr, "").cases[0].line, 40);
}

TEST(RunTally, of_a_canary_fails_when_it_does_not_sing) {
  sim::Scenario scenario;
  scenario.expect.fails = "one-believer";
  RunTally sings(scenario, false);
  sings.add(run_of(1, sim::Verdict::fail));
  EXPECT_EQ(sings.suite(1, nullptr, "").cases[0].outcome, CheckStanding::passed);
  RunTally silent(scenario, false);
  silent.add(run_of(1, sim::Verdict::pass));
  EXPECT_EQ(silent.suite(1, nullptr, "").cases[0].outcome, CheckStanding::failed);
}

TEST(RunTally, of_what_is_not_demanded_only_reports) {
  const sim::Scenario scenario;
  RunTally tally(scenario, false);
  tally.add(run_of(1, sim::Verdict::fail, false));
  EXPECT_EQ(tally.suite(1, nullptr, "").cases[0].outcome, CheckStanding::reported);
}

TEST(RunTally, that_was_cut_short_is_incomplete) {
  const sim::Scenario scenario;
  RunTally tally(scenario, true);
  EXPECT_EQ(worst_of(tally.suite(9, nullptr, "")), CheckStanding::inconclusive);
  tally.add(run_of(1, sim::Verdict::pass));
  const Suite suite = tally.suite(9, nullptr, "");
  EXPECT_EQ(suite.cases.back().message, "interrupted: 1 of 9 runs were done");
  EXPECT_EQ(worst_of(suite), CheckStanding::inconclusive);
}

TEST(RunTally, of_an_internal_error_is_broken) {
  const sim::Scenario scenario;
  RunTally tally(scenario, false);
  tally.add_broken(1, "CHECK failed", "tenure run x.toml --seed 1");
  EXPECT_EQ(worst_of(tally.suite(1, nullptr, "")), CheckStanding::broken);
}

}  // namespace
}  // namespace tenure::cli
