// Hunts and batches as a program of somebody else runs them: on threads, with files, told to an observer.
#include "lab/session/hunt_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/host_failure.h"
#include "format/print/print.h"
#include "lab/session/case_run.h"
#include "lab/session/interruption.h"
#include "lab/session/output_file.h"
#include "lab/session/replays.h"
#include "lab/session/runs.h"
#include "lab/session/version.h"
#include "tests/sim/runner/support.h"

namespace tenure::lab {
namespace {

// What the design's authors demand, and what a pause takes from it: never two believers.
sim::ScenarioFile weak_design() {
  return sim::file_of(sim::small("[hunt]\nfamilies = [\"pause\"]\n[expect]\nalways = [\"one-believer\"]\n",
                                 "client-go", "none"));
}

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(::testing::TempDir() + "tenure-session-" + std::to_string(::getpid()) + "-" + name) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// All that an observer is told, in order.
class Log final : public HuntObserver {
 public:
  void regressions_read(const std::vector<ReadScenario>& read) override {
    lines.push_back("read " + std::to_string(read.size()));
  }
  void replayed(const ReplayedFile& file) override { lines.push_back("replayed " + file.note.checker); }
  void saved(const SavedRegression& saved) override {
    lines.push_back(saved.shrunk ? "saved again" : "saved");
  }
  void finishing(const Finding&) override { lines.emplace_back("finishing"); }
  void found(const HuntFindings&, const Finding& finding) override {
    lines.push_back("found " + finding.saved.failure.checker);
  }
  void cases_are_over(std::uint64_t) override { lines.emplace_back("over"); }
  std::vector<std::string> lines;
};

HuntSetup setup_in(const Folder& folder, unsigned threads) {
  HuntSetup setup;
  setup.cases = 700;
  setup.threads = threads;
  setup.folder = folder.path();
  return setup;
}

TEST(HuntSession, finds_the_same_on_any_number_of_threads_and_tells_it_in_order) {
  std::vector<std::string> files;
  for (const unsigned threads : {1U, 3U}) {
    const Folder folder("threads" + std::to_string(threads));
    const sim::ScenarioFile file = weak_design();
    Log log;
    HuntSession hunt(setup_in(folder, threads), file, log);
    const HuntFindings& findings = hunt.run();
    EXPECT_EQ(verdict_of(findings), sim::Verdict::fail);
    ASSERT_EQ(findings.findings.size(), 1U);
    EXPECT_TRUE(findings.findings.front().saved.reproducible);
    EXPECT_EQ(findings.findings.front().saved.file.scenario.faults.size(), 1U) << "one pause is enough";
    EXPECT_EQ(findings.findings.front().saved.file.plans.regression->version, version());
    EXPECT_EQ(log.lines, (std::vector<std::string>{"read 0", "saved", "finishing", "saved again",
                                                   "found one-believer", "over"}));
    files.push_back(sim::print_scenario(findings.findings.front().saved.file));
  }
  EXPECT_EQ(files.front(), files.back());
}

TEST(HuntSession, stops_at_a_failure_unless_it_is_to_go_on_and_counts_failures_that_are_alike) {
  const sim::ScenarioFile file = weak_design();
  const Folder folder("stops");
  HuntSetup setup = setup_in(folder, 2);
  setup.shrink = setup.replay = false;
  HuntObserver nobody;
  HuntSession stops(setup, file, nobody);
  EXPECT_EQ(stops.run().stopped, "a violation");
  setup.keep_going = true;
  setup.cases = 300;
  HuntSession goes_on(setup, file, nobody);
  const HuntFindings& findings = goes_on.run();
  EXPECT_EQ(findings.stopped, "");
  EXPECT_EQ(findings.cases, 300U);
  EXPECT_EQ(findings.compared, 5U);
  ASSERT_EQ(findings.findings.size(), 1U);
  EXPECT_GT(findings.failures, 1U);
  EXPECT_EQ(findings.findings.front().times, findings.failures);
}

// A machine that fails says nothing about a design: nothing is kept of it.
TEST(HuntSession, is_ended_by_a_failure_of_the_host_which_is_no_finding) {
  static const ElectorKind kFailing = {.name = "failing",
                                       .summary = "its host fails",
                                       .make = [](const ElectorSetup&) -> std::unique_ptr<Elector> {
                                         throw HostFailure("out of everything");
                                       }};
  const Folder folder("host");
  sim::ScenarioFile file = weak_design();
  file.scenario.protocol = &kFailing;
  Log log;
  HuntSession hunt(setup_in(folder, 2), file, log);
  EXPECT_THROW(hunt.run(), HostFailure);
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
  EXPECT_THROW(run_seed(file.scenario, 1), HostFailure);
}

TEST(HuntSession, writes_over_no_file_of_anybody_else) {
  const sim::ScenarioFile file = weak_design();
  const Folder folder("taken");
  HuntSetup setup = setup_in(folder, 2);
  setup.replay = false;
  HuntObserver nobody;
  HuntSession first(setup, file, nobody);
  const std::string path = first.run().findings.front().saved.path;
  ASSERT_TRUE(write_file(path, "a friend's").good);
  HuntSession second(setup, file, nobody);
  EXPECT_NE(second.run().findings.front().saved.path, path);
  std::string kept;
  std::getline(std::ifstream(path), kept);
  EXPECT_EQ(kept, "a friend's");
}

TEST(HuntSession, is_no_pass_while_something_that_is_demanded_never_was) {
  const sim::ScenarioFile file =
      sim::file_of(sim::small("[hunt]\nfamilies = [\"pause\"]\n[expect]\nsometimes = [\"commit-lost\"]\n"));
  const Folder folder("never");
  HuntSetup setup = setup_in(folder, 2);
  setup.cases = 20;
  HuntObserver nobody;
  HuntSession hunt(setup, file, nobody);
  const HuntFindings& findings = hunt.run();
  EXPECT_EQ(findings.demanded_never, std::vector<std::string>{"commit-lost"});
  EXPECT_EQ(verdict_of(findings), sim::Verdict::inconclusive);
}

TEST(HuntSession, begins_with_what_was_kept_before_and_stops_while_that_fails) {
  const Folder folder("again");
  const sim::ScenarioFile file = weak_design();
  Log first;
  HuntSession(setup_in(folder, 2), file, first).run();
  Log second;
  HuntSession again(setup_in(folder, 2), file, second);
  const HuntFindings& findings = again.run();
  EXPECT_EQ(second.lines, (std::vector<std::string>{"read 1", "replayed one-believer"}));
  EXPECT_EQ(findings.stopped, kRegressionFails);
  EXPECT_TRUE(findings.regressions.front().replayed.same_failure);
  EXPECT_EQ(findings.cases, 0U);
}

TEST(HuntSession, waits_for_its_threads_when_it_is_interrupted) {
  class Stopper final : public HuntObserver {
   public:
    void progressed(std::uint64_t cases, std::uint64_t, std::uint64_t) override {
      if (cases == 5) interrupt();
    }
  };
  const Folder folder("interrupted");
  const sim::ScenarioFile file = sim::file_of(sim::small("[hunt]\n"));
  Stopper stopper;
  {
    HuntSession hunt(setup_in(folder, 3), file, stopper);
    const HuntFindings& findings = hunt.run();
    EXPECT_TRUE(findings.interrupted);
    EXPECT_GE(findings.cases, 5U);
    EXPECT_LT(findings.cases, 200U);
    EXPECT_EQ(verdict_of(findings), sim::Verdict::inconclusive);
  }  // nothing is at work on it any more
  EXPECT_TRUE(interrupted());
  forget_interruption();
}

TEST(Batches, are_the_same_on_any_number_of_threads) {
  const sim::ScenarioFile file = sim::file_of(
      sim::small("[[fault]]\nat = \"30s\"\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n"));
  const BatchFindings one = run_batch(file, {.first_seed = 7, .runs = 12, .threads = 1, .twice = true});
  const BatchFindings three = run_batch(file, {.first_seed = 7, .runs = 12, .threads = 3});
  EXPECT_EQ(one.batch.verdict(), sim::Verdict::pass);
  EXPECT_EQ(one.batch.runs(), 12U);
  EXPECT_EQ(one.batch.first_seed(), 7U);
  EXPECT_EQ(one.difference + one.internal_error, "");
  ASSERT_EQ(one.batch.pools().size(), three.batch.pools().size());
  for (std::size_t i = 0; i < one.batch.pools().size(); ++i)
    EXPECT_EQ(one.batch.pools()[i].samples, three.batch.pools()[i].samples);
}

TEST(Readers, say_what_is_wrong_with_each_file_in_order) {
  const Folder folder("read");
  std::filesystem::create_directories(folder.path());
  ASSERT_TRUE(write_file(folder.path() + "/b.toml", sim::small("")).good);
  ASSERT_TRUE(write_file(folder.path() + "/a.toml", "format = 1\nnaem = \"x\"\n").good);
  const std::vector<std::string> paths = {folder.path(), folder.path() + "/none.toml"};
  const std::vector<ReadScenario> read = read_scenarios(paths, {});
  ASSERT_EQ(read.size(), 3U);
  EXPECT_FALSE(read[0].file);
  EXPECT_FALSE(read[0].diagnostics.empty());
  ASSERT_TRUE(read[1].file);
  EXPECT_EQ(read[1].file->scenario.name, "test");
  EXPECT_FALSE(read[2].unreadable.empty());
}

}  // namespace
}  // namespace tenure::lab
