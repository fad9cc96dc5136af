// Hunts as a user runs them: what -j changes (nothing), what is kept, what is replayed, and what is not deterministic.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/hunt_watch.h"
#include "cli/exit_code.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/hunt_text.h"
#include "core/lease/elector_kind.h"
#include "format/parse/parse.h"
#include "format/print/print.h"
#include "lab/session/hunt_session.h"
#include "lab/session/one_run.h"
#include "sim/protocols/registry.h"
#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::in_a_folder;
using testing::tenure;

const std::string kFaultless =
    "printf 'format = 1\\nname = \"own\"\\n[sim]\\nduration = \"1m\"\\n[cluster]\\nprotocol = "
    "\"client-go\"\\n"
    "[expect]\\nalways = [\"one-believer\"]\\n[hunt]\\n' > own.toml; ";

// A design that fails in more than one way.
const std::string kTwoFailures =
    "printf 'format = 1\\nname = \"two\"\\n[sim]\\nduration = \"1m\"\\n[cluster]\\nprotocol = "
    "\"client-go\"\\nscheduler = \"ticker\"\\n[[schedule]]\\nname = \"job\"\\nevery = "
    "\"5s\"\\n[work]\\nduration = \"2s\"\\n"
    "[expect]\\nalways = [\"one-believer\", \"acts-within-belief\", \"one-worker\"]\\n[hunt]\\n"
    "families = [\"pause\"]\\n' > two.toml; ";

TEST(Hunts, keep_what_fails_and_replay_it_first) {
  const Ended ended = in_a_folder(kFaultless +
                                  "\"$TENURE\" hunt own.toml --seeds 700; echo \"hunt $?\";"
                                  "\"$TENURE\" run regressions/*.toml >/dev/null; echo \"run $?\";"
                                  "\"$TENURE\" replay; echo \"replay $?\";"
                                  "\"$TENURE\" hunt own.toml --seeds 700; echo \"again $?\"");
  expect_out(ended, {"hunt 1\n", "stopped     after ", "run 1\n", "still fails", "replay 1\n",
                     "a regression fails", "again 1\n"});
}

TEST(Hunts, end_with_74_before_the_first_seed_where_failures_cannot_be_written) {
  for (const char* folder : {"/dev/null/x", "own.toml"}) {
    const Ended ended =
        in_a_folder(kFaultless + "\"$TENURE\" hunt own.toml --seeds 700 --no-replay --out " + folder);
    EXPECT_EQ(ended.code, 74) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    expect_err(ended, "cannot write");
  }
}

TEST(Hunts, keep_what_was_there_under_its_name) {
  const Ended ended = in_a_folder(kFaultless + R"sh(
    hunt() { "$TENURE" hunt own.toml --seeds 700 --no-replay --format json "$@" >/dev/null; }
    hunt; hunt; ls regressions >once
    kept=$(ls -d regressions/*)
    echo '# by hand' >>"$kept"; cp "$kept" mine
    hunt; hunt
    cmp mine "$kept" && cat once && ls regressions)sh");
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string name = ended.out.substr(0, ended.out.find(".toml"));
  EXPECT_EQ(ended.out, name + ".toml\n" + name + "-2.toml\n" + name + ".toml\n");
}

TEST(Hunts, of_scenarios_with_one_name_keep_the_failures_of_both) {
  const Ended ended = in_a_folder(kFaultless + R"sh(
    sed 's/1m/2m/' own.toml >other.toml
    "$TENURE" hunt own.toml other.toml --seeds 300 --keep-going --no-replay --no-shrink >out
    grep '^  kept ' out | sort | uniq -d; grep -c '^  kept ' out; ls regressions | wc -l)sh");
  const std::string count = ended.out.substr(0, ended.out.find('\n'));
  EXPECT_EQ(ended.out, count + "\n" + count + "\n") << ended.err;
}

TEST(Hunts, replay_what_is_theirs_however_it_is_spelt) {
  const Ended ended = in_a_folder(kFaultless + R"sh(
    "$TENURE" hunt own.toml --seeds 700 --no-shrink >/dev/null
    cp regressions/*.toml regressions/other.toml
    sed -i 's/^name = .*/name = "else"/; s/^origin = .*/origin = "else.toml seed 1"/' regressions/other.toml
    mkdir sub; cp own.toml sub/elsewhere.toml
    for path in own.toml ./own.toml "$PWD/own.toml" sub/../own.toml sub/elsewhere.toml; do
      "$TENURE" hunt "$path" --seeds 1 | grep -o '[01] of 1 pass.*'
    done)sh");
  std::string expected;
  for (int i = 0; i < 5; ++i)
    expected += "0 of 1 pass, and reach what they were kept for; 1 in the folder of other scenarios\n";
  EXPECT_EQ(ended.out, expected) << ended.err;
}

// Written at once: whatever ends the program while the first is shrunk, the others are there. Runs are long, so that
// the shrink is.
TEST(Hunts, keep_every_failure_before_they_shrink_the_first) {
  for (const std::string signal : {"INT", "KILL"}) {
    const Ended ended = in_a_folder(kTwoFailures + R"sh(
      sed -i 's/"1m"/"1h"/' two.toml; echo 'faults = "20..30"' >>two.toml
      "$TENURE" hunt two.toml --seeds 2..2 --no-replay --shrink-for 1h >out 2>err &
      pid=$!
      for i in $(seq 600); do
        [ "$(ls regressions/*.toml 2>/dev/null | wc -l)" -ge 2 ] && break
        sleep 0.05
      done
      kill -)sh" + signal + R"sh( $pid
      wait $pid; echo $?
      for kept in regressions/*.toml; do "$TENURE" run "$kept" >/dev/null; echo $?; done
      grep -c '^  kept .*the time was up before all was tried' out
      grep -c '^  kept .*as it was found, not shrunk' out)sh");
    EXPECT_EQ(ended.out, signal == "INT" ? "130\n1\n1\n1\n1\n" : "137\n1\n1\n0\n0\n") << ended.err;
  }
}

TEST(Hunts, report_each_checker_that_a_case_fails) {
  const Ended ended = in_a_folder(kTwoFailures + R"sh(
      "$TENURE" hunt two.toml --seeds 256 --no-replay --no-shrink --format json)sh");
  EXPECT_EQ(ended.code, 1);
  expect_out(ended, "\"failing_cases\":1");
  EXPECT_TRUE(has(ended.out, "two-one-believer-") && has(ended.out, "two-one-worker-")) << ended.out;
}

TEST(Hunts, that_never_saw_what_is_demanded_are_inconclusive) {
  const Ended ended = in_a_folder(
      "sed 's/always = .*/sometimes = [\"hold-set\"]/; /^believer/d' fail.toml > never.toml;"
      "\"$TENURE\" hunt never.toml --seeds 20 --no-replay");
  EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
  expect_out(ended, "hold-set");
}

TEST(Hunts, shrink_one_failing_scenario) {
  const Ended ended = in_a_folder(
      "\"$TENURE\" shrink fail.toml --out small.toml; echo \"shrink $?\"; \"$TENURE\" run small.toml");
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  expect_out(ended, {"shrink 1\n", "1 fault,"});
  EXPECT_EQ(in_a_folder("\"$TENURE\" shrink pass.toml").code, 4);
  const Ended over = in_a_folder(
      "ln -s fail.toml link; cp fail.toml before; \"$TENURE\" shrink fail.toml --out link; c=$?; "
      "cmp before fail.toml || c=99; exit $c");
  EXPECT_EQ(over.code, 64) << over.err;
}

// Shrinking leaves the shortest tail that the settings of the file allow, and a longer lease needs a longer one.
TEST(Hunts, replay_with_a_setting_that_needs_a_longer_tail) {
  const Ended ended = in_a_folder(R"sh(
    "$TENURE" shrink fail.toml --out kept.toml >/dev/null
    "$TENURE" replay kept.toml --set election.lease_duration=40s; echo "longer $?"
    "$TENURE" replay kept.toml --set election.lease_duration=40s --set sim.tail=1s; echo "short $?"
    sed -i 's/^tail = .*/tail = "1s"/' kept.toml
    "$TENURE" replay kept.toml --set election.lease_duration=40s; echo "own $?")sh");
  EXPECT_TRUE(has(ended.err, "warning: kept.toml: a tail of ") &&
              has(ended.err, "is too short for what is set"))
      << ended.err;
  EXPECT_FALSE(has(ended.out, "longer 65")) << ended.out;
  EXPECT_TRUE(has(ended.out, "short 65") && has(ended.out, "own 65")) << ended.out << ended.err;
}

TEST(Hunts, shrink_a_regression_under_its_own_name) {
  const Ended ended = in_a_folder(kFaultless + R"sh(
    "$TENURE" hunt own.toml --seeds 700 --no-shrink --no-replay >/dev/null
    kept=$(ls regressions/*)
    for i in 1 2; do "$TENURE" shrink "$kept" >/dev/null; done
    ls regressions; grep -hE '^(name|origin)' regressions/* | sort -u)sh");
  const std::string name = ended.out.substr(0, ended.out.find("-2.toml"));
  const std::string seed = name.substr(name.rfind('-') + 1);
  EXPECT_EQ(ended.out, name + "-2.toml\n" + name + ".toml\nname = \"" + name +
                           "\"\norigin = \"own.toml seed " + seed + "\"\n")
      << ended.err;
}

TEST(ExhaustiveHunts, end_as_what_they_find) {
  const std::string bounds =
      "--set exhaustive.instances=2 --set exhaustive.horizon=20s --set exhaustive.crashes=0";
  const Ended weak = in_a_folder("\"$TENURE\" hunt --exhaustive fail.toml " + bounds);
  EXPECT_EQ(weak.code, 1) << weak.err;
  expect_out(weak, "one-believer fails");
  const std::string ours =
      "sed 's/client-go/fenced-lease/; /^believer/d; /^always/d' fail.toml > ours.toml; ";
  const Ended finished =
      in_a_folder(ours + "\"$TENURE\" hunt --exhaustive ours.toml --set exhaustive.losses=0 " + bounds);
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  expect_out(finished, "finished: no violation");
  const Ended given_up =
      in_a_folder(ours + "\"$TENURE\" hunt --exhaustive ours.toml --set exhaustive.states=100 " + bounds);
  EXPECT_EQ(given_up.code, 2) << given_up.out << given_up.err;
}

TEST(ExhaustiveHunts, draw_no_seeds) {
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--exhaustive", "--seeds", "5"}).code, 64);
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--exhaustive", "--keep-going"}).code, 64);
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--exhaustive", "--format", "jsonl"}).code, 64);
}

// ---- what cannot be written ---------------------------------------------------------------------------------

class Listener final : public Reporter {
 public:
  void found(const lab::HuntFindings&, const lab::Finding& finding) override { findings.push_back(finding); }
  std::vector<lab::Finding> findings;
};

// The folder went while the hunt was on.
TEST(Hunts, lose_no_failure_that_cannot_be_written) {
  const format::ParseResult parsed = format::parse_scenario(
      "own.toml",
      "format = 1\nname = \"own\"\n[sim]\nduration = \"1m\"\n[cluster]\nprotocol = \"client-go\"\n"
      "[expect]\nalways = [\"one-believer\"]\n[hunt]\n");
  ASSERT_TRUE(parsed.scenario);
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  Listener listener;
  HuntOptions options;
  options.seeds = {1, 700};
  options.replay = false;
  options.folder = "/dev/null/kept";
  const format::ScenarioFile file = parsed.file();
  HuntWatch watch("it", options, listener, streams);
  lab::HuntSession hunt(hunt_setup(options, "it"), file, watch);
  const lab::HuntFindings& findings = hunt.run();
  EXPECT_EQ(exit_code_of(findings), ExitCode::io_error);
  ASSERT_EQ(listener.findings.size(), 1U);
  const lab::Finding& found = listener.findings.front();
  EXPECT_FALSE(found.saved.written);
  EXPECT_TRUE(has(text_of_finding(found, false), "one-believer"));
  EXPECT_TRUE(has(text_of_finding(found, false), "nowhere: /dev/null/kept/own-one-believer-"));
  EXPECT_EQ(count_of(suite_of_hunt(findings, *parsed.scenario), SuiteCase::CheckStanding::failed), 1U);
  EXPECT_TRUE(has(err.str(), print_scenario(found.saved.file))) << err.str();
}

// ---- the gate ----------------------------------------------------------------------------------------------

// The planted source of nondeterminism: a count that outlives the run.
std::atomic<std::int64_t> moods{0};

class Moody final : public Elector {
 public:
  explicit Moody(std::unique_ptr<Elector> inner) : inner_(std::move(inner)) {}
  void step(const Input& input, Env& env) override {
    inner_->step(input, env);
    if (std::holds_alternative<Started>(input)) env.journal.note(Annotation{"mood", ++moods});
  }
  Leadership leadership(const Clock& clock) const override { return inner_->leadership(clock); }
  std::unique_ptr<Elector> clone() const override { return std::make_unique<Moody>(inner_->clone()); }
  void hash(Hasher& hasher, const Canon& canon) const override { inner_->hash(hasher, canon); }

 private:
  std::unique_ptr<Elector> inner_;
};

std::unique_ptr<Elector> make_moody(const ElectorSetup& setup) {
  return std::make_unique<Moody>(find_elector_kind("client-go")->make(setup));
}

// The planted source of a difference that no trace shows: after the first run's three nodes the protocol claims more.
std::atomic<int> nodes_made{0};

TEST(DeterminismGate, compares_verdicts_and_not_only_traces) {
  const format::ParseResult parsed = format::parse_scenario(
      "fickle.toml",
      "format = 1\nname = \"fickle\"\n[sim]\nseed = 1\nduration = \"1m\"\n[cluster]\nprotocol = "
      "\"client-go\"\n[[fault]]\nat = \"20s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = "
      "\"20s\"\n");
  ASSERT_TRUE(parsed.scenario);
  sim::Scenario scenario = *parsed.scenario;
  ElectorKind fickle = *scenario.protocol;
  EXPECT_TRUE(lab::run_case(scenario, true).difference.empty());
  fickle.make = [](const ElectorSetup& setup) {
    ++nodes_made;
    return find_elector_kind("client-go")->make(setup);
  };
  fickle.claims = []() -> const std::vector<Claim>& {
    static const std::vector<Claim> kNone;
    static const std::vector<Claim> kOne = {Claim{.invariant = "one-believer", .assumptions = {}}};
    return nodes_made <= 3 ? kNone : kOne;
  };
  scenario.protocol = &fickle;
  EXPECT_TRUE(has(lab::run_case(scenario, true).difference, "what is not recorded differs"));
}

// The file cannot give the run that failed, because no two runs are the same.
TEST(Keeping, says_that_a_file_which_does_not_reproduce_is_our_mistake) {
  const format::ParseResult parsed = format::parse_scenario(
      "moody.toml",
      "format = 1\nname = \"moody\"\n[sim]\nseed = 1\nduration = \"1m\"\n[cluster]\nprotocol = "
      "\"client-go\"\n"
      "[expect]\nalways = [\"one-believer\"]\n"
      "[[fault]]\nat = \"20s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"20s\"\n");
  ASSERT_TRUE(parsed.scenario);
  sim::Scenario scenario = *parsed.scenario;
  ElectorKind moody = *scenario.protocol;
  moody.make = make_moody;
  const std::string folder = ::testing::TempDir() + "tenure-keeping-" + std::to_string(::getpid());
  const lab::RegressionPlace place{.folder = folder, .origin = {"moody.toml", 1, "0.1.0"}};
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  const lab::Failure failure = lab::try_case(scenario).failures.front();
  const lab::SavedRegression calm = lab::save_regression(scenario, failure, place);
  EXPECT_TRUE(calm.reproducible);
  say_what_is_wrong(calm, streams);
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(exit_code_of(calm), ExitCode::pass);
  scenario.protocol = &moody;
  lab::SavedRegression saved = lab::save_regression(scenario, failure, place);
  EXPECT_FALSE(saved.reproducible);
  EXPECT_TRUE(saved.written);
  const std::string found = print_scenario(saved.file);
  EXPECT_FALSE(lab::shrink_saved(saved, place, Duration::seconds(30)));
  EXPECT_EQ(print_scenario(saved.file), found) << "what was found stays";
  say_what_is_wrong(saved, streams);
  EXPECT_EQ(exit_code_of(saved), ExitCode::internal_error);
  EXPECT_TRUE(has(err.str(), "This is a bug of tenure")) << err.str();
  EXPECT_TRUE(has(text_of_finding({1, saved, 1}, false), "NOT REPRODUCIBLE"));
  std::filesystem::remove_all(folder);
}

TEST(DeterminismGate, stops_a_hunt_at_the_first_event_that_differs) {
  const format::ParseResult parsed = format::parse_scenario(
      "moody.toml",
      "format = 1\nname = \"moody\"\n[sim]\nduration = \"1m\"\n[cluster]\nprotocol = \"client-go\"\n");
  ASSERT_TRUE(parsed.scenario);
  format::ScenarioFile file = parsed.file();
  ElectorKind moody = *file.scenario.protocol;
  moody.make = make_moody;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  Reporter nobody;
  HuntOptions options;
  options.seeds = {1, 200};
  options.replay = false;
  options.shrink = false;
  HuntWatch watch("it", options, nobody, streams);
  lab::HuntSession calm(hunt_setup(options, "it"), file, watch);
  EXPECT_NE(exit_code_of(calm.run()), ExitCode::not_deterministic);

  file.scenario.protocol = &moody;
  lab::HuntSession hunt(hunt_setup(options, "it"), file, watch);
  const lab::HuntFindings& findings = hunt.run();
  EXPECT_EQ(exit_code_of(findings), ExitCode::not_deterministic);
  EXPECT_EQ(findings.difference_seed, 1u);
  EXPECT_TRUE(has(findings.difference, "mood")) << findings.difference;
  EXPECT_TRUE(has(findings.difference, "\n  - ") && has(findings.difference, "\n  + "))
      << findings.difference;
}

}  // namespace
}  // namespace tenure::cli
