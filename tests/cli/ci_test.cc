// Reports for CI servers, by the real program: what is written where, and how it ends.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/support/transcript.h"

namespace tenure::cli {
namespace {

using nlohmann::ordered_json;
using tenure::testing::expect_golden;
using testing::Ended;
using testing::expect_out;
using testing::has;
using testing::shell;
using testing::tenure;

std::vector<ordered_json> documents_of(const std::string& text) {
  std::vector<ordered_json> documents;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) documents.push_back(ordered_json::parse(line));
  return documents;
}

// A folder $d, and `parse FILE`, which prints "tests failures errors skipped" of a JUnit file that is well-formed.
const std::string kPrelude = R"sh(
  d=$(mktemp -d)
  trap 'rm -r "$d"' EXIT
  parse() {
    python3 - "$1" <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
cases = root.findall("testsuite/testcase")
found = [len(cases)] + [sum(c.find(kind) is not None for c in cases) for kind in ("failure", "error", "skipped")]
assert found == [int(root.get(key)) for key in ("tests", "failures", "errors", "skipped")]
assert not root.findall(".//*[@time]") and not root.findall(".//*[@timestamp]") and not root.findall(".//*[@hostname]")
print(*found)
PY
  }
)sh";

Ended in_folder(const std::string& script) { return shell(kPrelude + script); }

TEST(Ci, reports_of_runs_are_as_in_the_golden_files) {
  const std::string files = "pass.toml fail.toml inconclusive.toml";
  EXPECT_EQ(shell("\"$TENURE\" run " + files + " --junit /dev/stderr >/dev/null").code, 1);
  expect_golden("tests/cli/golden/runs.junit.xml",
                shell("\"$TENURE\" run " + files + " --junit /dev/stderr >/dev/null").err);
  expect_golden("tests/cli/golden/runs.md",
                shell("\"$TENURE\" run pass.toml fail.toml --summary /dev/stderr >/dev/null").err);
  expect_golden("tests/cli/golden/runs.github.txt",
                shell("\"$TENURE\" run " + files + " --format github").out);
  expect_golden("tests/cli/golden/batch.github.txt",
                shell("\"$TENURE\" run fail.toml --seeds 1..2 --format github").out);
}

TEST(Ci, reports_of_hunts_are_as_in_the_golden_files) {
  const Ended ended = in_folder(
      "cp fail.toml inconclusive.toml \"$d\"; cd \"$d\"; \"$TENURE\" hunt fail.toml "
      "inconclusive.toml --seeds 3 --no-shrink --junit j.xml --summary s.md --format github "
      ">out 2>/dev/null; code=$?; parse j.xml >&2; grep '^::' out; cat j.xml; sed '/Never reached/,$d' s.md; "
      "exit $code");
  EXPECT_EQ(ended.code, 1);
  expect_golden("tests/cli/golden/hunts.txt", ended.out);
}

TEST(Ci, never_depends_on_how_many_run_at_once) {
  for (const char* format : {"text", "json", "jsonl", "github"}) {
    const Ended ended = in_folder(std::string(R"sh(
      for j in 1 2; do
        mkdir "$d/$j"
        cp *.toml "$d/$j"
        rm "$d/$j/bad.toml"
        (cd "$d/$j"
          "$TENURE" run . --seeds 1..9 -j $j --junit j.xml --summary s.md --format )sh") +
                                  format + R"sh( >out
          "$TENURE" hunt fail.toml pass.toml --keep-going --no-shrink --seeds 40 -j $j \
            --junit h.xml --summary s.md --format )sh" +
                                  format + R"sh( >hunt 2>/dev/null
          "$TENURE" replay -j $j --junit r.xml --summary s.md --format )sh" +
                                  format + R"sh( >replay)
      done
      diff -r "$d/1" "$d/2" && ls "$d/1/regressions" && wc -c <"$d/1/hunt")sh");
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_TRUE(has(ended.out, ".toml")) << "a regression was kept, and replayed";
  }
}

TEST(Ci, writes_json_lines_that_name_their_kind_and_end) {
  const Ended ended = in_folder(
      "cp fail.toml \"$d\"; cd \"$d\"; \"$TENURE\" hunt fail.toml --seeds 3 --no-shrink --format jsonl "
      ">/dev/null;"
      "\"$TENURE\" hunt fail.toml --seeds 3 --no-shrink --format jsonl --keep-going");
  EXPECT_EQ(ended.code, 1);
  const std::vector<ordered_json> documents = documents_of(ended.out);
  std::vector<std::string> kinds;
  for (const ordered_json& document : documents) kinds.push_back(document.begin().value());
  EXPECT_EQ(kinds, (std::vector<std::string>{"regression", "finding", "hunt", "end"})) << ended.out;
  EXPECT_EQ(documents[1]["reproduce"], "tenure run regressions/fail-one-believer-1.toml");
  EXPECT_EQ(documents[3]["exit_code"], 1);
  EXPECT_EQ(documents[3]["interrupted"], false);
}

TEST(Ci, replaces_a_junit_file_and_appends_to_a_summary) {
  const Ended ended = in_folder(R"sh(
    echo 'what was there before, and longer than what comes' >"$d/s.md"
    { printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tenure"'; seq 2000; } >"$d/target.xml"
    ln -s target.xml "$d/j.xml"
    for i in 1 2; do "$TENURE" run pass.toml --junit "$d/j.xml" --summary "$d/s.md" >/dev/null || exit; done
    parse "$d/j.xml"
    [ -L "$d/j.xml" ] && head -n 1 "$d/s.md" && grep -c '^### Tenure' "$d/s.md" && ls "$d")sh");
  EXPECT_EQ(ended.out,
            "6 0 0 0\nwhat was there before, and longer than what comes\n2\nj.xml\ns.md\ntarget.xml\n")
      << ended.err;
}

TEST(Ci, ends_with_74_before_anything_runs_where_a_report_cannot_be_written) {
  for (const char* flag : {"--junit", "--summary"}) {
    const Ended ended = tenure({"run", "pass.toml", flag, "/no/such/folder/report"});
    EXPECT_EQ(ended.code, 74);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err, "error: cannot write /no/such/folder/report: No such file or directory\n");
    EXPECT_EQ(tenure({"hunt", "pass.toml", "--seeds", "1", flag, "/tmp"}).code, 74) << "a folder";
    const Ended full = tenure({"run", "pass.toml", flag, "/dev/full"});
    EXPECT_EQ(full.code, 74);
    EXPECT_EQ(full.err, "error: cannot write /dev/full: No space left on device\n");
  }
  EXPECT_EQ(
      shell("\"$TENURE\" run pass.toml --junit /dev/null >/dev/null; c=$?; [ -c /dev/null ] || c=99; exit $c")
          .code,
      0)
      << "what is no file stays what it is";
}

TEST(Ci, never_writes_over_a_scenario) {
  for (const char* flag : {"--junit", "--summary"})
    for (const char* report : {"x.toml", "link", "new.toml"}) {
      const Ended ended = in_folder(std::string(R"sh(
        cp pass.toml "$d/x.toml"
        cd "$d"
        ln -s x.toml link
        "$TENURE" run x.toml )sh") + flag +
                                    " " + report + R"sh(
        code=$?
        cmp x.toml "$OLDPWD/pass.toml" || code=99
        exit $code)sh");
      EXPECT_EQ(ended.code, 64) << flag << report << ended.err;
      EXPECT_EQ(ended.out, "");
    }
}

TEST(Ci, a_report_written_by_two_at_once_is_one_of_theirs) {
  const Ended ended = in_folder(R"sh(
    for i in 1 2 3 4; do "$TENURE" run pass.toml --seeds $i..$((i + 20)) --junit "$d/j.xml" >/dev/null & done
    wait
    parse "$d/j.xml" && ls "$d")sh");
  EXPECT_EQ(ended.out, "6 0 0 0\nj.xml\n") << ended.err;
}

TEST(Ci, where_nothing_runs_a_junit_file_from_before_does_not_stay) {
  for (const char* command : {"run bad.toml pass.toml", "hunt bad.toml", "replay bad.toml"}) {
    const Ended ended = in_folder(std::string(R"sh(
      "$TENURE" run pass.toml --junit "$d/j.xml" >/dev/null || exit 99
      "$TENURE" )sh") + command + R"sh( --junit "$d/j.xml"
      code=$?
      parse "$d/j.xml"
      grep -c 'is no scenario' "$d/j.xml"
      exit $code)sh");
    EXPECT_EQ(ended.code, 65) << command;
    EXPECT_EQ(ended.out, std::string(command).starts_with("run") ? "2 0 2 0\n1\n" : "1 0 1 0\n1\n")
        << command;
  }
  const Ended none = in_folder(
      "mkdir \"$d/e\"; \"$TENURE\" run \"$d/e\" --junit \"$d/j.xml\"; c=$?; parse "
      "\"$d/j.xml\"; exit $c");
  EXPECT_EQ(none.code, 4);
  EXPECT_EQ(none.out, "1 0 1 0\n");
  const Ended over = in_folder(
      "cp bad.toml \"$d/bad\"; \"$TENURE\" run \"$d/bad\" --junit \"$d/bad\"; c=$?; cmp "
      "bad.toml \"$d/bad\" || c=99; exit $c");
  EXPECT_EQ(over.code, 65) << over.err;
}

TEST(Ci, mistakes_in_arguments_are_usage_errors_with_a_hint) {
  const auto error = [](const std::vector<std::string>& arguments) {
    const Ended ended = tenure(arguments);
    EXPECT_EQ(ended.code, 64) << ended.err;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_TRUE(has(error({"run", "pass.toml", "--format", "githb"}), "did you mean `github`?"));
  EXPECT_TRUE(has(error({"hunt", "pass.toml", "--format", "jsonll"}), "did you mean `jsonl`?"));
  EXPECT_TRUE(has(error({"next", "@daily", "--format", "github"}), "one of text, json"));
  EXPECT_TRUE(has(error({"run", "pass.toml", "--junit", ""}), "--junit needs the name of a file"));
  EXPECT_TRUE(has(error({"run", "pass.toml", "--summary", "x.toml"}), "like summary.md"));
  EXPECT_TRUE(has(error({"run", "pass.toml", "--junit", "/tmp/x", "--summary", "/tmp/../tmp/x"}),
                  "give each a file of its own"));
  EXPECT_TRUE(has(error({"run", "pass.toml", "--junit", "/tmp/x", "--trace", "/tmp/x"}), "would both write"));
  EXPECT_TRUE(has(error({"run", "pass.toml", "--print-plan", "--junit", "/tmp/x"}), "--print-plan"));
  EXPECT_TRUE(has(error({"run", "pass.toml", "--junitt", "/tmp/x"}), "did you mean `--junit`?"));
  for (const char* command : {"run", "hunt", "replay"})
    for (const char* flag : {"--junit", "--summary", "jsonl", "github"})
      EXPECT_TRUE(has(tenure({command, "--help"}).out, flag)) << command << flag;
}

// Interrupted while it runs, it says what it did, and that it is not all.
TEST(Ci, of_what_was_interrupted_writes_a_whole_report) {
  for (const char* command :
       {"run pass.toml --seeds 1..5000000 --format jsonl", "run pass.toml --seeds 1..5000000 --format json",
        "hunt pass.toml fail.toml --seeds 5000000 --keep-going --format jsonl --out $d/r"}) {
    const Ended ended = in_folder(std::string(R"sh(
      "$TENURE" )sh") + command + R"sh( --junit "$d/j.xml" --summary "$d/s.md" >"$d/out" 2>"$d/err" &
      pid=$!
      begun() { [ -s "$d/out" ] || ls "$d"/j.xml.*.new; }
      until begun >/dev/null 2>&1; do sleep 0.05; done
      kill -INT $pid
      wait $pid
      code=$?
      parse "$d/j.xml" || code=99
      grep -q interrupted "$d/j.xml" && grep -q interrupted "$d/s.md" || code=98
      ! ls "$d"/j.xml.*.new >/dev/null 2>&1 || code=97
      tail -n 1 "$d/out"
      exit $code)sh");
    EXPECT_EQ(ended.code, 130) << command << "\n" << ended.out << ended.err;
    expect_out(ended, "\"interrupted\":true");
  }
}

}  // namespace
}  // namespace tenure::cli
