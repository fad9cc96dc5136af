// Comparisons as a program of somebody else runs them.
#include "lab/session/compare_session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lab/session/cancellation.h"
#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

namespace fs = std::filesystem;
using sim::Damage;

const std::string kKill = fault_of("kill", "duration = \"30s\"\n");
const std::string kPause =
    fault_of("pause", "duration = \"1s\"\n") + "[compare]\nstretch = \"fault.1.duration\"\npercent = 200\n";

CompareTask compare_task(const std::string& design, unsigned threads = 1) {
  CompareTask task;
  task.candidates = {candidate(design)};
  task.situations = {situation(kKill), situation(fault_of("rolling-restart", "gap = \"5s\"\n", "all")),
                     situation(""), situation(kPause)};
  task.measured = {.crash = 0, .deploy = 1, .quiet = 2, .calm = 2};
  task.matrix = {3};
  task.seeds = 12;
  task.threads = threads;
  return task;
}

RunsObserver no_observer;

class InterruptAt final : public RunsObserver {
 public:
  explicit InterruptAt(std::uint64_t runs) : runs_(runs) {}
  void progressed(const RunsProgress& progress) override {
    if (progress.done >= runs_) request_cancellation();
  }

 private:
  std::uint64_t runs_;
};

// Columns: crash, deploy, quiet, pause, pause stretched, quiet crowded.
TEST(CompareSession, stretches_to_what_it_has_measured_and_is_the_same_on_any_number_of_threads) {
  std::optional<Duration> first;
  for (const unsigned threads : {1U, 3U}) {
    const CompareFindings findings = compare(compare_task("client-go:15/10/2", threads), no_observer);
    ASSERT_EQ(findings.internal_error, "");
    EXPECT_EQ(findings.runs.done, 6U * 12U);
    EXPECT_EQ(findings.runs.done, findings.runs.planned);
    const Comparison& comparison = findings.comparison;
    const std::optional<Duration> own = comparison.own_time(0);
    ASSERT_TRUE(own);
    EXPECT_GT(*own, Duration::seconds(13));
    EXPECT_FALSE(comparison.at(0, 3).cell->seen(Damage::two_lead)) << "a pause of a second";
    EXPECT_TRUE(comparison.at(0, 4).cell->seen(Damage::two_lead)) << "one of twice its failover";
    EXPECT_GE(*comparison.at(0, 4).length, *own + *own);
    const Duration longest = comparison.summary(0).two_lead;
    EXPECT_EQ(first.value_or(longest), longest);
    first = longest;
  }
}

TEST(CompareSession, has_nothing_to_stretch_to_where_nobody_takes_over) {
  CompareTask task = compare_task("db-lease");
  task.situations[0] = situation("");  // nobody dies
  const CompareFindings findings = compare(std::move(task), no_observer);
  EXPECT_FALSE(findings.comparison.at(0, 4).cell);
  EXPECT_NE(findings.comparison.at(0, 4).not_applicable.find("nobody takes over"), std::string::npos);
}

TEST(CompareSession, runs_nothing_when_a_design_is_not_right_in_any_situation) {
  CompareTask task = compare_task("db-lease");
  task.candidates.push_back(candidate("db-lease:lock_duration=soon"));
  const CompareFindings findings = compare(std::move(task), no_observer);
  ASSERT_EQ(findings.bad.size(), 1U) << "once, not for each situation";
  EXPECT_EQ(findings.bad.front().candidate, 1U);
  EXPECT_EQ(findings.runs.done, 0U);
}

// A store that takes longer than a lease, now and then.
TEST(CompareSession, measures_false_failovers_in_the_calm_situation) {
  CompareTask task = compare_task("db-lease:lock_duration=5s,poll_period=3s");
  task.situations.push_back(
      situation("[store]\nlatency = { p50 = \"1ms\", p90 = \"10ms\", max = \"30s\" }\n"));
  EXPECT_TRUE(compare(task, no_observer).comparison.summary(0).false_failovers->at_most);
  task.measured.calm = 4;
  const auto seen = compare(task, no_observer).comparison.summary(0).false_failovers;
  EXPECT_FALSE(seen->at_most);
  EXPECT_GT(seen->micro, 1'000'000'000) << "more than a thousand";
}

// What a program that was interrupted leaves behind.
TEST(CompareSession, goes_on_with_the_runs_that_were_saved_and_finds_the_same) {
  const std::string path = fs::path(::testing::TempDir()) / ("compare_save_" + std::to_string(getpid()));
  const CompareFindings whole = compare(compare_task("client-go:15/10/2"), no_observer);
  {
    CompareSave save;
    ASSERT_FALSE(save.open(path, false));
    InterruptAt observer(30);
    CompareTask task = compare_task("client-go:15/10/2");
    task.save = &save;
    EXPECT_TRUE(compare(std::move(task), observer).interrupted);
    forget_cancellation();
  }
  CompareSave save;
  ASSERT_FALSE(save.open(path, true));
  EXPECT_GE(save.found(), 30U);
  CompareTask task = compare_task("client-go:15/10/2", 3);
  task.save = &save;
  const CompareFindings resumed = compare(std::move(task), no_observer);
  EXPECT_EQ(resumed.runs.done, whole.runs.done);
  for (std::size_t column = 0; column < whole.comparison.columns().size(); ++column) {
    const Cell& one = *whole.comparison.at(0, column).cell;
    const Cell& other = *resumed.comparison.at(0, column).cell;
    EXPECT_EQ(one.requests_per_hour().high, other.requests_per_hour().high);
    EXPECT_EQ(one.gap().high, other.gap().high);
    EXPECT_EQ(one.tested(), other.tested());
    EXPECT_EQ(one.promised(), other.promised());
    EXPECT_EQ(one.failovers().values(), other.failovers().values());
    ASSERT_EQ(one.damages().size(), other.damages().size());
    for (std::size_t i = 0; i < one.damages().size(); ++i) {
      EXPECT_EQ(one.damages()[i].most, other.damages()[i].most);
      EXPECT_EQ(one.damages()[i].seed, other.damages()[i].seed);
    }
  }
  // All are there now; another design's are not.
  CompareSave full;
  ASSERT_FALSE(full.open(path, true));
  EXPECT_EQ(full.found(), whole.runs.done);
  fs::remove(path);
}

TEST(CompareSave, starts_no_file_over_that_has_runs) {
  const std::string path = fs::path(::testing::TempDir()) / ("compare_kept_" + std::to_string(getpid()));
  for (const bool again : {false, true}) {
    CompareSave save;
    EXPECT_FALSE(save.open(path, false)) << (again ? "it has none yet" : "it is new");
    if (again) save.put("a cell", CaseNumbers{});
  }
  CompareSave save;
  ASSERT_TRUE(save.open(path, false));
  EXPECT_EQ(save.open(path, false)->kind, RunLog::Problem::Kind::has_runs);
  ASSERT_FALSE(save.open(path, true));
  EXPECT_EQ(save.found(), 1U) << "it is still there";
  fs::remove(path);
}

TEST(CompareSave, names_a_cell_by_all_that_its_runs_depend_on) {
  const sim::Scenario one = *make_case(situation(kKill), candidate("db-lease")).scenario;
  const sim::Scenario same = *make_case(situation(kKill), candidate("db-lease")).scenario;
  const sim::Scenario set = *make_case(situation(kKill), candidate("db-lease:6/3")).scenario;
  const sim::Scenario calm = *make_case(situation(""), candidate("db-lease")).scenario;
  EXPECT_EQ(identity_of(one), identity_of(same));
  EXPECT_NE(identity_of(one), identity_of(set));
  EXPECT_NE(identity_of(one), identity_of(calm));
}

CompareTask priced_task(const std::string& price, unsigned threads) {
  CompareTask task = compare_task("client-go:15/10/2", threads);
  task.candidates.push_back(candidate("db-lease"));
  task.candidates.push_back(candidate("fenced-lease:request_timeout=3s"));
  task.price = read_price(price).price;
  return task;
}

TEST(CompareSession, brings_designs_to_one_failover_on_any_number_of_threads) {
  std::vector<std::string> first;
  for (const unsigned threads : {1U, 3U}) {
    CompareTask task = priced_task("failover_p99=36s", threads);
    task.candidates.resize(1);
    const CompareFindings findings = compare(std::move(task), no_observer);
    ASSERT_EQ(findings.internal_error, "");
    ASSERT_TRUE(findings.unpriced.empty()) << findings.unpriced.front().why;
    std::vector<std::string> settings;
    const Candidate& design = findings.comparison.candidates().front();
    ASSERT_TRUE(design.tuned);
    EXPECT_TRUE(pays(*findings.price, design.tuned->cost)) << design.tuned->cost;
    for (const format::Override& set : design.tuned->settings) settings.push_back(set.key + "=" + set.value);
    // What is compared has these settings.
    EXPECT_GT(*findings.comparison.own_time(0), Duration::seconds(20));
    EXPECT_LE(*findings.comparison.own_time(0), Duration::seconds(36));
    if (first.empty()) first = settings;
    EXPECT_EQ(settings, first);
  }
}

TEST(CompareSession, brings_designs_to_one_number_of_requests) {
  const CompareFindings findings = compare(priced_task("requests=1500", 2), no_observer);
  ASSERT_TRUE(findings.unpriced.empty()) << findings.unpriced.front().why;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<Estimate> requests = findings.comparison.summary(i).requests;
    ASSERT_TRUE(requests);
    EXPECT_LE(requests->value, 1'530'000'000'000) << findings.comparison.candidates()[i].name;
    EXPECT_GE(requests->value, 1'170'000'000'000) << findings.comparison.candidates()[i].name;
  }
}

TEST(CompareSession, says_which_designs_cannot_be_brought_to_a_price) {
  CompareTask task = priced_task("requests=1", 1);
  const CompareFindings never = compare(std::move(task), no_observer);
  ASSERT_EQ(never.unpriced.size(), 3U) << "all of them";
  EXPECT_EQ(never.runs.done, 0U);
  EXPECT_NE(never.unpriced.front().why.find("from 1/32 to 32, it costs "), std::string::npos);

  task = priced_task("requests=1500", 1);
  task.candidates = {candidate("token-ring")};
  const CompareFindings without = compare(std::move(task), no_observer);
  ASSERT_EQ(without.unpriced.size(), 1U);
  EXPECT_EQ(without.unpriced.front().why, "it has no store that it could ask anything");

  task = priced_task("failover_p99=3h", 1);
  task.candidates.resize(1);
  const CompareFindings short_ones = compare(std::move(task), no_observer);
  ASSERT_EQ(short_ones.unpriced.size(), 1U);
  EXPECT_NE(short_ones.unpriced.front().why.find(" at the most"), std::string::npos)
      << short_ones.unpriced.front().why;
}

TEST(CompareSession, leaves_designs_out_that_nobody_named) {
  CompareTask task = priced_task("requests=1500", 2);
  task.candidates = {candidate("token-ring"), candidate("db-lease")};
  task.leaves_out_unpriced = true;
  const CompareFindings findings = compare(std::move(task), no_observer);
  EXPECT_TRUE(findings.unpriced.empty());
  ASSERT_EQ(findings.left_out.size(), 1U);
  EXPECT_EQ(findings.left_out.front().design, "token-ring");
  EXPECT_EQ(findings.left_out.front().why, "it has no store that it could ask anything");
  ASSERT_EQ(findings.comparison.candidates().size(), 1U);
  EXPECT_EQ(findings.comparison.candidates().front().name, "db-lease");
  EXPECT_GT(findings.runs.done, 0U);

  task = priced_task("requests=1500", 2);
  task.candidates = {candidate("token-ring")};
  task.leaves_out_unpriced = true;
  EXPECT_EQ(compare(std::move(task), no_observer).unpriced.size(), 1U) << "nothing would be left to compare";
}

TEST(CompareSession, says_what_is_wrong_with_a_design_before_it_tunes_any) {
  CompareTask task = priced_task("failover_p99=30s", 1);
  task.candidates.push_back(candidate("db-lease:lock_duration=soon"));
  const CompareFindings findings = compare(std::move(task), no_observer);
  EXPECT_EQ(findings.bad.size(), 1U);
  EXPECT_TRUE(findings.unpriced.empty());
}

TEST(CompareSession, keeps_the_worst_run_of_a_cell_as_a_scenario_that_fails_again) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("tenure-compare-{}", getpid());
  CompareTask task = compare_task("client-go:15/10/2");
  task.keep = CounterexampleSetup{.folder = folder.string(), .shrink = false};
  const CompareFindings findings = compare(std::move(task), no_observer);
  ASSERT_EQ(findings.kept.size(), 1U);
  EXPECT_EQ(findings.kept.front().column, 4U);
  ASSERT_TRUE(findings.kept.front().saved);
  EXPECT_TRUE(findings.kept.front().saved->reproducible);
  EXPECT_TRUE(fs::exists(findings.kept.front().saved->path));
  EXPECT_EQ(findings.kept.front().saved->failure.checker, "one-believer");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tenure::lab
