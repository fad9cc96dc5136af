// How the program ends, each way of it, by the real program.

#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::shell;
using testing::tenure;

TEST(ExitCodes, are_zero_one_and_two_for_pass_fail_and_inconclusive) {
  EXPECT_EQ(tenure({"run", "pass.toml"}).code, 0);
  EXPECT_EQ(tenure({"run", "fail.toml"}).code, 1);
  EXPECT_EQ(tenure({"run", "inconclusive.toml"}).code, 2);
  EXPECT_EQ(tenure({"run", "pass.toml", "inconclusive.toml"}).code, 2);
  EXPECT_EQ(tenure({"run", "inconclusive.toml", "fail.toml", "pass.toml"}).code, 1);
}

TEST(ExitCodes, are_four_when_nothing_ran) {
  for (const char* command : {"run", "check", "list scenarios"}) {
    // A folder is no scenario, whatever its name.
    const Ended ended = shell("d=$(mktemp -d); mkdir \"$d/x.toml\"; \"$TENURE\" " + std::string(command) +
                              " \"$d\"; code=$?; rm -r \"$d\"; exit $code");
    EXPECT_EQ(ended.code, 4) << command;
    EXPECT_EQ(ended.out, "");
    expect_err(ended, "error: no scenario ");
  }
}

TEST(ExitCodes, count_the_scenarios_in_folders_below) {
  for (const char* command : {"run", "check", "list scenarios"}) {
    const Ended ended = shell("d=$(mktemp -d); mkdir -p \"$d/a/b\"; cp pass.toml \"$d/a/b\"; \"$TENURE\" " +
                              std::string(command) + " \"$d\"; code=$?; rm -r \"$d\"; exit $code");
    EXPECT_EQ(ended.code, 0) << command << ": " << ended.err;
  }
}

TEST(ExitCodes, are_64_for_arguments_that_make_no_sense) {
  const auto refuse = [](const std::string& command, std::initializer_list<const char*> all) {
    for (const std::string arguments : all) {
      const Ended ended = shell("exec \"$TENURE\" " + command + " " + arguments);
      EXPECT_EQ(ended.code, 64) << arguments << ended.err;
      EXPECT_EQ(ended.out, "");
      EXPECT_TRUE(ended.err.starts_with("error: ")) << ended.err;
    }
  };
  refuse("", {"runn pass.toml", "run"});
  const Ended nothing = tenure({});  // the commands are the answer
  EXPECT_EQ(nothing.code, 64);
  expect_err(nothing, "Start:");
  refuse("run pass.toml", {"--sedd 3", "--seed x", "--seed -1", "--seed ''", "--seeds 5x", "--seeds 5..1",
                           "--seeds 1..99999999999", "--seeds ''", "--seeds 1.."});
  refuse("run pass.toml", {"-j many", "-j 100000", "-j 0", "-j -1", "-j ''", "--set lease", "--format xml",
                           "--trace ''", "fail.toml --trace /tmp/x"});
  refuse("run pass.toml", {"--print-plan --trace /tmp/x", "--print-plan --format json",
                           "--print-plan --twice", "--print-plan --seeds 1..2", "--seed 1 --seeds 1..2"});
  refuse("list", {"faults .", "scenarios . .", "''", "protocls"});
  refuse("next",
         {"", "@daily --every 10s", "@daily --dst-gap skipp", "@daily --count 0", "@daily --count 100001",
          "@daily --format xml", "@daily --jitter-seed 1", "@daily --previous --until 2026-01-01"});
}

TEST(ExitCodes, are_64_and_nothing_is_overwritten_when_the_trace_is_one_of_the_inputs) {
  for (const char* trace : {"x.toml", "./x.toml", "$d/link", "../$(basename \"$d\")/x.toml"}) {
    const Ended ended = shell(std::string(R"sh(
      d=$(mktemp -d)
      cp pass.toml "$d/x.toml"
      cd "$d"
      ln -s x.toml link
      "$TENURE" run . --trace )sh") +
                              "\"" + trace + "\"" + R"sh(
      code=$?
      cmp x.toml "$OLDPWD/pass.toml" || code=99
      rm -r "$d"
      exit $code)sh");
    EXPECT_EQ(ended.code, 64) << trace << ended.err;
    expect_err(ended, "would overwrite the scenario ./x.toml");
  }
}

TEST(ExitCodes, are_65_for_scenarios_with_errors_and_nothing_runs) {
  const Ended ended = tenure({"run", "pass.toml", "bad.toml"});
  EXPECT_EQ(ended.code, 65);
  EXPECT_EQ(ended.out, "");
  expect_err(ended, {"unknown protocol `fenced-leese`", "1 error; nothing was run"});
  EXPECT_EQ(tenure({"run", "pass.toml", "--set", "election.lease_durashun=8s"}).code, 65);
  EXPECT_EQ(shell("head -c 10000000 /dev/zero >\"$TMPDIR/big$$\"; \"$TENURE\" run \"$TMPDIR/big$$\"; c=$?; "
                  "rm \"$TMPDIR/big$$\"; exit $c")
                .code,
            65);
  EXPECT_EQ(tenure({"run", "../process.cc"}).code, 65) << "not a scenario at all";
}

TEST(ExitCodes, are_74_for_files_that_cannot_be_read_or_written) {
  const Ended missing = tenure({"run", "bad.toml", "no-such-file.toml"});
  EXPECT_EQ(missing.code, 74) << "worse than 65";
  expect_err(missing,
             {"cannot read no-such-file.toml: No such file or directory", "2 errors; nothing was run"});
  const auto expect = [](const Ended& ended, const std::string& error) {
    EXPECT_EQ(ended.code, 74);
    EXPECT_EQ(ended.err, "error: " + error + "\n");
  };
  expect(tenure({"run", "pass.toml", "--trace", "/no/such/folder/trace"}),
         "cannot write /no/such/folder/trace: No such file or directory");
  expect(tenure({"run", "pass.toml", "--trace", "/dev/full"}),
         "cannot write /dev/full: No space left on device");
  expect(shell("\"$TENURE\" run pass.toml >/dev/full"), "cannot write the results: No space left on device");
  expect(shell("\"$TENURE\" list >/dev/full"), "cannot write the results: No space left on device");
}

TEST(ExitCodes, are_130_and_text_says_that_it_was_cut_short) {
  const Ended ended = shell(R"sh(
    out=$(mktemp)
    export LC_ALL=C
    "$TENURE" run $(yes pass.toml | head -n 20000) -j 1 >"$out" &
    pid=$!
    while [ "$(wc -l <"$out")" -lt 3 ]; do sleep 0.05; done
    kill -INT $pid
    wait $pid
    code=$?
    tail -n 1 "$out"
    rm "$out"
    exit $code)sh");
  EXPECT_EQ(ended.code, 130);
  expect_out(ended, {"interrupted: ", " of 20,000 runs were done\n"});
}

// 141 is SIGPIPE. The reports of what was run are whole, and nothing else is left behind. There is more to write than a
// pipe holds.
TEST(ExitCodes, say_nothing_when_the_reader_goes_away) {
  const Ended ended = shell(R"sh(
      d=$(mktemp -d)
      { "$TENURE" run pass.toml --format jsonl --junit "$d/j.xml" --report "$d/r.html" --seeds 1..500
        echo $? >"$d/code"; } | head -c 1 >/dev/null
      cat "$d/code"
      rm "$d/code"
      tail -c 8 "$d/r.html"
      tail -c 14 "$d/j.xml"
      ls "$d"
      rm -r "$d")sh");
  EXPECT_EQ(ended.out, "141\n</html>\n</testsuites>\nj.xml\nr.html\n");
  EXPECT_EQ(ended.err, "");
}

TEST(ExitCodes, of_several_are_the_worst) {
  constexpr ExitCode kWorstFirst[] = {
      ExitCode::internal_error, ExitCode::io_error,     ExitCode::bad_scenario, ExitCode::not_deterministic,
      ExitCode::fail,           ExitCode::inconclusive, ExitCode::pass};
  for (std::size_t i = 0; i < std::size(kWorstFirst); ++i)
    for (std::size_t j = i; j < std::size(kWorstFirst); ++j) {
      EXPECT_EQ(worse(kWorstFirst[i], kWorstFirst[j]), kWorstFirst[i]);
      EXPECT_EQ(worse(kWorstFirst[j], kWorstFirst[i]), kWorstFirst[i]);
    }
}

}  // namespace
}  // namespace tenure::cli
