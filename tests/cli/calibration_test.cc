// Measurements from files, from real stores and from clusters, by the real program.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using nlohmann::json;
using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::in_a_folder;
using testing::shell;

const std::string kExamples = TENURE_SOURCE_DIR "/docs/examples";

// The examples in a folder of their own.
Ended with_examples(const std::string& command) {
  return in_a_folder("cp -r '" + kExamples + "'/measured* .; " + command);
}

TEST(Measured, check_and_run_say_what_was_read) {
  const Ended check = with_examples("$TENURE check measured.toml");
  EXPECT_EQ(check.code, 0) << check.err;
  expect_out(check,
             "  [store] latency: measured/pg-latency.csv: csv, column `latency_ms`, 239 samples; 1 "
             "empty cell skipped\n");
  const Ended text = with_examples("$TENURE run measured.toml");
  expect_out(text, "  data        [store] latency: measured/pg-latency.csv: csv");
  const Ended run = with_examples("$TENURE run measured.toml --format json");
  const json result = json::parse(run.out);
  ASSERT_EQ(result["data"].size(), 3u) << run.out;
  EXPECT_EQ(result["data"][0]["key"], "[store] latency");
}

TEST(Measured, a_printed_plan_stands_alone_and_is_the_same_run) {
  const Ended ended = with_examples(
      "$TENURE run measured.toml --print-plan >plan.toml && rm -r measured && "
      "grep -c 'file = ' plan.toml; $TENURE run plan.toml --format json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  ASSERT_TRUE(has(ended.out, "0\n")) << ended.out;
  const json alone = json::parse(ended.out.substr(ended.out.find('{')));
  const json with = json::parse(with_examples("$TENURE run measured.toml --format json").out);
  EXPECT_EQ(alone["trace_hash"], with["trace_hash"]);
  EXPECT_EQ(alone["events"], with["events"]);
}

TEST(Measured, files_are_found_beside_the_scenario_from_anywhere) {
  const Ended ended = with_examples("mkdir far && cd far && $TENURE check ../measured.toml");
  EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST(Measured, what_a_hunt_keeps_needs_no_file) {
  const Ended ended = with_examples(
      "cp '" + kExamples +
      "/hunted.toml' .; $TENURE hunt hunted.toml --set "
      "'store.latency={ file = \"measured/pg-latency.csv\", column = \"latency_ms\" }' --seeds 1000 --out "
      "kept "
      "--no-replay >/dev/null; rm -r measured; grep -h 'file = ' kept/*.toml; $TENURE replay kept/*.toml");
  EXPECT_EQ(ended.code, 1) << ended.err << ended.out;
  expect_out(ended, "one-believer");
  EXPECT_FALSE(has(ended.out, "file = ")) << ended.out;
}

TEST(Measured, a_file_that_will_not_do_is_shown_in_the_scenario_and_in_the_file) {
  const Ended gone = with_examples("rm measured/gc.log; $TENURE check measured.toml");
  EXPECT_EQ(gone.code, 65);
  expect_err(gone, {"error: cannot read measured/gc.log: No such file or directory\n  --> measured.toml:18:",
                    "^^^^^^^^^^^^^^^^^"});
  const Ended text =
      with_examples("sed -i '9s/,[0-9.]*$/,fast/' measured/pg-latency.csv; $TENURE check measured.toml");
  expect_err(text, "error: measured/pg-latency.csv:9: `fast` is not a number\n");
  const Ended column = with_examples(
      "sed -i 's/column = \"latency_ms\"/column = \"latency\"/' measured.toml; $TENURE check measured.toml");
  expect_err(column, {"has no column `latency`", "latency_ms"});
  const Ended folder =
      with_examples("rm measured/gc.log; mkdir measured/gc.log; $TENURE check measured.toml");
  EXPECT_EQ(folder.code, 65);
  expect_err(folder, "cannot read measured/gc.log: it is no regular file");
  const Ended pipe =
      with_examples("rm measured/gc.log; mkfifo measured/gc.log; timeout 20 $TENURE check measured.toml");
  EXPECT_EQ(pipe.code, 65) << "it is not waited for";
  expect_err(pipe, "cannot read measured/gc.log: it is no regular file");
}

TEST(Measured, a_file_of_a_gigabyte_is_refused_and_not_read) {
  const Ended ended =
      with_examples("truncate -s 1G measured/gc.log; ulimit -v 1000000; $TENURE check measured.toml");
  EXPECT_EQ(ended.code, 65);
  expect_err(ended, "measured/gc.log is larger than 64 MiB");
}

TEST(Probe, of_sqlite_prints_tables_that_a_scenario_takes) {
  const Ended ended = in_a_folder(
      ": >a.db; $TENURE probe a.db --for 50ms --every 2ms --write t.toml && ls | grep probe; "
      "printf 'format = 1\\nname = \"x\"\\n[sim]\\nduration = \"1m\"\\n[cluster]\\nprotocol = "
      "\"fenced-lease\"\\n' >s.toml; "
      "cat t.toml >>s.toml; $TENURE check s.toml");
  EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
  expect_out(ended, {"  round trip ", "  commit ", "s.toml: ok, fenced-lease"});
}

TEST(Probe, as_json_has_every_quantile_and_the_tables) {
  const Ended ended = in_a_folder(": >a.db; $TENURE probe a.db --for 20ms --every 2ms --format json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  const json found = json::parse(ended.out);
  EXPECT_GE(found["commits"], 1);
  EXPECT_LE(found["commit_seconds"]["p50"], found["commit_seconds"]["p99"]);
  EXPECT_TRUE(has(found["toml"], "[store]\nlatency = "));
}

TEST(Probe, says_what_is_wrong_with_a_store) {
  const Ended none = in_a_folder("$TENURE probe none.db");
  EXPECT_EQ(none.code, 74);
  EXPECT_EQ(none.err, "error: none.db: it cannot be read: No such file or directory\n");
  const Ended text = in_a_folder("$TENURE probe pass.toml");
  EXPECT_EQ(text.code, 74);
  expect_err(text, "it is not a database of SQLite");
  const Ended nobody = in_a_folder("$TENURE probe postgres://user:secret@127.0.0.1:1/x");
  EXPECT_EQ(nobody.code, 74);
  expect_err(nobody, "it cannot be reached");
  EXPECT_FALSE(has(nobody.err, "secret")) << nobody.err;
  for (const char* flags :
       {"a.db --for soon", "a.db --for 0s", "a.db --every 1us", "a.db --format markdown", ""})
    EXPECT_EQ(in_a_folder(std::string(": >a.db; $TENURE probe ") + flags).code, 64) << flags;
}

TEST(Probe, interrupted_says_what_it_has) {
  // A busy disk may take long to make the file; interrupted before it is there, it says so and nothing else.
  const Ended ended = in_a_folder(
      ": >a.db; for wait in 4 8 16; do timeout --foreground -s INT $wait $TENURE probe a.db --for 1h >said; "
      "grep -q '  commit ' said && break; done; cat said; ls");
  expect_out(ended, "  commit ");
  EXPECT_FALSE(has(ended.out, "-probe-")) << ended.out;
}

// --foreground: otherwise `timeout` sends the signal a second time, to its whole group, and a second one kills.
TEST(Probe, interrupted_at_once_leaves_nothing_behind) {
  const Ended ended = in_a_folder(
      ": >a.db; for wait in 0.01 0.03 0.06 0.1 0.2 0.3; do timeout --foreground -s INT $wait $TENURE probe "
      "a.db --for 1h; "
      "done; ls");
  EXPECT_FALSE(has(ended.out, "-probe-")) << ended.out;
}

TEST(Observe, reads_renewals_and_handovers_off_a_watch) {
  const Ended ended = with_examples("$TENURE observe measured/leases.json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended, {"prod/billing-scheduler: 36 sightings in 1m34.227297s\n",
                     "  longest gap 7.843758s of a lease of 15s: 52%\n",
                     "  leaderless  at least 3.213462s, at most 18.213462s\n"});
  const json found = json::parse(with_examples("$TENURE observe measured/leases.json --format json").out);
  EXPECT_EQ(found["leases"][0]["handovers"].size(), 1u);
  EXPECT_EQ(found["leases"][0]["gaps"], 34);
}

TEST(Observe, says_which_handovers_were_not_seen_and_which_lease_a_gap_was_of) {
  const Ended ended = in_a_folder(
      "lease() { printf "
      "'{\"kind\":\"Lease\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"holderIdentity\":\"%s\","
      "\"renewTime\":\"2026-01-01T00:%sZ\",\"acquireTime\":\"2026-01-01T00:%sZ\","
      "\"leaseDurationSeconds\":%s,\"leaseTransitions\":%s}}\\n' \"$@\"; }; "
      "{ lease x 00:00 00:00 15 0; lease x 00:20 00:00 60 0; lease x 00:50 00:00 15 0; "
      "lease y 02:28 02:28 15 5; lease '' 02:30 02:30 1 5; } >a.json; $TENURE observe a.json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended, {"  lease       15s\n", "  worst gap   20s of a lease of 15s: 133%, so it had expired\n",
                     "  handovers   1 seen, 4 not seen; leaseTransitions 5\n",
                     "x to y: 1m38s after the last renewal, others in between\n",
                     "  leaderless  at least 0s, at most 1m38s\n"});
}

TEST(Observe, writes_gaps_that_a_scenario_takes) {
  const Ended ended = with_examples(
      "$TENURE observe measured/leases.json --gaps gaps.csv >/dev/null && sed -n 2p gaps.csv && $TENURE "
      "check measured.toml --set "
      "'store.latency={ file = \"gaps.csv\", column = \"late_us\" }'");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended,
             {"prod/billing-scheduler,2057443,55870\n", "gaps.csv: csv, column `late_us`, 34 samples"});
}

// Whatever was there would be lost.
TEST(Observe, and_probe_and_traces_write_over_nothing_but_what_they_wrote) {
  const Ended ended = with_examples(
      "cp measured/leases.json in.json; $TENURE observe in.json --gaps in.json; echo gaps $?;"
      "$TENURE observe in.json --gaps g.csv >out && $TENURE observe in.json --gaps g.csv >out; echo again $?;"
      "cmp in.json measured/leases.json && echo whole;"
      ": >a.db; echo 'format = 1' >s.toml; $TENURE probe a.db --for 50ms --every 2ms --write s.toml; echo "
      "probe $?;"
      "for i in 1 2; do $TENURE probe a.db --for 50ms --every 2ms --write t.toml >out; echo probe $?; done;"
      "cat s.toml");
  expect_out(ended, "gaps 74\nagain 0\nwhole\nprobe 74\nprobe 0\nprobe 0\nformat = 1\n");
  expect_err(ended, {"in.json exists and is not what --gaps wrote: name another file with --gaps",
                     "s.toml exists and is not what a probe wrote: name another file with --write"});
}

TEST(Observe, says_what_is_wrong_with_a_file) {
  EXPECT_EQ(in_a_folder("$TENURE observe none.json").code, 74);
  const Ended text = in_a_folder("$TENURE observe pass.toml");
  EXPECT_EQ(text.code, 65);
  EXPECT_EQ(
      text.err,
      "error: pass.toml: object 1 is not JSON: `kubectl get lease NAME --output json --watch` writes what "
      "is read here\n");
  const Ended other = with_examples("$TENURE observe measured/leases.json --lease prod/biling-scheduler");
  EXPECT_EQ(other.code, 65);
  expect_err(other, "did you mean `prod/billing-scheduler`?");
}

}  // namespace
}  // namespace tenure::cli
