// What the program writes for other programs has the fields that are documented, and no others; and every documented
// field is seen.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lab/session/document_spec.h"
#include "tests/cli/document_reader.h"
#include "tests/cli/process.h"

namespace tenure::cli::testing::documents_tests {
namespace {

using nlohmann::ordered_json;

std::string trace_of(const std::string& arguments) {
  return shell("f=$(mktemp); \"$TENURE\" run " + arguments +
               " --trace \"$f\" >/dev/null; cat \"$f\"; rm \"$f\"")
      .out;
}

const std::string kRoot = "../../../";
const std::string kLibrary = kRoot + "scenarios/";

TEST(Trace, has_the_fields_that_are_documented_and_every_one_of_them) {
  Reader reader(lab::document_spec("trace"));
  for (const char* scenario :
       {"scenarios/zombie-leader.toml", "scenarios/gallery/store-failover.toml",
        "scenarios/gallery/clock-step.toml", "scenarios/gallery/rolling-deploy.toml",
        "scenarios/gallery/catch-up-storm.toml", "scenarios/gallery/store-clock-forward.toml",
        "scenarios/failover/unreadable-definition.toml", "scenarios/gallery/asymmetric-partition.toml",
        "scenarios/delivery/delivery-retry-after.toml", "scenarios/executions/executions-worker-crash.toml",
        "scenarios/designs/article-lease-as-printed/article-lease-as-printed.toml",
        "scenarios/designs/ballot/ballot.toml"})
    read_lines(trace_of(kRoot + scenario + " --seed 1"), reader);
  read_lines(trace_of("fail.toml"), reader);
  read_lines(in_a_folder(R"sh(
    "$TENURE" init empty . >/dev/null
    sed -i 's/t.sleep(t.p.period)/error("broken")/' empty.lua
    "$TENURE" run empty.toml --seed 1 --trace trace.jsonl >/dev/null 2>&1
    cat trace.jsonl)sh")
                 .out,
             reader);
  expect_all_seen(reader);
}

TEST(Trace, of_a_story_is_the_same_lines_without_those_of_a_full_one) {
  const std::string full = trace_of(kLibrary + "zombie-leader.toml");
  const std::string story = trace_of(kLibrary + "zombie-leader.toml --trace-level story");
  EXPECT_LT(story.size() * 5, full.size());
  std::istringstream lines(full);
  std::set<std::string> known;
  for (std::string line; std::getline(lines, line);) known.insert(line);
  std::istringstream told(story);
  std::string head;
  std::getline(told, head);
  EXPECT_TRUE(has(head, "\"level\":\"story\""));
  for (std::string line; std::getline(told, line);) EXPECT_TRUE(known.contains(line)) << line;
}

TEST(Trace, has_the_way_of_each_request_once) {
  std::istringstream lines(trace_of(kLibrary + "zombie-leader.toml"));
  std::set<std::string> submitted;
  std::set<std::string> told;
  for (std::string line; std::getline(lines, line);) {
    const ordered_json event = ordered_json::parse(line);
    const std::string kind = event.value("kind", "");
    if (kind != "request" && kind != "submitted") continue;
    const std::string id =
        event["node"].get<std::string>() + "#" + event["incarnation"].dump() + "/" + event["request"].dump();
    const bool is_new = (kind == "request" ? told : submitted).insert(id).second;
    EXPECT_TRUE(is_new) << line;
  }
  EXPECT_GT(told.size(), 100U);
  EXPECT_EQ(told, submitted);
}

// The belief of a paused node ends when its time runs out, and nobody notes that.
TEST(Trace, ends_the_belief_of_a_paused_node_in_true_time) {
  std::istringstream lines(trace_of(kLibrary + "zombie-leader.toml --trace-level story"));
  std::string paused;
  bool ended = false;
  for (std::string line; std::getline(lines, line);) {
    const ordered_json event = ordered_json::parse(line);
    const std::string kind = event.value("kind", "");
    if (kind == "node-paused") paused = event["node"];
    if (kind == "node-resumed") paused.clear();
    if (kind == "belief-ended" && event["node"] == paused) ended = ended || event["why"] == "ran-out";
  }
  EXPECT_TRUE(ended);
}

TEST(Schema, of_everything_that_is_written_is_printed) {
  for (const lab::DocumentSpec& spec : lab::document_specs()) {
    const Ended ended = tenure({"schema", "--of", std::string(spec.name)});
    EXPECT_EQ(ended.code, 0);
    const ordered_json schema = ordered_json::parse(ended.out);
    EXPECT_EQ(schema["anyOf"].size(), spec.tops.size());
    EXPECT_EQ(schema["definitions"].size(), spec.tops.size() + spec.parts.size());
  }
  EXPECT_EQ(tenure({"schema"}).out, tenure({"schema", "--of", "scenario"}).out);
  EXPECT_TRUE(has(tenure({"schema", "--of", "trase"}).err, "did you mean `trace`?"));
}

// Beside the scenarios of these tests: what nothing in the file is about, and a threshold that is missed.
const std::string kFiles = R"sh(
  head() { printf 'format = 1\nname = "%s"\n[sim]\nduration = "2m"\n[cluster]\nprotocol = "client-go"\n' "$1"; }
  fault() { printf '[[fault]]\nat = "30s"\naction = "%s"\ntarget = "leader"\nduration = "20s"\n' "$1"; }
  { head two; fault pause; } >two.toml
  { head idle; printf '[[fault]]\non = "steps-down"\naction = "restart"\ntarget = "leader"\n'; } >idle.toml
  { head own; printf '[expect]\nalways = ["one-believer"]\n'; } >own.toml
  { head slow; fault kill; printf '[thresholds]\nfailover_seconds = "max < 1"\n'; } >slow.toml
)sh";

TEST(RunDocument, has_the_fields_that_are_documented_and_every_one_of_them) {
  Reader reader(lab::document_spec("run"));
  for (const char* arguments :
       {"pass.toml fail.toml", "two.toml slow.toml --seeds 1..2", "idle.toml --seed 1"})
    for (const char* format : {"json", "jsonl"})
      read_lines(
          in_a_folder(kFiles + "\"$TENURE\" run " + arguments + " --format " + format + " 2>/dev/null").out,
          reader);
  read_lines(in_a_folder(R"sh(
    "$TENURE" run pass.toml --seeds 1..30 --format json >before.json
    "$TENURE" run pass.toml --seeds 1..30 --set election.lease_duration=12s --baseline before.json --format json)sh")
                 .out,
             reader);
  // A fault that the heal cuts short.
  read_lines(tenure({"run", "fail.toml", "--set", "fault.1.at=115s", "--format", "json"}).out, reader);
  for (const char* scenario : {"scenarios/gallery/daylight-saving-gap.toml", "docs/examples/measured.toml",
                               "scenarios/designs/article-lease-as-printed/article-lease-as-printed.toml"})
    read_lines(tenure({"run", kRoot + scenario, "--seed", "1", "--format", "json"}).out, reader);
  expect_all_seen(reader);
}

TEST(HuntDocument, has_the_fields_that_are_documented_and_every_one_of_them) {
  Reader reader(lab::document_spec("hunt"));
  for (const std::string format : {"json", "jsonl"})
    read_lines(in_a_folder(kFiles + R"sh(
      hunt() { "$TENURE" hunt "$@" --shrink-for 1s --out kept --format )sh" +
                           format + R"sh( 2>/dev/null; }
      hunt fail.toml --seeds 5 --keep-going
      hunt fail.toml --seeds 5
      hunt own.toml --seeds 5
      "$TENURE" replay kept --format )sh" +
                           format + R"sh( 2>/dev/null
      "$TENURE" replay kept --set fault.1.duration=1s --format )sh" +
                           format + " 2>/dev/null\n")
                   .out,
               reader);
  read_lines(shell("d=$(mktemp -d); for i in 1 2; do \"$TENURE\" hunt " + kRoot +
                   "scenarios/designs/article-lease/article-lease-clock-behind.toml --seeds 1 --shrink-for "
                   "1s --out $d --format json; done; "
                   "rm -r $d")
                 .out,
             reader);
  // Two runs of one case never differ.
  expect_all_seen(reader, {"hunt.difference", "hunt.difference_seed"});
}

TEST(TuneDocument, has_the_fields_that_are_documented_and_every_one_of_them) {
  Reader reader(lab::document_spec("tune"));
  for (const std::string scenario : {"tune-lease.toml", "tune-client-go-pause.toml"})
    read_lines(shell("d=$(mktemp -d); \"$TENURE\" tune " + kLibrary + "tuning/" + scenario +
                     " --seeds 3 --no-save --no-shrink --out $d --format json; rm -r $d")
                   .out,
               reader);
  read_lines(in_a_folder(kFiles + R"sh(
    { cat two.toml; printf '[expect]\nalways = ["one-believer"]\n[tune]\nconstraints = ["one-believer"]\n'
      printf 'objectives = ["store_requests_per_second"]\n[tune.election]\nlease_duration = ["15s", "60s"]\n'
    } >tuned.toml
    "$TENURE" tune tuned.toml --seeds 3 --no-save --format json 2>/dev/null)sh")
                 .out,
             reader);
  expect_all_seen(reader);
}

// No claim of a design that is shipped breaks.
TEST(CompareDocument, has_the_fields_that_are_documented_and_every_one_of_them) {
  Reader reader(lab::document_spec("compare"));
  const std::string gauntlet = kLibrary + "gauntlet/";
  const auto compare = [&reader](const std::string& arguments) {
    const Ended ended =
        shell("d=$(mktemp -d); \"$TENURE\" compare " + arguments + " --format json; rm -r $d");
    ASSERT_TRUE(ordered_json::accept(ended.out)) << ended.out << ended.err;
    reader.read(ordered_json::parse(ended.out));
  };
  compare("client-go db-lease token-ring " + kRoot +
          "scenarios/designs/article-lease-as-printed/article-lease-as-printed.lua " +
          "--seeds 2 --out $d --no-shrink --against " + gauntlet + "pause.toml " + gauntlet +
          "store-outage.toml " + gauntlet + "pause-before-acting.toml " + gauntlet + "crashes.toml");
  compare("fenced-lease --seeds 1 --equal failover_p99=30s --against " + gauntlet + "pause.toml");
  compare("--seeds 1 --equal requests=2000 --against " + gauntlet + "quiet.toml");
  expect_all_seen(reader, {"claim.checker", "claim.runs", "claim.first_seed"});
}

// A reader that takes everything would let every test above pass.
TEST(Reader, finds_what_is_not_documented_and_what_is_missing) {
  const auto complaints = [](const char* document) {
    ::testing::TestPartResultArray found;
    {
      const ::testing::ScopedFakeTestPartResultReporter reporter(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &found);
      Reader(lab::document_spec("trace")).read(ordered_json::parse(document));
    }
    std::string text;
    for (int i = 0; i < found.size(); ++i) text += found.GetTestPartResult(i).message();
    return text;
  };
  EXPECT_EQ(complaints(R"({"at_seconds":1.5,"kind":"healed"})"), "");
  EXPECT_TRUE(
      has(complaints(R"({"at_seconds":1.5,"kind":"healed","more":1})"), "`more`, which is not documented"));
  EXPECT_TRUE(has(complaints(R"({"kind":"healed"})"), "lacks `at_seconds`"));
  EXPECT_TRUE(has(complaints(R"({"at_seconds":"1.5","kind":"healed"})"), "healed.at_seconds"));
}

// README shows it.
TEST(Docs, have_the_picture_that_the_program_draws) {
  const std::filesystem::path path = std::filesystem::path(TENURE_SOURCE_DIR) / "docs/controller.svg";
  const std::string drawn =
      shell("f=$(mktemp); cd " + kRoot +
            " && \"$TENURE\" run docs/examples/controller.toml --svg $f >/dev/null; cat $f; rm $f")
          .out;
  ASSERT_TRUE(drawn.starts_with("<svg ")) << drawn;
  std::ostringstream there;
  there << std::ifstream(path, std::ios::binary).rdbuf();
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr)
    std::ofstream(path, std::ios::binary) << drawn;
  else
    EXPECT_TRUE(there.str() == drawn) << path << " is not as the program: TENURE_REWRITE_GOLDEN=1 writes it";
}

TEST(Picture, shows_the_window_that_is_asked_for_and_markup_as_text) {
  const Ended ended = in_a_folder(R"sh(
    mv fail.toml '<b>.toml'
    "$TENURE" run '<b>.toml' --svg picture.svg --report-window 50s..1m40s >/dev/null || true
    cat picture.svg)sh");
  for (const char* part :
       {"<title>Two leaders acted", ">1m10s</text>", "both act for", ">pause n", "&lt;b&gt;.toml"})
    EXPECT_TRUE(has(ended.out, part)) << part << "\n" << ended.out;
  EXPECT_FALSE(has(ended.out, ">2m</text>"));
  EXPECT_FALSE(has(ended.out, "<b>"));
}

}  // namespace
}  // namespace tenure::cli::testing::documents_tests
