// What hunts, shrinks and replays say to somebody who knows no more than the README.
#include <gtest/gtest.h>

#include <string>

#include "cli/terminal/terminal.h"
#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::in_a_folder;
using testing::tenure;

// Beside own.toml, which leaves no faults to the hunt.
Ended beside_own(const std::string& commands) {
  return in_a_folder(R"sh(
    printf '%s\n' 'format = 1' 'name = "own"' '[sim]' 'duration = "1m"' '[cluster]' 'protocol = "client-go"' \
      '[expect]' 'always = ["one-believer"]' >own.toml
)sh" + commands);
}

TEST(HuntWords, what_is_listed_and_not_demanded_is_said_everywhere_and_is_no_passing_test_case) {
  const std::string why =
      "always was not demanded: the file leaves no faults to the hunt, so claims alone decide; add ";
  const Ended ended = beside_own(R"sh(
    "$TENURE" hunt own.toml --seeds 400 --no-replay --junit j.xml --summary s.md 2>/dev/null
    "$TENURE" hunt own.toml --seeds 400 --no-replay --format json >json 2>/dev/null
    "$TENURE" hunt own.toml --seeds 5 --no-replay --unguided --junit few.xml >/dev/null 2>&1
    grep -c ')sh" + why + R"sh(' s.md json few.xml
    grep -c 'skipped message="reported [0-9]*x, not demanded"' j.xml
    grep -o '"reported":{"[^}]*}' json)sh");
  expect_out(ended, {"note        " + why + "[hunt]", "s.md:1\njson:1\nfew.xml:1\n1\n",
                     "\"reported\":{\"one-believer\":", "reported    one-believer "});
}

TEST(HuntWords, a_kept_failure_is_told_by_the_checker_that_it_was_kept_for) {
  const Ended ended = beside_own(R"sh(
    cat >two.toml <<'END'
format = 1
name = "two"
[sim]
seed = 1
duration = "2m"
tail = "60s"
[cluster]
instances = 3
protocol = "client-go"
scheduler = "ticker"
[[schedule]]
name = "job"
every = "5s"
[work]
duration = "2s"
[expect]
always = ["one-believer", "one-worker"]
[[fault]]
at = "60s"
action = "pause"
target = "leader"
duration = "25s"
[regression]
checker = "CHECKER"
END
    for checker in one-believer one-worker; do
      sed "s/CHECKER/$checker/" two.toml >kept.toml
      "$TENURE" run kept.toml | grep '^FAIL' | awk '{print $5}'
    done)sh");
  EXPECT_EQ(ended.out, "one-believer\none-worker\n") << ended.err;
}

TEST(HuntWords, an_interrupted_hunt_is_inconclusive_in_every_report) {
  const Ended ended = beside_own(R"sh(
    "$TENURE" hunt own.toml pass.toml --seeds 5000000 --keep-going --format jsonl --junit j.xml --summary s.md \
      >out 2>err &
    pid=$!
    until ls j.xml.*.new >/dev/null 2>&1; do sleep 0.05; done
    kill -INT $pid
    wait $pid
    echo $?
    grep -c '"kind":"hunt".*"verdict":"inconclusive".*"stopped":"interrupted"' out
    grep -o '"done":[0-9]*,"interrupted":true' out
    grep -c '<error message="after .*: interrupted"' j.xml
    grep -o '### Tenure: .*' s.md)sh");
  EXPECT_EQ(ended.out, "130\n1\n\"done\":0,\"interrupted\":true\n1\n### Tenure: 2 inconclusive\n")
      << ended.err;
}

// Interrupted, and gone on with: what a hunt says that nobody interrupted, with the cases from before not run again.
TEST(HuntWords, an_interrupted_hunt_resumes) {
  const Ended ended = beside_own(R"sh(
    "$TENURE" hunt own.toml --seeds 3000 --no-replay --no-shrink --keep-going --out whole >whole.txt 2>/dev/null
    "$TENURE" hunt own.toml --seeds 3000 --no-replay --no-shrink --keep-going --out parts --save kept >first 2>err &
    pid=$!
    until [ "$(wc -l <kept 2>/dev/null || echo 0)" -gt 300 ]; do sleep 0.02; done
    kill -INT $pid
    wait $pid
    echo $?
    grep -c 'cases are kept in kept, and --resume goes on' err
    cp kept before
    "$TENURE" hunt own.toml --seeds 3000 --no-replay --no-shrink --keep-going --out parts --save kept --resume \
      >parts.txt 2>/dev/null
    sed -i 's/whole/parts/g' whole.txt
    cmp whole.txt parts.txt && echo same
    sort kept | uniq -d | grep -c '"seed"'
    "$TENURE" hunt own.toml --seeds 10 --save kept 2>&1 >/dev/null | grep -c 'kept holds runs already'
    "$TENURE" hunt own.toml --seeds 10 --resume; echo $?)sh");
  EXPECT_EQ(ended.out, "130\n1\nsame\n0\n1\n64\n") << ended.err;
}

TEST(HuntWords, an_interrupted_exploration_ends_in_good_order) {
  const Ended ended = beside_own(R"sh(
    sed 's/client-go/fenced-lease/; /^believer/d; /^always/d' fail.toml >ours.toml
    "$TENURE" hunt --exhaustive ours.toml --set exhaustive.horizon=1h --set exhaustive.delays=3 >out 2>err &
    pid=$!
    until [ "$(awk '{print $14}' /proc/$pid/stat)" -gt 20 ]; do sleep 0.05; done
    kill -INT $pid
    wait $pid
    echo $?
    cat out)sh");
  EXPECT_TRUE(ended.out.starts_with("130\nINCONCLUSIVE ")) << ended.out << ended.err;
  expect_out(ended, "not finished: interrupted");
}

TEST(HuntWords, a_bound_that_was_reached_comes_with_advice) {
  const Ended ended = beside_own(
      "sed 's/client-go/fenced-lease/; /^believer/d; /^always/d' fail.toml >ours.toml;"
      "\"$TENURE\" hunt --exhaustive ours.toml --set exhaustive.states=100");
  EXPECT_EQ(ended.code, 2);
  expect_err(ended, "--set exhaustive.instances=2");
}

TEST(HuntWords, a_replay_of_nothing_is_a_pass_unless_somebody_named_it) {
  const Ended ended = beside_own(R"sh(
    "$TENURE" replay; echo $?
    mkdir regressions
    "$TENURE" replay; echo $?
    "$TENURE" replay regressions; echo $?
    "$TENURE" replay elsewhere; echo $?
    "$TENURE" replay own.toml; echo $?)sh");
  EXPECT_EQ(ended.out, "0\n0\n4\n74\n65\n");
  for (const char* said : {"no failure is kept in regressions", "no regression in regressions", "elsewhere",
                           "own.toml has no [regression]"})
    EXPECT_TRUE(has(ended.err, said)) << said << ended.err;
}

TEST(HuntWords, a_replay_names_a_broken_file_and_runs_the_others) {
  const Ended ended = beside_own(R"sh(
    "$TENURE" hunt fail.toml --seeds 3 --no-shrink >/dev/null 2>&1
    sed 's/protocol = .*/protocol = "gone.lua"/' regressions/*.toml >regressions/another.toml
    "$TENURE" replay --junit j.xml; echo $?
    grep -c '<testsuite ' j.xml)sh");
  expect_err(ended, {"regressions/another.toml:", "cannot read regressions/gone.lua",
                     "1 error; the others are run"});
  expect_out(ended, "FAIL regressions/fail-");
  EXPECT_TRUE(ended.out.ends_with("65\n2\n")) << ended.out;
}

TEST(HuntWords, an_unknown_checker_in_a_regression_is_an_error) {
  const Ended ended = beside_own(
      "printf '[regression]\\nchecker = \"one-beliver\"\\n' >>own.toml; \"$TENURE\" check own.toml");
  EXPECT_EQ(ended.code, 65);
  expect_err(ended, "did you mean `one-believer`?");
}

TEST(HuntWords, a_kept_failure_that_stops_a_hunt_says_what_to_do_and_nothing_of_no_cases) {
  const Ended ended = beside_own(R"sh(
    "$TENURE" hunt fail.toml --seeds 3 --no-shrink >/dev/null 2>&1
    "$TENURE" hunt fail.toml --seeds 3)sh");
  for (const char* said : {"the settings with which it failed", "--no-replay", "--keep-going"})
    EXPECT_TRUE(has(ended.out, said)) << said << ended.out;
  for (const char* empty : {"\n  faults", "not struck", "behaviour", "determinism"})
    EXPECT_FALSE(has(ended.out, empty)) << empty << ended.out;
}

TEST(HuntWords, a_hunts_seed_is_not_a_runs) {
  const Ended ended = beside_own("\"$TENURE\" shrink own.toml --seed 3");
  EXPECT_EQ(ended.code, 4);
  EXPECT_TRUE(has(ended.err, "a hunt draws other faults for seed 3") && has(ended.err, "--no-shrink"))
      << ended.err;
}

TEST(HuntWords, a_hunt_with_a_time_invents_no_number_of_seeds) {
  const Ended ended = beside_own("\"$TENURE\" hunt own.toml --for 1ms --no-replay");
  EXPECT_TRUE(has(ended.out, "stopped     after ") && has(ended.out, ": the time was up")) << ended.out;
  EXPECT_FALSE(has(ended.out, "10,000,000")) << ended.out;
}

TEST(HuntWords, a_line_of_progress_is_no_wider_than_the_terminal) {
  EXPECT_EQ(cut_to_width("abcdef", 0), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 5), "abcd…");
  EXPECT_EQ(cut_to_width("äöüäöü", 3), "äö…");
}

TEST(HuntWords, of_several_files_those_that_were_not_hunted_are_named) {
  for (const char* format : {"text", "github"}) {
    const Ended ended = beside_own(std::string(R"sh(
      cp fail.toml other.toml
      "$TENURE" hunt fail.toml other.toml --seeds 3 --no-shrink --summary s.md --format )sh") +
                                   format + "; cat s.md");
    expect_out(ended, {"FAIL fail (fail.toml)  seeds 1..1", "---- fail (other.toml)  not hunted"});
    EXPECT_TRUE(has(ended.out, "### Tenure: 1 fail, 1 not hunted") && has(ended.out, "| ℹ️ not hunted |"))
        << ended.out;
  }
}

TEST(HuntWords, lists_the_families_of_faults) {
  EXPECT_TRUE(has(tenure({"list", "families"}).out, "store-clock  store-clock-step"));
  EXPECT_TRUE(has(tenure({"list", "faults"}).out, "[store-clock]"));
}

TEST(HuntWords, a_shrink_writes_over_nothing_but_what_was_kept_of_the_same_scenario) {
  const Ended ended = beside_own(R"sh(
    cp fail.toml other.toml
    "$TENURE" shrink fail.toml --out other.toml; echo $?
    cmp fail.toml other.toml; echo $?
    for i in 1 2; do "$TENURE" shrink fail.toml --out kept.toml >/dev/null; echo $?; done
    "$TENURE" shrink other.toml --out kept.toml; echo $?
    "$TENURE" hunt fail.toml --out own.toml; echo $?)sh");
  EXPECT_EQ(ended.out, "64\n0\n1\n1\n64\n74\n") << ended.err;
  expect_err(ended, {"cannot write into own.toml: it is a file", "would overwrite a failure of fail.toml"});
}

TEST(HuntWords, near_misses_are_told_what_was_meant) {
  EXPECT_TRUE(has(tenure({"hunt", "pass.toml", "--seeds", "5-10"}).err, "did you mean 5..10?"));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--seeds", "5-10"}).err, "did you mean 5..10?"));
  EXPECT_TRUE(has(beside_own(": >empty.toml; \"$TENURE\" check empty.toml").err, "`format = 1`"));
}

}  // namespace
}  // namespace tenure::cli
