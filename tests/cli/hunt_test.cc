// Hunts as a user runs them: what -j changes (nothing), what is kept, what is replayed, and what is not deterministic.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <sstream>
#include <string>

#include "cli/one_hunt.h"
#include "core/electors/registry.h"
#include "sim/scenario/toml/parse.h"
#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using testing::Ended;
using testing::shell;
using testing::tenure;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// In a folder of its own, with the scenarios beside it.
Ended in_a_folder(const std::string& commands) {
  return shell("d=$(mktemp -d); trap 'rm -r \"$d\"' EXIT; cp *.toml \"$d\"; cd \"$d\"; " + commands);
}

const std::string kFaultless =
    "printf 'format = 1\\nname = \"own\"\\n[sim]\\nduration = \"1m\"\\n[cluster]\\nprotocol = "
    "\"client-go\"\\n"
    "[expect]\\nalways = [\"one-believer\"]\\n[hunt]\\n' > own.toml; ";

TEST(Hunts, find_the_same_whatever_j_is) {
  const Ended ended = in_a_folder(kFaultless +
                                  "\"$TENURE\" hunt own.toml --seeds 700 --keep-going --no-shrink "
                                  "--no-replay --format json -j1 2>/dev/null >one;"
                                  "\"$TENURE\" hunt own.toml --seeds 700 --keep-going --no-shrink "
                                  "--no-replay --format json -j2 2>/dev/null >two;"
                                  "cmp one two && grep -c one-believer one");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST(Hunts, keep_what_fails_and_replay_it_first) {
  const Ended ended = in_a_folder(kFaultless +
                                  "\"$TENURE\" hunt own.toml --seeds 700; echo \"hunt $?\";"
                                  "\"$TENURE\" run regressions/*.toml >/dev/null; echo \"run $?\";"
                                  "\"$TENURE\" replay; echo \"replay $?\";"
                                  "\"$TENURE\" hunt own.toml --seeds 700; echo \"again $?\"");
  EXPECT_TRUE(has(ended.out, "hunt 1\n")) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "stopped     after "));
  EXPECT_TRUE(has(ended.out, "run 1\n"));
  EXPECT_TRUE(has(ended.out, "still fails"));
  EXPECT_TRUE(has(ended.out, "replay 1\n"));
  EXPECT_TRUE(has(ended.out, "a regression fails"));
  EXPECT_TRUE(has(ended.out, "again 1\n"));
}

TEST(Hunts, that_never_saw_what_is_demanded_are_inconclusive) {
  const Ended ended = in_a_folder(
      "sed 's/always = .*/sometimes = [\"hold-set\"]/; /^believer/d' fail.toml > never.toml;"
      "\"$TENURE\" hunt never.toml --seeds 20 --no-replay");
  EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "hold-set"));
}

TEST(Hunts, shrink_one_failing_scenario) {
  const Ended ended =
      in_a_folder("\"$TENURE\" shrink fail.toml --out small.toml && \"$TENURE\" run small.toml");
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "1 fault,"));
  EXPECT_EQ(in_a_folder("\"$TENURE\" shrink pass.toml").code, 4);
}

TEST(ExhaustiveHunts, end_as_what_they_find) {
  const std::string bounds =
      "--set exhaustive.instances=2 --set exhaustive.horizon=20s --set exhaustive.crashes=0";
  const Ended weak = in_a_folder("\"$TENURE\" hunt --exhaustive fail.toml " + bounds);
  EXPECT_EQ(weak.code, 1) << weak.err;
  EXPECT_TRUE(has(weak.out, "one-believer fails")) << weak.out;
  const std::string ours =
      "sed 's/client-go/fenced-lease/; /^believer/d; /^always/d' fail.toml > ours.toml; ";
  const Ended finished =
      in_a_folder(ours + "\"$TENURE\" hunt --exhaustive ours.toml --set exhaustive.losses=0 " + bounds);
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  EXPECT_TRUE(has(finished.out, "finished: no violation"));
  const Ended given_up =
      in_a_folder(ours + "\"$TENURE\" hunt --exhaustive ours.toml --set exhaustive.states=100 " + bounds);
  EXPECT_EQ(given_up.code, 2) << given_up.out << given_up.err;
}

TEST(ExhaustiveHunts, draw_no_seeds) {
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--exhaustive", "--seeds", "5"}).code, 64);
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--exhaustive", "--keep-going"}).code, 64);
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--exhaustive", "--format", "jsonl"}).code, 64);
}

// ---- the gate ----------------------------------------------------------------------------------------------

// The planted source of nondeterminism: a count that outlives the run.
std::atomic<std::int64_t> moods{0};

class Moody final : public Elector {
 public:
  explicit Moody(std::unique_ptr<Elector> inner) : inner_(std::move(inner)) {}
  void step(const Input& input, Env& env) override {
    inner_->step(input, env);
    if (std::holds_alternative<Started>(input)) env.journal.note(Remark{"mood", ++moods});
  }
  Leadership leadership(const Clock& clock) const override { return inner_->leadership(clock); }
  std::unique_ptr<Elector> clone() const override { return std::make_unique<Moody>(inner_->clone()); }
  void hash(Hasher& hasher, const Canon& canon) const override { inner_->hash(hasher, canon); }

 private:
  std::unique_ptr<Elector> inner_;
};

TEST(DeterminismGate, stops_a_hunt_at_the_first_event_that_differs) {
  const sim::ParseResult parsed = sim::parse_scenario(
      "moody.toml",
      "format = 1\nname = \"moody\"\n[sim]\nduration = \"1m\"\n[cluster]\nprotocol = \"client-go\"\n");
  ASSERT_TRUE(parsed.scenario);
  sim::Scenario scenario = *parsed.scenario;
  ElectorKind moody = *scenario.protocol;
  moody.make = [](const ElectorSetup& setup) -> std::unique_ptr<Elector> {
    return std::make_unique<Moody>(find_elector_kind("client-go")->make(setup));
  };
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  Reporter nobody;
  HuntOptions options;
  options.seeds = {1, 200};
  options.replay = false;
  options.shrink = false;
  OneHunt calm(options, scenario, nobody, streams);
  EXPECT_NE(calm.run().code, ExitCode::not_deterministic);

  scenario.protocol = &moody;
  OneHunt hunt(options, scenario, nobody, streams);
  const HuntFindings& findings = hunt.run();
  EXPECT_EQ(findings.code, ExitCode::not_deterministic);
  EXPECT_EQ(findings.difference_seed, 1u);
  EXPECT_TRUE(has(findings.difference, "mood")) << findings.difference;
  EXPECT_TRUE(has(findings.difference, "\n  - ") && has(findings.difference, "\n  + "))
      << findings.difference;
}

}  // namespace
}  // namespace tenure::cli
