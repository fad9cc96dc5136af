// The output formats, on results made up so that everything is in them.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "cli/reports/json/json_run.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "cli/terminal/terminal.h"
#include "core/lease/elector_kind.h"
#include "format/parse/parse.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/batch.h"
#include "lab/session/json_writer.h"
#include "lab/session/one_run.h"
#include "tests/support/transcript.h"

namespace tenure::cli {
namespace {

using sim::CheckResult;
using sim::TrueTime;
using sim::Verdict;
using Kind = sim::CheckResult::Kind;
using Cell = sim::LeadershipTimeline::Cell;

TrueTime at(std::int64_t millis) { return TrueTime{} + Duration::millis(millis); }

CheckResult check(std::string name, Kind kind, Verdict verdict, std::uint64_t opportunities,
                  std::string detail = {}) {
  CheckResult result;
  result.name = std::move(name);
  result.kind = kind;
  result.verdict = verdict;
  result.opportunities = opportunities;
  result.detail = std::move(detail);
  return result;
}

sim::RunResult some_result(Verdict verdict) {
  sim::RunResult result;
  result.scenario = "no-fence";
  result.path = "scenarios/no-fence.toml";
  result.seed = 8812;
  result.verdict = verdict;
  result.trace_hash = 0x0f3c21a07be4d815;
  result.events = 5214;
  result.simulated = Duration::minutes(11);
  result.checks = {check("no-lost-fire", Kind::always, Verdict::pass, 66),
                   check("never-early", Kind::always, Verdict::pass, 1066),
                   check("leader-elected", Kind::eventually, Verdict::pass, 1),
                   check("failover", Kind::sometimes, Verdict::pass, 3),
                   check("failover_seconds", Kind::threshold, Verdict::pass, 12, "p90 16.8 < 20 (n=12)")};
  result.metrics.failovers = 12;
  for (int i = 1; i <= 12; ++i) result.metrics.failover.add(Duration::millis(1400 * i));
  result.metrics.leaderless = Duration::millis(31'200);
  result.metrics.leaderless_by_cause = {{"pause", Duration::millis(16'100)},
                                        {"crash", Duration::millis(15'100)}};
  result.metrics.safety_margin = Duration::millis(14);
  result.metrics.store_requests = 1'234'567;
  result.metrics.fires = 66;
  result.strips = {{"n1", {Cell::leads, Cell::leads, Cell::stalled, Cell::down, Cell::standby}},
                   {"n10", {Cell::standby, Cell::standby, Cell::standby, Cell::leads, Cell::leads}}};
  sim::FaultRun ran;
  ran.id = 1;
  ran.entry = 1;
  ran.action = "pause";
  ran.target = "n1";
  ran.at = at(60'000);
  ran.duration = Duration::millis(16'200);
  ran.detail = "pause n1 for 16.2s";
  sim::FaultRun skipped;
  skipped.id = 0x9f3c21a07be4d815;
  skipped.entry = 2;
  skipped.strike = 3;
  skipped.at = at(250'000);
  skipped.action = "kill";
  skipped.skipped = "its target matched nobody";
  result.faults = {ran, skipped};
  result.reproduce = "tenure run scenarios/no-fence.toml --seed 8812";
  return result;
}

sim::RunResult failed_result() {
  sim::RunResult result = some_result(Verdict::fail);
  CheckResult failed = check("no-duplicate-fire", Kind::always, Verdict::fail, 66);
  failed.violation_count = 1;
  failed.violations = {{at(76'201), "billing 2026-01-01T00:01:00Z was executed twice"}};
  CheckResult reported = check("one-believer", Kind::always, Verdict::fail, 4,
                               "outside its claims: assumes no-pause, which fault pause breaks");
  reported.violation_count = 2;
  reported.demanded = false;
  result.checks.push_back(failed);
  result.checks.push_back(reported);
  result.checks.push_back(
      check("one-worker", Kind::always, Verdict::inconclusive, 0, "never had an opportunity"));
  result.checks.push_back(
      check("stale-write-rejected", Kind::sometimes, Verdict::inconclusive, 0, "did not happen"));
  result.story =
      sim::Story{"no-duplicate-fire",
                 at(76'201),
                 "billing 2026-01-01T00:01:00Z was executed twice: n2 at 1m15.214s, n1 at 1m16.201s",
                 {{at(60'000), "n1", "leads; billing is due; makes sure that it leads", false},
                  {at(60'001), "", "pause n1 for 16.2s", true},
                  {at(75'214), "n2", "executes billing", false},
                  {at(76'201), "n1", "resumes; executes billing", false}}};
  return result;
}

TEST(TextOutput, of_a_run_is_as_in_the_golden_files) {
  const sim::Scenario scenario;
  tenure::testing::expect_golden("tests/cli/golden/pass.txt",
                                 text_of_run(some_result(Verdict::pass), scenario, false));
  tenure::testing::expect_golden("tests/cli/golden/fail.txt", text_of_run(failed_result(), scenario, false));
  sim::Scenario canary;
  canary.expect.fails = "no-duplicate-fire";
  sim::RunResult found = failed_result();
  found.verdict = Verdict::pass;
  tenure::testing::expect_golden("tests/cli/golden/canary.txt", text_of_run(found, canary, false));
  canary.expect.fails = "no-lost-fire";
  sim::RunResult missed = some_result(Verdict::fail);
  tenure::testing::expect_golden("tests/cli/golden/canary-that-sings-on.txt",
                                 text_of_run(missed, canary, false));
}

TEST(TextOutput, marks_a_lost_leadership_only_where_its_bar_goes_on) {
  sim::RunResult result = some_result(Verdict::pass);
  const auto text_of_strip = [&](std::vector<Cell> cells, std::vector<std::uint32_t> lost) {
    result.strips = {{"n1", std::move(cells), std::move(lost)}};
    return text_of_run(result, {}, false);
  };
  const std::string regained = text_of_strip({Cell::leads, Cell::leads, Cell::leads}, {0, 1, 0});
  EXPECT_NE(regained.find("█▄█\n"), std::string::npos) << regained;
  EXPECT_NE(regained.find("\n      ▄ lost the lead in between\n"), std::string::npos) << regained;
  EXPECT_NE(text_of_strip({Cell::stalled, Cell::leads}, {1, 0}).find("n1  ▄█\n"), std::string::npos);
  const std::string ends = text_of_strip({Cell::leads, Cell::leads, Cell::standby}, {0, 1, 0});
  EXPECT_NE(ends.find("██·\n"), std::string::npos) << ends;
  EXPECT_EQ(ends.find("in between"), std::string::npos);
  EXPECT_NE(text_of_strip({Cell::leads, Cell::standby}, {2, 0}).find("▄·\n"), std::string::npos);
}

TEST(TextOutput, is_the_same_but_for_colour_with_and_without_it) {
  const std::string painted = text_of_run(failed_result(), {}, true);
  std::string plain;
  for (std::size_t i = 0; i < painted.size(); ++i) {
    if (painted[i] != '\x1b') {
      plain += painted[i];
      continue;
    }
    i = painted.find('m', i);
  }
  EXPECT_NE(painted, plain);
  EXPECT_EQ(plain, text_of_run(failed_result(), {}, false));
}

TEST(JsonOutput, of_a_run_is_as_in_the_golden_files) {
  tenure::testing::expect_golden("tests/cli/golden/fail.json", json_of_run(failed_result()));
  tenure::testing::expect_golden("tests/cli/golden/empty.json", json_of_run(sim::RunResult{}));
}

sim::Scenario batch_scenario() {
  const std::string text =
      "format = 1\nname = \"no-fence\"\nsim.duration = \"10m\"\ncluster.protocol = "
      "\"fenced-lease\"\n[thresholds]\n"
      "failover_seconds = [\"p90 < 20\", \"max < 16\"]\nleaderless_seconds = \"mean < 40\"\nfires = \"p99 > "
      "1\"\n";
  return *format::parse_scenario("scenarios/no-fence.toml", text).scenario;
}

TEST(BatchOutput, is_as_in_the_golden_files) {
  const sim::Scenario scenario = batch_scenario();
  lab::Batch batch(scenario);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    sim::RunResult result = seed == 2 ? failed_result() : some_result(Verdict::pass);
    result.seed = seed;
    result.metrics.leaderless = Duration::seconds(30 + static_cast<std::int64_t>(seed));
    batch.add(result);
  }
  EXPECT_EQ(batch.verdict(), Verdict::fail);
  tenure::testing::expect_golden("tests/cli/golden/batch.txt",
                                 text_of_batch(batch, "tenure run scenarios/no-fence.toml --seed ", false));
  tenure::testing::expect_golden("tests/cli/golden/batch.json",
                                 json_of_batch(batch, "tenure run scenarios/no-fence.toml --seed "));
}

TEST(Batch, names_the_seed_with_the_worst_of_each_metric) {
  const sim::Scenario scenario = batch_scenario();
  lab::Batch batch(scenario);
  for (const auto& [seed, margin, late] :
       {std::tuple{1, 30, 5}, std::tuple{2, -4, 9}, std::tuple{3, 20, 7}}) {
    sim::RunResult result = some_result(Verdict::pass);
    result.seed = static_cast<std::uint64_t>(seed);
    result.metrics.safety_margin = Duration::millis(margin);
    result.metrics.failover = {};
    result.metrics.failover.add(Duration::seconds(late));
    batch.add(result);
  }
  const auto worst_of = [&](std::string_view metric) {
    for (const lab::Batch::Pool& pool : batch.pools())
      if (pool.metric->name == metric) return pool.worst_seed();
    return std::uint64_t{0};
  };
  EXPECT_EQ(worst_of("safety_margin_seconds"), 2u);
  EXPECT_EQ(worst_of("failover_seconds"), 2u);
  EXPECT_EQ(worst_of("fires"), 1u) << "the first of equals";
}

TEST(Batch, names_the_run_that_is_furthest_on_the_wrong_side_of_a_threshold) {
  sim::Scenario scenario = batch_scenario();
  scenario.thresholds = {{.metric = "fires", .text = "max < 1", .bound_nano = 1'000'000'000},
                         {.metric = "fires",
                          .text = "min > 90",
                          .statistic = sim::Threshold::Statistic::min,
                          .less = false,
                          .bound_nano = 90'000'000'000}};
  lab::Batch batch(scenario);
  for (const auto& [seed, fires] : {std::pair{1, 70}, std::pair{2, 80}, std::pair{3, 60}}) {
    sim::RunResult result = some_result(Verdict::pass);
    result.seed = static_cast<std::uint64_t>(seed);
    result.metrics.fires = static_cast<std::uint64_t>(fires);
    batch.add(result);
  }
  const std::vector<lab::Batch::JudgedThreshold> judged = batch.judge_thresholds();
  ASSERT_EQ(judged.size(), 2u);
  ASSERT_TRUE(judged[0].worst && judged[1].worst);
  EXPECT_EQ(judged[0].worst->seed, 2u);
  EXPECT_EQ(judged[1].worst->seed, 3u) << "too little is bad where the threshold says so";
  EXPECT_EQ(judged[1].worst->nano, 60'000'000'000);
}

TEST(Batch, that_was_interrupted_says_so_among_its_results) {
  sim::Scenario scenario = batch_scenario();
  scenario.thresholds.clear();
  lab::Batch batch(scenario);
  batch.add(some_result(Verdict::pass));
  EXPECT_EQ(text_of_batch(batch, "", false).find("interrupted"), std::string::npos);
  EXPECT_EQ(batch.verdict(), Verdict::pass);
  batch.cut_short(1000);
  EXPECT_EQ(batch.verdict(), Verdict::inconclusive);
  EXPECT_NE(text_of_batch(batch, "", false).find("\n  interrupted 1 of 1,000 runs were done\n"),
            std::string::npos)
      << text_of_batch(batch, "", false);
  EXPECT_NE(json_of_batch(batch, "").find("\"interrupted\":true"), std::string::npos);
}

TEST(Batch, counts_a_run_by_its_checks_other_than_thresholds) {
  const sim::Scenario scenario = batch_scenario();
  lab::Batch batch(scenario);
  sim::RunResult slow = some_result(Verdict::fail);
  slow.checks.push_back(check("failover_seconds", Kind::threshold, Verdict::fail, 1, "max 16.8 < 16 (n=1)"));
  batch.add(slow);
  EXPECT_EQ(batch.count(Verdict::pass), 1u);
  EXPECT_EQ(batch.failures_total(), 0u);
}

TEST(Batch, judges_a_single_number_over_the_runs) {
  const sim::Scenario scenario = batch_scenario();
  lab::Batch batch(scenario);
  for (int i = 0; i < 3; ++i) batch.add(some_result(Verdict::pass));
  const std::vector<lab::Batch::JudgedThreshold> thresholds = batch.judge_thresholds();
  ASSERT_EQ(thresholds.size(), 4u);
  EXPECT_EQ(thresholds[2].check.name, "leaderless_seconds");
  EXPECT_EQ(thresholds[2].check.verdict, Verdict::pass) << "the mean of the runs, not their sum";
  EXPECT_EQ(thresholds[3].check.name, "fires");
  EXPECT_EQ(thresholds[3].check.verdict, Verdict::inconclusive) << "three runs are too few for p99";
}

TEST(JsonWriter, writes_exact_seconds_and_escapes_text) {
  lab::JsonWriter writer;
  writer.begin_object()
      .field("a\"b", std::string("x\n\x01\\"))
      .key("s")
      .value(Duration::nanos(1'500'000'001));
  writer.key("n").begin_array().value(-3).value(true).null().value(std::optional<Duration>{}).end_array();
  writer.key("empty").begin_object().end_object().end_object();
  EXPECT_EQ(writer.take(), R"({"a\"b":"x\n\u0001\\","s":1.500000001,"n":[-3,true,null,null],"empty":{}})");
}

TEST(TextFormat, is_short_and_never_rounds_up) {
  EXPECT_EQ(short_duration(Duration::nanos(16'201'999'999)), "16.201s");
  EXPECT_EQ(short_duration(Duration::micros(300)), "300us");
  EXPECT_EQ(short_duration(-Duration::millis(1500)), "-1.5s");
  EXPECT_EQ(column_time(at(76'201)), "1m16.201");
  EXPECT_EQ(column_time(at(3'600'000)), "1h00m00.000");
  EXPECT_EQ(metric_value(1'204'000'000'000, sim::MetricName::Unit::count), "1,204");
  EXPECT_EQ(metric_value(892'650'000'000, sim::MetricName::Unit::count), "892.65");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("x.toml"), "x.toml");
}

// A program that is wrong says so, with the seed, and the other runs go on.
TEST(OneRun, reports_a_broken_invariant) {
  class Breaks final : public sim::Observer {
   public:
    void see(TrueTime, const sim::Record&) override { CHECK(false, "planted"); }
  };
  const CheckHandler before = set_check_handler(nullptr);
  lab::make_checks_throw();
  Breaks breaks;
  const format::ScenarioFile file{batch_scenario(), {}};
  const lab::RunOutcome outcome = lab::run_one({.file = &file, .seed = 1, .trace = &breaks});
  set_check_handler(before);
  EXPECT_FALSE(outcome.result);
  EXPECT_NE(outcome.error.find("CHECK(false) failed: planted"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace tenure::cli
