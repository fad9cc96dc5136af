// What the commands print, by the real program.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "format/schema/keys.h"
#include "tests/cli/process.h"

namespace tenure::cli::commands_tests {
namespace {

using nlohmann::ordered_json;
using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::in_a_folder;
using testing::shell;
using testing::tenure;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Usage, asks_what_was_meant) {
  EXPECT_TRUE(has(tenure({"runn", "pass.toml"}).err, "did you mean `run`?"));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--sedd", "3"}).err, "did you mean `--seed`?"));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--formt=json"}).err, "did you mean `--format`?"));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--format", "jsn"}).err, "did you mean `json`?"));
  EXPECT_TRUE(has(tenure({"list", "protocls"}).err, "did you mean `protocols`?"));
}

// A parser's own words about a mistyped command speak of everything that followed it.
TEST(Usage, says_of_an_unknown_command_only_that_and_what_was_meant) {
  EXPECT_EQ(tenure({"rn", "x"}).err, "error: unknown command `rn`, did you mean `run`?\n");
  EXPECT_EQ(tenure({"help", "run"}).out, tenure({"run", "--help"}).out);
  EXPECT_EQ(tenure({"help"}).out, tenure({"--help"}).out);
  EXPECT_EQ(tenure({"rn"}).err, "error: unknown command `rn`, did you mean `run`?\n");
  EXPECT_EQ(tenure({"frobnicate", "x"}).err,
            "error: unknown command `frobnicate`\n`tenure help` lists the commands\n");
}

TEST(Usage, without_a_command_it_shows_the_commands_in_groups) {
  const Ended alone = tenure({});
  EXPECT_EQ(alone.code, 64);
  for (const char* group : {"Start:\n  init", "Explore:\n", "Service (a running tenured):\n  schedule"})
    EXPECT_TRUE(has(alone.err, group)) << group << "\n" << alone.err;
  EXPECT_EQ(tenure({"run"}).err,
            "error: FILE is required\n  FILE: scenario files, or folders of them\n`tenure help run` lists "
            "its options\n");
}

TEST(Usage, help_and_version_are_results) {
  const Ended help = tenure({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"run", "check", "audit", "next", "list", "schema"}) expect_out(help, command);
  EXPECT_TRUE(has(tenure({"run", "--help"}).out, "--seeds"));
  EXPECT_EQ(tenure({"--version"}).out, "tenure 0.1.0\n");
}

TEST(Print, gives_migrations_to_other_tools_and_asks_what_was_meant) {
  EXPECT_TRUE(has(tenure({"print", "migrations", "postgres"}).out, "CREATE SCHEMA IF NOT EXISTS tenure;\n"));
  EXPECT_TRUE(has(tenure({"print", "migrations", "sqlite"}).out, "VALUES (1, 1, 1);\n"));
  EXPECT_TRUE(has(tenure({"print", "migrations", "sqlit"}).err, "did you mean `sqlite`?"));
  EXPECT_EQ(tenure({"print", "schema", "sqlite"}).code, 64);
}

TEST(Print, completes_the_command_line_in_shells) {
  const std::string offered =
      "source <($TENURE print completion bash); COMP_WORDS=(tenure run --se); COMP_CWORD=2; _tenure; "
      "echo ${COMPREPLY[@]}; COMP_WORDS=(tenure schedule ba); _tenure; echo ${COMPREPLY[@]}";
  EXPECT_EQ(shell(offered).out, "--set --seed --seeds\nbackfill\n");
  EXPECT_TRUE(has(tenure({"print", "completion", "fish"}).out,
                  "complete -c tenure -n '__fish_use_subcommand' -a hunt -d 'search for seeds"));
  EXPECT_TRUE(has(tenure({"print", "completion", "fish"}).out,
                  "-l format -x -a 'text json jsonl github' -d 'text, json, jsonl"));
  EXPECT_TRUE(has(tenure({"print", "completion", "zsh"}).out, "#compdef tenure\n"));
  EXPECT_TRUE(has(tenure({"print", "completion", "bsh"}).err, "did you mean `bash`?"));
}

TEST(Print, completes_values_files_and_checkers_in_bash) {
  const auto offered = [](const std::string& words) {
    return shell(
               "d=$(mktemp -d); cd $d; touch one.toml other.lua; source <($TENURE print completion bash); "
               "COMP_WORDS=(" +
               words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tenure; echo ${COMPREPLY[@]}; rm -r $d")
        .out;
  };
  EXPECT_EQ(offered("tenure run --format ''"), "text json jsonl github\n");
  EXPECT_EQ(offered("tenure tune --format c"), "csv\n");
  EXPECT_EQ(offered("tenure run o"), "one.toml\n");
  EXPECT_EQ(offered("tenure run --report o"), "\n");  // the shell offers all files
  EXPECT_EQ(offered("tenure list check"), "checkers\n");
  EXPECT_EQ(offered("tenure init client"), "client-go\n");
  EXPECT_EQ(offered("tenure compare fenced"), "fenced-lease\n");
  EXPECT_EQ(offered("tenure run --set expect.always = one-b"), "one-believer\n");
  EXPECT_EQ(offered("tenure next --dst-gap s"), "shift skip\n");
}

TEST(Options, of_every_command_stand_before_it_or_after_it) {
  EXPECT_TRUE(has(tenure({"--color", "always", "run", "pass.toml"}).out, "\x1b["));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--color=always"}).out, "\x1b["));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--color", "alway"}).err, "did you mean `always`?"));
  EXPECT_TRUE(has(tenure({"-v", "run", "pass.toml"}).err, ": run in "));
  EXPECT_TRUE(has(tenure({"hunt", "pass.toml", "--seeds", "3", "--no-replay"}).err, "3 seeds in "));
  EXPECT_EQ(tenure({"hunt", "pass.toml", "--seeds", "3", "--no-replay", "-q"}).err, "");
  EXPECT_TRUE(has(tenure({"--version", "--verbose"}).out, "\ntime zones 2"));
}

TEST(Help, of_a_command_that_is_none_asks_what_was_meant) {
  const auto ended = tenure({"rnu", "--help"});
  EXPECT_EQ(ended.code, 64);
  expect_err(ended, "unknown command `rnu`, did you mean `run`?");
}

TEST(Run, shows_how_far_a_long_one_is) {
  const auto ended = in_a_folder(
      "cp pass.toml long.toml; script -qec \"$TENURE run long.toml --set sim.duration=1000h >out\" "
      "/dev/null");
  EXPECT_TRUE(has(ended.out, " of 1000h")) << ended.out.substr(0, 400);
  EXPECT_TRUE(has(ended.out, " simulated  ")) << ended.out.substr(0, 400);
}

TEST(Defaults, quieten_the_program) {
  const std::string run = "; $TENURE hunt pass.toml --seeds 3 --no-replay 2>&1 >/dev/null | wc -c";
  EXPECT_EQ(in_a_folder("echo 'quiet = true' > tenure.toml" + run).out, "0\n");
  EXPECT_NE(in_a_folder("echo 'quiet = false' > tenure.toml" + run).out, "0\n");
  EXPECT_TRUE(has(in_a_folder("echo 'quiet = 1' > tenure.toml; $TENURE run pass.toml").err,
                  "`quiet` is true or false"));
}

TEST(Defaults, come_from_the_nearest_tenure_toml_and_the_command_line_wins) {
  const std::string write = "printf '[run]\nseeds = 3\n' > tenure.toml; mkdir below; cd below; ";
  EXPECT_TRUE(has(in_a_folder(write + "$TENURE run ../pass.toml").out, "3 pass"));
  EXPECT_FALSE(has(in_a_folder(write + "$TENURE run ../pass.toml --seeds 2").out, "3 pass"));
  EXPECT_TRUE(has(in_a_folder(write + "$TENURE run ../pass.toml --seed 2").out, "seed 2"));
  EXPECT_TRUE(has(in_a_folder("echo 'set = \"sim.seed=1\"' > tenure.toml; $TENURE run pass.toml").err,
                  "no option `--set`"));
  EXPECT_FALSE(has(in_a_folder(write + "touch tenure.toml; $TENURE run ../pass.toml").out, "3 pass"));
  EXPECT_EQ(in_a_folder("echo 'format = \"json\"' > tenure.toml; $TENURE run pass.toml").out.front(), '{');
}

TEST(Defaults, that_are_wrong_are_shown_all_at_once_where_they_stand) {
  const Ended wrong = in_a_folder(
      "printf 'jobz = 2\n[rum]\nseeds = 3\n[run]\nsedes = 3\nseed = true\n' > tenure.toml; $TENURE run "
      "pass.toml");
  EXPECT_EQ(wrong.code, 64);
  for (const char* part :
       {"tenure.toml:1:1", "did you mean `jobs`?", "no command `rum`", "did you mean `run`?",
        "tenure.toml:5:1", "did you mean `seeds`?", "`seed` is text or a number here"})
    EXPECT_TRUE(has(wrong.err, part)) << part << "\n" << wrong.err;
  EXPECT_TRUE(
      has(in_a_folder("echo 'jobs = \"many\"' > tenure.toml; $TENURE run pass.toml").err, "tenure.toml:1: "));
}

TEST(Run, reads_standard_input) {
  EXPECT_EQ(shell("$TENURE run - < pass.toml").out, shell("$TENURE run pass.toml").out);
  EXPECT_TRUE(has(shell("sed s/format/fromat/ pass.toml | $TENURE run -").err, "--> -:1:1"));
}

TEST(Run, again_when_a_file_is_saved) {
  const Ended watched = in_a_folder(
      "$TENURE run pass.toml --watch > out 2>err & runs() { grep -c '^PASS' out; }; until [[ $(runs) == 1 "
      "]]; do sleep 0.1; done; "
      "until grep -q waiting err; do sleep 0.1; done; touch -d '+1 minute' pass.toml; "
      "until [[ $(runs) == 2 ]]; do sleep 0.1; done; kill %1; wait %1; cat out");
  expect_out(watched, "PASS");
  // What a file names is read anew too.
  const Ended design = in_a_folder(
      "$TENURE init lease >/dev/null; $TENURE run lease.toml --seed 1 --watch > out 2>err & "
      "until grep -q waiting err; do sleep 0.1; done; sed -i s/RETURNING/RETURNIGN/ lease.lua; "
      "until grep -q '^FAIL' out; do sleep 0.1; done; kill %1; wait %1; cat out");
  expect_out(design, "FAIL");
}

TEST(Run, never_depends_on_how_many_run_at_once) {
  const std::vector<std::string> files = {"pass.toml", "fail.toml", "inconclusive.toml"};
  for (const char* format : {"text", "json"}) {
    std::vector<std::string> arguments = {"run", "--seeds", "1..12", "--format", format, "-j", "1"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Ended one = tenure(arguments);
    arguments[6] = "4";
    const Ended four = tenure(arguments);
    EXPECT_EQ(one.out, four.out);
    EXPECT_EQ(one.code, four.code);
    EXPECT_NE(one.out, "");
  }
}

TEST(Run, prints_no_colour_where_no_terminal_is) {
  EXPECT_FALSE(has(tenure({"run", "fail.toml"}).out, "\x1b"));
  EXPECT_FALSE(has(tenure({"run", "bad.toml"}).err, "\x1b"));
  // `script` gives it a terminal.
  const std::string in_terminal = "script -qec \"$TENURE run pass.toml\" /dev/null";
  if (shell("command -v script").code != 0) GTEST_SKIP();
  EXPECT_TRUE(has(shell("export TERM=xterm; " + in_terminal).out, "\x1b[1;32mPASS"));
  EXPECT_FALSE(has(shell("export TERM=xterm NO_COLOR=1; " + in_terminal).out, "\x1b"));
  EXPECT_FALSE(has(shell("export TERM=dumb; " + in_terminal).out, "\x1b"));
}

TEST(Run, names_the_time_zone_database_where_a_schedule_is_in_a_zone) {
  const auto run = [](const std::string& zone, const std::string& format) {
    const std::string keys =
        "[[schedule]]\nname = \"z\"\ncron = \"0 0 1 7 *\"\ntimezone = \"" + zone + "\"\n";
    const Ended ended = shell(
        "d=$(mktemp -d); { sed s/30s/40s/ pass.toml; echo '" + keys + "'; } >\"$d/x.toml\"; " +
        "\"$TENURE\" run \"$d/x.toml\" --set cluster.scheduler=ticker --format " + format + "; rm -r \"$d\"");
    expect_out(ended, "seed");
    return ended.out;
  };
  EXPECT_TRUE(has(run("Europe/Berlin", "json"), ",\"tzdb\":\"20"));
  EXPECT_TRUE(has(run("Europe/Berlin", "text"), "  tzdb 20"));
  EXPECT_FALSE(has(run("UTC", "json"), "tzdb"));
  EXPECT_FALSE(has(run("UTC", "text"), "tzdb"));
}

TEST(Run, names_the_seed_that_it_drew_and_can_be_run_again) {
  const std::string unseeded = "sed '/^seed/d' pass.toml >\"$d/x.toml\"";
  const Ended ended = shell("d=$(mktemp -d); " + unseeded +
                            "; \"$TENURE\" run \"$d/x.toml\" --format json >\"$d/1\"; seed=$(sed "
                            "'s/.*\"seed\":\\([0-9]*\\).*/\\1/' \"$d/1\")"
                            "; \"$TENURE\" run \"$d/x.toml\" --seed \"$seed\" --format json >\"$d/2\"; cmp "
                            "\"$d/1\" \"$d/2\"; c=$?; rm -r \"$d\"; exit $c");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST(Run, takes_the_seed_of_the_command_line_over_that_of_the_file) {
  EXPECT_TRUE(has(tenure({"run", "pass.toml"}).out, "PASS pass  seed 7  "));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--seed", "8"}).out, "PASS pass  seed 8  "));
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--set", "sim.seed=9"}).out, "PASS pass  seed 9  "));
}

TEST(Run, prints_a_line_that_reproduces_a_failure_with_its_overrides) {
  const Ended failed =
      tenure({"run", "fail.toml", "--set", "fault.1.duration=26s", "--set", "cluster.instances=2"});
  EXPECT_EQ(failed.code, 1);
  const std::string line =
      "tenure run fail.toml --set fault.1.duration=26s --set cluster.instances=2 --seed 7";
  expect_out(failed, "  reproduce   " + line + "\n");
  EXPECT_EQ(shell("\"$TENURE\"" + line.substr(6)).out, failed.out);
}

TEST(Run, sums_a_batch_up_and_judges_thresholds_over_it) {
  const Ended ended = tenure({"run", "pass.toml", "--seeds", "1..20", "--format", "json", "--set",
                              "thresholds.failover_seconds=[\"p90 < 30\", \"max < 1\"]"});
  EXPECT_EQ(ended.code, 1);
  const std::vector<std::string> lines = lines_of(ended.out);
  ASSERT_EQ(lines.size(), 21u);
  for (std::size_t i = 0; i < 20; ++i) {
    const ordered_json run = ordered_json::parse(lines[i]);
    EXPECT_EQ(run["seed"], i + 1);
    EXPECT_EQ(run["verdict"], "fail") << "what the run alone says to them";
  }
  const ordered_json summary = ordered_json::parse(lines.back());
  EXPECT_EQ(summary["runs"], 20);
  EXPECT_EQ(summary["verdicts"]["pass"], 20) << "runs count by their other checks";
  EXPECT_EQ(summary["failures_total"], 0);
  EXPECT_EQ(summary["verdict"], "fail");
  EXPECT_EQ(summary["checks"][0]["verdict"], "pass") << "20 samples are enough for p90";
  EXPECT_EQ(summary["checks"][1]["verdict"], "fail");
  EXPECT_EQ(summary["metrics"]["failover_seconds"]["count"], 20);
  EXPECT_FALSE(summary["checks"][0].contains("worst"));
  const ordered_json worst = summary["checks"][1]["worst"];
  EXPECT_EQ(worst["value"], summary["metrics"]["failover_seconds"]["max"]);
  EXPECT_EQ(worst["seed"], summary["metrics"]["failover_seconds"]["worst_seed"]);
  const std::string line = worst["reproduce"];
  EXPECT_TRUE(line.ends_with(" --seed " + std::to_string(worst["seed"].get<int>()))) << line;
  const ordered_json again =
      ordered_json::parse(shell("\"$TENURE\"" + line.substr(6) + " --format json").out);
  EXPECT_EQ(again["metrics"]["failover_seconds"]["max"], worst["value"]);
}

TEST(Run, says_the_same_of_a_seed_alone_and_in_a_batch) {
  for (const char* file : {"pass.toml", "fail.toml"}) {
    // One run is too few for the first, and too slow for the second.
    const std::string set = "thresholds.failover_seconds=[\"p90 < 30\", \"max < 1\"]";
    const std::vector<std::string> batch =
        lines_of(tenure({"run", file, "--seeds", "4..6", "--format", "json", "--set", set}).out);
    ASSERT_EQ(batch.size(), 4u);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(tenure({"run", file, "--seed", std::to_string(4 + i), "--format", "json", "--set", set}).out,
                batch[i] + "\n");
  }
}

TEST(Run, of_a_batch_whose_threshold_fails_names_the_worst_run) {
  const Ended ended =
      tenure({"run", "pass.toml", "--seeds", "1..5", "--set", "thresholds.failover_seconds=max < 1"});
  EXPECT_EQ(ended.code, 1);
  expect_out(ended, "\n  worst       failover_seconds ");
  const std::size_t line = ended.out.find("   tenure run pass.toml");
  ASSERT_NE(line, std::string::npos) << ended.out;
  const std::string command = ended.out.substr(line + 9, ended.out.find('\n', line) - line - 9);
  EXPECT_TRUE(has(shell("\"$TENURE\"" + command).out, "FAIL pass  seed ")) << command;
}

TEST(Run, of_a_batch_tells_twenty_failures_in_full_and_counts_the_rest) {
  const Ended ended = tenure({"run", "fail.toml", "--seeds", "1..23"});
  std::size_t told = 0;
  for (const std::string& line : lines_of(ended.out)) told += line.starts_with("FAIL fail  seed ") ? 1 : 0;
  EXPECT_EQ(told, 20u);
  expect_out(ended, "\n  and 3 more (see --format json)\n");
  const ordered_json summary = ordered_json::parse(
      lines_of(tenure({"run", "fail.toml", "--seeds", "1..23", "--format", "json"}).out).back());
  EXPECT_EQ(summary["failures_total"], 23);
  EXPECT_EQ(summary["failures"].size(), 20u);
  EXPECT_EQ(summary["failures"][1]["reproduce"], "tenure run fail.toml --seed 2");
}

TEST(Run, of_a_batch_prints_only_the_runs_that_fail_and_a_summary) {
  const Ended passed = tenure({"run", "pass.toml", "--seeds", "1..3"});
  expect_out(passed, "PASS pass  seeds 1..3  3 pass\n");
  EXPECT_FALSE(has(passed.out, "  seed 1  "));
  const Ended failed = tenure({"run", "fail.toml", "--seeds", "1..3"});
  EXPECT_EQ(failed.code, 1);
  expect_out(failed, {"FAIL fail  seed 2  one-believer at ", "tenure run fail.toml --seed 3\n"});
}

TEST(Run, of_a_plan_that_is_printed_has_the_same_trace) {
  const Ended ended = shell(R"sh(
    d=$(mktemp -d)
    hash() { sed 's/.*"trace_hash":"\([0-9a-f]*\)".*/\1/'; }
    fault='[[fault]]\nevery = "20s"\naction = "partition"\ntarget = "one"\nduration = "1s..9s"'
    printf "\n$fault\n" | cat pass.toml - >"$d/drawn.toml"
    sed -i '/thresholds/,/failover_seconds/d' "$d/drawn.toml"
    "$TENURE" run "$d/drawn.toml" --print-plan >"$d/plan.toml" || exit 1
    grep -q '^every' "$d/plan.toml" && exit 2
    drawn=$("$TENURE" run "$d/drawn.toml" --format json | hash)
    literal=$("$TENURE" run "$d/plan.toml" --format json | hash)
    rm -r "$d"
    echo "$drawn $literal"
    [ -n "$drawn" ] && [ "$drawn" = "$literal" ])sh");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

// What the help and the docs propose must work on what they propose it for.
TEST(Check, takes_the_override_that_the_help_shows) {
  const std::string help = tenure({"run", "--help"}).out;
  const std::string set = "election.lease_duration=20s";
  EXPECT_TRUE(has(help, "like " + set)) << help;
  EXPECT_EQ(tenure({"check", "../../../scenarios/zombie-leader.toml", "--set", set}).code, 0);
  EXPECT_TRUE(has(tenure({"run", "pass.toml", "--set", "lease"}).err, "like " + set));
}

// An empty file is nobody's; so is one that the same option wrote.
TEST(Run, writes_no_report_over_anything_else) {
  for (const std::string flag : {"--trace", "--junit", "--svg", "--report", "--perfetto", "--summary"}) {
    const Ended ended =
        shell("f=$(mktemp); run() { \"$TENURE\" run pass.toml --seed 1 " + flag +
              " \"$f\" >\"$f.out\"; echo $?; }; run; run; echo '-- mine' >\"$f\"; run; wc -c <\"$f.out\"; "
              "cat \"$f\"; rm \"$f\" \"$f.out\"");
    const std::string again =
        flag == "--summary" ? "74" : "0";  // to be appended to, it has to be named as Markdown
    EXPECT_EQ(ended.out, "0\n" + again + "\n74\n0\n-- mine\n") << flag << ended.err;
    expect_err(ended, "name another file with " + flag);
  }
}

TEST(Run, lists_what_happened_also_when_it_passes) {
  const std::string out = tenure({"run", "../../../scenarios/zombie-leader.toml", "--events"}).out;
  for (const char* line :
       {"  events\n", "1m00.000      pause n1 for 20s", "1m10.565  n1  believes no longer",
        "1m10.725  n2  leads (branch 1 epoch 2)", "n2  is refused by the store: other holder",
        "executes 6 fires, the last at 50.007s", "everything is healed"})
    EXPECT_TRUE(has(out, line)) << line << "\n" << out;
  EXPECT_FALSE(has(out, "makes sure that it leads")) << out;
}

TEST(Run, lists_every_event_when_asked_for_all) {
  const auto count = [](const std::string& flag) {
    return lines_of(tenure({"run", "../../../scenarios/zombie-leader.toml", flag}).out).size();
  };
  EXPECT_GT(count("--events=all"), count("--events") + 60) << "its 66 fires";
}

TEST(Run, writes_its_spans_for_perfetto_and_closes_each) {
  const Ended ended =
      shell("f=$(mktemp); \"$TENURE\" run fail.toml --perfetto \"$f\" >/dev/null; cat \"$f\"; rm \"$f\"");
  std::map<std::string, std::int64_t> open;
  std::set<std::string> tracks;
  int violations = 0;
  const ordered_json written = ordered_json::parse(ended.out);
  for (const ordered_json& event : written["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "i" && event["s"] == "g") ++violations;
    if (phase != "b" && phase != "e") continue;
    const std::string id = event["id"];
    const std::int64_t at = event["ts"];
    if (phase == "b") {
      EXPECT_TRUE(open.emplace(id, at).second) << event;
      tracks.insert(event["cat"].get<std::string>());
      continue;
    }
    ASSERT_TRUE(open.contains(id)) << event;
    EXPECT_GE(at, open[id]) << event;
    open.erase(id);
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(violations, 1);
  for (const char* track : {"life", "belief", "pause", "request", "lease", "fault"})
    EXPECT_TRUE(tracks.contains(track)) << track;
}

// A flow is drawn between slices of threads that are there at its moments.
TEST(Run, follows_each_request_to_its_store_and_back_for_perfetto) {
  const Ended ended = shell(
      "f=$(mktemp); \"$TENURE\" run ../../../scenarios/gallery/store-hang.toml --perfetto \"$f\" >/dev/null; "
      "cat "
      "\"$f\"; rm "
      "\"$f\"");
  std::map<std::int64_t, std::string> phases;
  std::set<std::string> stores;
  std::optional<ordered_json> slice;
  const ordered_json written = ordered_json::parse(ended.out);
  for (const ordered_json& event : written["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") slice = event;
    if (phase != "s" && phase != "t" && phase != "f") continue;
    ASSERT_TRUE(slice);
    for (const char* key : {"pid", "tid", "ts"}) EXPECT_EQ(event[key], (*slice)[key]);
    phases[event["id"].get<std::int64_t>()] += phase;
    if (phase == "t") stores.insert(event["pid"].dump());
  }
  EXPECT_GT(phases.size(), 100U);
  for (const auto& [id, order] : phases) EXPECT_TRUE(order == "stf" || order == "sf") << id << ": " << order;
  EXPECT_EQ(stores.size(), 1U);
}

TEST(Run, refuses_lists_and_pages_that_make_no_sense) {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  for (const Case& c : std::vector<Case>{
           {{"--events", "--format", "json"}, "--events is a list for people"},
           {{"--events=some"}, "it is --events, or --events=all"},
           {{"--events", "--seeds", "1..2"}, "take one file and one seed"},
           {{"--svg", "run.svg", "--seeds", "1..2"}, "take one file and one seed"},
           {{"--svg", "run.toml"}, "like run.svg"},
           {{"--report", "page.toml"}, "name the report something else, like report.html"},
           {{"--report", "pass.toml/page.html"}, "cannot write"},
           {{"--report-window", "1s..2s"}, "is about the page of --report"},
           {{"--report", "page.html", "--report-window", "2s..1s"}, "is upside down"},
           {{"--report", "page.html", "--report-window", "1m"}, "two times of the run, like 1m..1m30s"},
           {{"--report", "page.html", "--print-plan"}, "--report means nothing beside it"}}) {
    std::vector<std::string> arguments = {"run", "pass.toml"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const Ended ended = tenure(arguments);
    EXPECT_NE(ended.code, 0);
    expect_err(ended, c.says);
  }
}

TEST(Run, of_a_scenario_with_schedules_names_them_in_its_trace) {
  const Ended ended = shell(
      "f=$(mktemp); \"$TENURE\" run ../../../scenarios/zombie-leader.toml --trace \"$f\" "
      ">/dev/null; cat \"$f\"; rm \"$f\"");
  bool landed = false;
  bool committed = false;
  for (const std::string& line : lines_of(ended.out)) {
    const ordered_json record = ordered_json::parse(line);
    if (record.contains("slot")) {
      landed = true;
      EXPECT_EQ(record["schedule"], "billing");
    }
    committed = committed || has(record.value("text", ""), "[schedule 0 (billing) v1 fired ");
  }
  EXPECT_TRUE(landed && committed);
}

TEST(Run, made_twice_says_that_it_was_compared) {
  EXPECT_TRUE(
      has(tenure({"run", "pass.toml", "--twice"}).out, "\n1 run made twice and compared: no difference\n"));
  const Ended json = tenure({"run", "pass.toml", "--seeds", "1..3", "--twice", "--format", "json"});
  EXPECT_EQ(json.err, "3 runs made twice and compared: no difference\n") << "stdout is for documents";
  EXPECT_EQ(lines_of(json.out).size(), 4u);
}

TEST(Check, says_what_is_good_and_runs_nothing) {
  const Ended good = tenure({"check", "pass.toml"});
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out, "pass.toml: ok, fenced-lease with 3 instances, 1 fault, 0 schedules\n");
  const Ended both = tenure({"check", "bad.toml", "pass.toml"});
  EXPECT_EQ(both.code, 65);
  expect_out(both, "pass.toml: ok");
  expect_err(both, "bad.toml:9:12");
}

TEST(List, walks_the_registries) {
  const Ended all = tenure({"list"});
  EXPECT_EQ(all.code, 0);
  for (const char* name :
       {"fenced-lease", "lease_duration", "fenced-outbox", "reference", "partition", "peers", "no-lost-fire",
        "caught-up", "failover_seconds", "leadership-checked", "stale-write-rejected"})
    EXPECT_TRUE(has(all.out, name)) << name;
  EXPECT_FALSE(has(tenure({"list", "faults"}).out, "fenced-lease"));
  const Ended scenarios = tenure({"list", "scenarios", "."});
  EXPECT_EQ(scenarios.code, 65) << "bad.toml is one of them";
  expect_out(scenarios, {"pass.toml", "#test"});
}

TEST(Schema, is_json_and_has_every_key) {
  const Ended ended = tenure({"schema"});
  EXPECT_EQ(ended.code, 0);
  const ordered_json schema = ordered_json::parse(ended.out);
  EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-04/schema#");
  EXPECT_EQ(schema["additionalProperties"], false);
  for (const format::KeySpec& key : format::file_spec().keys) {
    const std::string name(key.name);
    ASSERT_TRUE(schema["properties"].contains(name)) << name;
    if (key.section == nullptr) continue;
    const ordered_json& inside = key.type == format::ValueType::tables ? schema["properties"][name]["items"]
                                                                       : schema["properties"][name];
    for (const format::KeySpec& inner : key.section->keys) {
      const bool there = inside["properties"].contains(std::string(inner.name));
      EXPECT_TRUE(there) << name << "." << inner.name;
    }
    for (const format::KeySpec& inner : format::all_keys(key.section->open))
      EXPECT_TRUE(inside["properties"].contains(std::string(inner.name))) << name << "." << inner.name;
  }
  EXPECT_EQ(schema["properties"]["election"]["properties"]["lease_duration"]["type"], "string");
  EXPECT_EQ(schema["properties"]["network"]["properties"]["loss"]["maximum"], 1);
}

}  // namespace
}  // namespace tenure::cli::commands_tests
