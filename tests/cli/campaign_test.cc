// A campaign: parts of one command made apart, killed, gone on with, and merged into the report of one machine.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/process.h"

namespace tenure::cli::testing {
namespace {

// The same command in one piece and in parts: all that is written must be the same, byte for byte.
constexpr const char* kBoth = R"sh(
one() {
  "$TENURE" run $FILES $MORE --seeds 1..$SEEDS --junit one.xml --summary one.md --report one.html >one.txt
  echo "one $?"
}
parts() {
  for i in $(seq "$1"); do
    "$TENURE" run $FILES $MORE --seeds 1..$SEEDS --campaign c --shard "$i/$1" || exit 1
  done
}
seldom() {
  printf '%s\n' '[[fault]]' 'every = { p50 = "40s", p99 = "5m" }' 'action = "pause"' 'target = "leader"' \
    'duration = "20s"' '[[fault]]' 'on = "leads"' 'nth = 3' 'action = "kill"' 'target = "leader"' 'duration = "5s"' \
    | cat <(sed '/^\[\[fault/,$d' pass.toml) - >seldom.toml
}
merged() {
  "$TENURE" merge c --junit merged.xml --summary merged.md --report merged.html >merged.txt
  echo "merged $?"
}
same() { for kind in txt xml md html; do cmp one.$kind merged.$kind || return 1; done; echo same; }
)sh";

struct Case {
  const char* name;
  const char* setting;  // of the shell's variables, and of the file
  const char* ends;     // the exit code
};

class Campaign : public ::testing::TestWithParam<Case> {};

TEST_P(Campaign, PartsMergeIntoTheReportOfOneMachineByteForByte) {
  for (const char* parts : {"1", "3", "16"}) {
    const Ended ended = in_a_folder(std::string(kBoth) + GetParam().setting + "one; parts " + parts +
                                    " >kept.txt; merged; same");
    EXPECT_EQ(ended.out, std::string("one ") + GetParam().ends + "\nmerged " + GetParam().ends + "\nsame\n")
        << parts << " parts\n"
        << ended.err;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, Campaign,
    ::testing::Values(Case{"Passes", "FILES='pass.toml' SEEDS=40\n", "0"},
                      Case{"SeveralFiles", "FILES='pass.toml fail.toml' SEEDS=30\n", "1"},
                      // What a fault did, in a few seeds alone.
                      Case{"FaultsThatStrikeSeldom", "seldom; FILES=seldom.toml SEEDS=20\n", "0"},
                      // More than are told in full.
                      Case{"ManyFailures", "FILES=fail.toml SEEDS=50\n", "1"},
                      Case{"OverridesAndTwice",
                           "FILES=pass.toml SEEDS=12 MORE='--set cluster.instances=5 --twice'\n", "0"},
                      // Parts without a run, and runs that are all alike.
                      Case{"FewerSeedsThanParts", "FILES=pass.toml SEEDS=2\n", "0"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CampaignParts, APartThatWasKilledGoesOnWhereItsFileEnds) {
  const Ended ended = in_a_folder(std::string(kBoth) + R"sh(
FILES=pass.toml SEEDS=6000
for signal in KILL INT INT INT INT; do
  for part in 1 2; do
    "$TENURE" run $FILES --seeds 1..$SEEDS --campaign c --shard $part/2 -j4 & pid=$!
    until [ -e c/run-$part-of-2.part ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    sleep 0.1; kill -$signal $pid; wait $pid
  done
done >/dev/null 2>&1
one; parts 2 >/dev/null; merged; same)sh");
  EXPECT_EQ(ended.out, "one 0\nmerged 0\nsame\n") << ended.err;
}

// Blocks of a hunt are hunted by themselves: how many parts there are, and that one was killed, changes nothing.
TEST(CampaignParts, HuntsGiveTheSameInAnyNumberOfParts) {
  const Ended ended = in_a_folder(R"sh(
hunted() { "$TENURE" hunt fail.toml pass.toml --seeds 1..7000 --campaign c "$@"; }
merged() { "$TENURE" merge c --junit "$1.xml" --report "$1.html" >"$1.txt"; echo "$1 $?"; }
hunted | cut -d, -f1; merged one; rm -r c
hunted --shard 2/3 >/dev/null 2>&1 & pid=$!
until [ -e c/hunt-2-of-3.part ]; do sleep 0.02; done; kill -KILL $pid; wait $pid 2>/dev/null
hunted --shard 3/3 -j1 >/dev/null; hunted --shard 1/3 -j3 >/dev/null; hunted --shard 2/3 >/dev/null
mv c moved; mv moved c; merged parts
for kind in txt xml html; do cmp one.$kind parts.$kind; done
"$TENURE" merge c | grep -c '^  kept'; mkdir d; mv c/hunt-3-of-3.part d; "$TENURE" merge c 2>&1 | head -1)sh");
  EXPECT_EQ(ended.out,
            "part 1 of 1: 8 of 8 blocks\none 1\nparts 1\n1\nmissing: part 3 of 3 (hunt-3-of-3.part)\n")
      << ended.err;
}

// Each run is made once, by the part whose it is, although what is run next depends on the runs of all.
TEST(CampaignParts, TuningsAndComparisonsShareTheirRuns) {
  const Ended ended = in_a_folder(R"sh(
{ cat pass.toml; printf '[tune]\nseeds = 12\nobjectives = ["failover_seconds.p50"]\n'
  printf '[tune.election]\nlease_duration = ["12s", "15s"]\n'; } >tune.toml
for what in 'tune tune.toml' 'compare client-go fenced-lease --seeds 6'; do
  "$TENURE" $what >one 2>/dev/null || "$TENURE" $what
  rm -f *.tune
  for part in 1 2 3; do "$TENURE" $what --save runs --shard $part/3 -j2 >/dev/null 2>&1 & done; wait
  [ "$(cat runs.* | grep -c group)" = "$(cat runs.* | grep group | sort -u | wc -l)" ] || echo "made twice"
  "$TENURE" $what --save runs --resume >all 2>/dev/null; cmp one all && echo same
  wc -l <runs; rm runs*
done)sh");
  EXPECT_EQ(ended.out, "same\n1\nsame\n1\n") << ended.err;
}

TEST(CampaignParts, WhatIsMissingIsSaidAndNeverAPass) {
  const Ended ended = in_a_folder(R"sh(
"$TENURE" run pass.toml --seeds 1..30 --campaign c --shard 1/3 >/dev/null
"$TENURE" run pass.toml --seeds 1..30 --campaign c --shard 3/3 >/dev/null
"$TENURE" merge c | head -1; "$TENURE" merge c >/dev/null; echo "code $?")sh");
  expect_err(ended, "missing: part 2 of 3 (run-2-of-3.part)");
  expect_out(ended, {"INCONCLUSIVE", "code 2\n"});
}

struct Wrong {
  const char* command;
  const char* said;
  int code;
};

TEST(CampaignParts, WhatIsWrongIsSaidAndNothingIsLost) {
  const std::string made =
      "\"$TENURE\" run pass.toml --seeds 1..4 --campaign c --shard 1/2 >/dev/null; cp c/*.part kept;\n";
  for (const Wrong& each : std::initializer_list<Wrong>{
           {"\"$TENURE\" run pass.toml --seeds 1..5 --campaign c --shard 1/2", "part of another campaign",
            74},
           {"\"$TENURE\" run fail.toml --seeds 1..4 --campaign c --shard 1/2", "part of another campaign",
            74},
           {"\"$TENURE\" run pass.toml --seeds 1..4 --shard 1/2", "--campaign DIR says where", 64},
           {"\"$TENURE\" run pass.toml --campaign c", "give --seeds A..B", 64},
           {"\"$TENURE\" run pass.toml --seeds 1..4 --campaign c --junit x", "give --junit to `tenure merge`",
            64},
           {"\"$TENURE\" run pass.toml --seeds 1..4 --campaign c --shard 3/2", "expected I/N", 64},
           {"\"$TENURE\" run pass.toml --seeds 1..4 --campaign pass.toml", "pass.toml", 74},
           {"\"$TENURE\" hunt pass.toml --seeds 9 --campaign c --for 1s", "--for means nothing", 64},
           {"\"$TENURE\" hunt pass.toml --campaign c", "give --seeds", 64},
           {"\"$TENURE\" compare client-go --shard 1/2", "--shard needs --save", 64},
           {"\"$TENURE\" compare client-go --save s --shard 1/2 --report x", "a part reports nothing", 64},
           {"\"$TENURE\" merge", "name the folder", 64},
           {"\"$TENURE\" merge nowhere", "cannot read nowhere", 65},
           {"mkdir e; \"$TENURE\" merge e", "no part of a campaign is in e", 65},
           {"mkdir e; \"$TENURE\" run fail.toml --seeds 1..4 --campaign e >/dev/null; \"$TENURE\" merge c e",
            "parts of two campaigns", 65},
           {"head -c 300 kept >c/run-2-of-2.part; \"$TENURE\" merge c", "run-2-of-2.part is ", 65},
           {"echo '# more' >>pass.toml; echo '[meta]' >>pass.toml; \"$TENURE\" merge c", "pass.toml", 65}}) {
    const Ended ended =
        in_a_folder(made + each.command + "; code=$?; cmp kept c/run-1-of-2.part; exit $code");
    EXPECT_EQ(ended.code, each.code) << each.command << "\n" << ended.err;
    EXPECT_TRUE(has(ended.err, each.said)) << each.command << "\n" << ended.err;
    EXPECT_FALSE(has(ended.out, "differ")) << each.command;
  }
}

TEST(CampaignParts, AutoIsTheTaskThatTheEnvironmentTells) {
  struct Task {
    const char* environment;
    const char* said;
  };
  for (const Task& task : std::initializer_list<Task>{
           {"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_STEP=2",
            "part 3 of 4"},
           {"JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=4", "part 1 of 4"},
           {"CI_NODE_INDEX=4 CI_NODE_TOTAL=4", "part 4 of 4"},
           {"STRATEGY_JOB_INDEX=1 STRATEGY_JOB_TOTAL=4", "part 2 of 4"},
           {"JOB_COMPLETION_INDEX=0", "set JOB_COMPLETIONS to the number of tasks"},
           {"CI_NODE_INDEX=5 CI_NODE_TOTAL=4", "is none of 4 tasks"},
           {"CI_NODE_INDEX=two CI_NODE_TOTAL=4", "is no number"},
           {"NOTHING=1", "give --shard I/N"}}) {
    const Ended ended = in_a_folder(std::string("env -u CI_NODE_INDEX ") + task.environment +
                                    " \"$TENURE\" run pass.toml --seeds 1..4 --campaign c --shard auto");
    EXPECT_TRUE(has(ended.out + ended.err, task.said)) << task.environment << "\n" << ended.out << ended.err;
  }
}

}  // namespace
}  // namespace tenure::cli::testing
