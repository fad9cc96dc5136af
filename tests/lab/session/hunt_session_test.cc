// Hunts as a program of somebody else runs them: on threads, with files, told to an observer.
#include "lab/session/hunt_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/host_failure.h"
#include "format/print/print.h"
#include "lab/session/cancellation.h"
#include "lab/session/one_run.h"
#include "lab/session/replays.h"
#include "lab/session/version.h"
#include "tests/sim/runner/support.h"

namespace tenure::lab {
namespace {

// What the design's authors demand, and what a pause takes from it: never two believers.
format::ScenarioFile weak_design() {
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
    const format::ScenarioFile file = weak_design();
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
    files.push_back(format::print_scenario(findings.findings.front().saved.file));
  }
  EXPECT_EQ(files.front(), files.back());
}

TEST(HuntSession, stops_at_a_failure_unless_it_is_to_go_on_and_counts_failures_that_are_alike) {
  const format::ScenarioFile file = weak_design();
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
  format::ScenarioFile file = weak_design();
  file.scenario.protocol = &kFailing;
  Log log;
  HuntSession hunt(setup_in(folder, 2), file, log);
  EXPECT_THROW(hunt.run(), HostFailure);
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
  EXPECT_THROW(run_seed(file.scenario, 1), HostFailure);
}

TEST(HuntSession, waits_for_its_threads_when_it_is_interrupted) {
  class Stopper final : public HuntObserver {
   public:
    void progressed(std::uint64_t cases, std::uint64_t, std::uint64_t) override {
      if (cases == 5) request_cancellation();
    }
  };
  const Folder folder("interrupted");
  const format::ScenarioFile file = sim::file_of(sim::small("[hunt]\n"));
  Stopper stopper;
  {
    HuntSession hunt(setup_in(folder, 3), file, stopper);
    const HuntFindings& findings = hunt.run();
    EXPECT_TRUE(findings.interrupted);
    EXPECT_GE(findings.cases, 5U);
    EXPECT_LT(findings.cases, 200U);
    EXPECT_EQ(verdict_of(findings), sim::Verdict::inconclusive);
  }  // nothing is at work on it any more
  EXPECT_TRUE(is_cancelled());
  forget_cancellation();
}

}  // namespace
}  // namespace tenure::lab
