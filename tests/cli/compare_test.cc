// `tenure compare` as a user meets it: what it prints, what it refuses, and what it keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "tests/cli/process.h"
#include "tests/support/transcript.h"

namespace tenure::cli {
namespace {

using tenure::testing::expect_golden;
using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;
using testing::in_a_folder;

// Three situations: what it is about strikes, strikes nobody, and is nothing.
const std::string kSituations = R"sh(
for name in pause waits quiet; do
  printf 'format = 1\nname = "%s"\n[sim]\nduration = "3m"\ntail = "1m"\n' $name >$name.toml
  printf '[cluster]\ninstances = 3\nprotocol = "fenced-lease"\n' >>$name.toml
done
printf '[[fault]]\nat = "1m"\naction = "pause"\ntarget = "leader"\nduration = "20s"\n' >>pause.toml
printf '[[fault]]\non = "executed"\nnth = 3\naction = "kill"\n' >>waits.toml
printf 'target = "leader"\nduration = "1s"\n' >>waits.toml
)sh";
const std::string kDesigns = TENURE_SOURCE_DIR "/scenarios/designs/";

Ended compare(const std::string& arguments) {
  return in_a_folder(kSituations + "\"$TENURE\" compare " + arguments);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

// A line for each design, and one for each of its cells.
std::string lines_of_json(const std::string& text) {
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(text);
  std::string lines;
  for (nlohmann::ordered_json& design : document["designs"]) {
    const nlohmann::ordered_json cells = std::move(design["cells"]);
    design.erase("cells");
    lines += design.dump() + "\n";
    for (const nlohmann::ordered_json& cell : cells) lines += "  " + cell.dump() + "\n";
  }
  document.erase("designs");
  return document.dump() + "\n" + lines;
}

TEST(Compare, says_the_same_in_text_markdown_and_json_on_any_number_of_threads) {
  const std::string what =
      "client-go:15/10/2 fenced-lease --seeds 3 --against pause.toml waits.toml quiet.toml";
  const auto found = [&what](const std::string& more) {
    const Ended ended = compare(what + more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.err.find("compare: "), 0U) << "progress and logs are no result: " << ended.err;
    EXPECT_EQ(ended.out, compare(what + more + " -j2").out);
    return ended.out;
  };
  expect_golden("tests/cli/golden/compare.txt", found(""));
  expect_golden("tests/cli/golden/compare.md", found(" --format markdown"));
  expect_golden("tests/cli/golden/compare.json", lines_of_json(found(" --format json")));
}

TEST(Compare, fits_into_120_columns_whatever_names_are_long) {
  const Ended ended = in_a_folder(
      kSituations +
      "sed -i 's/^name = \"pause\"/name = "
      "\"a-leader-stands-still-for-longer-than-its-lease-and-another-one-takes-over\"/' "
      "pause.toml; mkdir -p a; cp " +
      kDesigns +
      "article-lease/article-lease.lua a/a-lease-of-ours-that-has-a-name-without-any-sign-to-part-it-at.lua\n"
      "\"$TENURE\" compare a/*.lua "
      "'client-go:lease_duration=60s,renew_deadline=40s,retry_period=5s,on_loss=exit,"
      "startup=15s,warmup=20s' fenced-lease --seeds 100 --against pause.toml");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_LE(longest_line(ended.out), 120U) << ended.out;
  for (const char* part : {"renew_deadline=40s,", "standbys", "a month", "recovers", "takes-over"})
    EXPECT_TRUE(has(ended.out, part)) << part << "\n" << ended.out;
}

TEST(Compare, writes_markdown_that_no_name_breaks) {
  const Ended ended =
      in_a_folder(kSituations + "cp " + kDesigns +
                  "article-lease/article-lease.lua 'a|b[c].lua'\n"
                  "\"$TENURE\" compare 'a|b[c].lua' client-go:15/10/2 --seeds 2 --format markdown "
                  "--against pause.toml --out 'kept (1)|x' --no-shrink; ls 'kept (1)|x'");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended, {"| a&#124;b&#91;c&#93;.lua | ", "](kept%20%281%29%7Cx/"});
  std::istringstream lines(ended.out);
  std::size_t cells = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto here = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    if (!line.starts_with("|")) {
      cells = 0;
      continue;
    }
    if (cells == 0) cells = here;
    EXPECT_EQ(here, cells) << line;
  }
}

TEST(Compare, refuses_arguments_that_mean_nothing) {
  const auto usage = [](const std::string& arguments) {
    const Ended ended = compare(arguments);
    EXPECT_EQ(ended.code, 64) << arguments << ended.out << ended.err;
    EXPECT_EQ(ended.out, "") << arguments;
    return ended.err;
  };
  EXPECT_TRUE(has(usage("client-go client-go"), "`client-go` is there twice"));
  EXPECT_TRUE(has(usage("client-og"), "there is no design `client-og`\n  did you mean `client-go`?"));
  EXPECT_TRUE(has(usage("client-go:lease=5s"), "`client-go` has no setting `lease`"));
  EXPECT_TRUE(has(usage("client-go:15/10/2,"), "`client-go:15/10/2,` has an empty setting"));
  EXPECT_TRUE(has(usage("client-go --seeds ten"), "--seeds takes a number of runs, and not `ten`"));
  EXPECT_TRUE(has(usage("client-go --seeds 1..5"), "--seeds takes a number of runs, and not `1..5`"));
  EXPECT_TRUE(has(usage("client-go --seeds 0"), "--seeds 0: no seed at all"));
  EXPECT_TRUE(has(usage("client-go --seeds 1000001"), "--seeds takes at most 1000000"));
  EXPECT_TRUE(has(usage("client-go --format jsn"), "unknown format `jsn`: did you mean `json`?"));
  EXPECT_TRUE(has(usage("client-go --out ''"), "--out needs the name of a folder"));
  EXPECT_TRUE(
      has(usage("client-go --no-shrink"), "without --out nothing is kept, so --no-shrink means nothing"));
  EXPECT_TRUE(has(usage("client-go --out kept --no-shrink --shrink-for 1s"), "--shrink-for means nothing"));
  EXPECT_TRUE(has(usage("client-go --save ''"), "--save needs the name of a file"));
  EXPECT_TRUE(has(usage("client-go --resume"), "--resume needs the file that was written with --save"));
  EXPECT_TRUE(has(usage("client-go --equal ''"), "--equal needs a price, like failover_p99=20s"));
  EXPECT_TRUE(has(usage("client-go --equal cheap"), "error: --equal: "));
  EXPECT_TRUE(has(usage("client-go --against pause.toml ./pause.toml"), "two situations are called pause: "));
}

TEST(Compare, tells_designs_apart_by_their_names) {
  const Ended ended =
      in_a_folder(kSituations + "mkdir a; cp " + kDesigns +
                  "article-lease/article-lease.lua x.lua; cp x.lua a; \"$TENURE\" compare x.lua a/x.lua");
  EXPECT_EQ(ended.code, 64);
  expect_err(ended, "two designs are called x.lua: rename one of the files");
}

TEST(Compare, takes_paths_with_the_signs_that_part_designs_from_settings) {
  const Ended ended =
      in_a_folder(kSituations + "mkdir c++ a:b; cp " + kDesigns +
                  "article-lease/article-lease.lua c++/x.lua; cp c++/x.lua a:b/y.lua; \"$TENURE\" compare "
                  "c++/x.lua a:b/y.lua:lock_duration=9s --seeds 1 --against quiet.toml");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended, "y.lua:lock_duration=9s");
}

TEST(Compare, ends_as_other_commands_do) {
  EXPECT_EQ(compare("client-go --against nowhere.toml").code, 74);
  EXPECT_EQ(compare("client-go --against bad.toml").code, 65);
  const Ended nothing = compare("client-go --against \"$(mkdir e; echo e)\"");
  EXPECT_EQ(nothing.code, 4);
  expect_err(nothing, "no scenario in e; nothing was run");
  EXPECT_EQ(compare("client-go --out /dev/null/x").code, 74);
  const Ended wrong = compare("client-go:lease_duration=soon");
  EXPECT_EQ(wrong.code, 65);
  expect_err(wrong, "client-go:lease_duration=soon cannot be compared:\n");
}

TEST(Compare, refuses_a_design_for_postgres_alone_without_one) {
  const Ended ended = compare(kDesigns + "advisory-lock/advisory-lock.lua fenced-lease --seeds 1");
  EXPECT_EQ(ended.code, 65) << ended.out;
  expect_err(ended, {"advisory-lock.lua cannot be compared:\n",
                     "name the engine: advisory-lock.lua:engine=postgres"});
  EXPECT_EQ(ended.out, "") << "nothing was run";
  // One that may need it, and does not with these settings.
  EXPECT_EQ(compare(kDesigns + "row-mutex/row-mutex.lua --seeds 1 --against quiet.toml").code, 0);
}

TEST(Compare, keeps_the_worst_run_of_a_cell_where_it_says) {
  const Ended ended = compare(
      "client-go:15/10/2 --seeds 2 --against pause.toml --out kept --no-shrink; echo \"code $?\"; ls kept");
  expect_out(ended, {"\n  kept  client-go:15/10/2, pause: kept/", "code 0\n"});
  EXPECT_TRUE(ended.out.ends_with(".toml\n")) << ended.out;
}

// ---- runs that are kept ------------------------------------------------------------------------------------

TEST(Compare, goes_on_with_saved_runs_and_starts_over_none) {
  const Ended ended = in_a_folder(kSituations + R"sh(
again() { "$TENURE" compare client-go --seeds 2 --against quiet.toml --save kept "$@"; echo "code $?"; }
again >first
cp kept before
again
cmp kept before && echo untouched
again --resume >second
cmp first second && echo the same
"$TENURE" compare client-go db-lease --seeds 3 --against quiet.toml --save kept --resume >/dev/null; echo "code $?"
)sh");
  EXPECT_EQ(ended.out, "code 74\nuntouched\nthe same\ncode 0\n") << ended.err;
  expect_err(ended, {"kept holds runs already: --resume goes on with them; or name another file",
                     "compare: 12 runs in kept\n"});
}

TEST(Compare, goes_on_with_runs_of_the_same_program_alone) {
  const Ended ended = in_a_folder(
      kSituations +
      "\"$TENURE\" compare client-go --seeds 1 --against quiet.toml --save kept >/dev/null 2>&1\n"
      "cp \"$TENURE\" other; echo x >>other\n"
      "./other compare client-go --seeds 1 --against quiet.toml --save kept --resume; echo \"code $?\"\n"
      "./other compare client-go --seeds 1 --against quiet.toml --save kept; echo \"code $?\"\n"
      "echo hello >mine; \"$TENURE\" compare client-go --save mine; echo \"code $?\"; cat mine\n"
      "\"$TENURE\" compare client-go --save /dev/null/x; echo \"code $?\"");
  EXPECT_EQ(ended.out, "code 74\ncode 74\ncode 74\nhello\ncode 74\n") << ended.err;
  expect_err(ended, {"kept holds runs of another build of tenure: name another file with --save",
                     "kept holds runs of another build of tenure: remove it, or name another file",
                     "mine is there, and holds no runs of `tenure compare`: name another file",
                     "cannot write /dev/null/x: "});
}

TEST(Compare, that_is_interrupted_says_where_its_runs_are) {
  const auto interrupted = [](const std::string& arguments) {
    return in_a_folder(kSituations + "\"$TENURE\" compare client-go --seeds 100000 --against quiet.toml " +
                       arguments +
                       " & p=$!; until [ \"$(awk '{print $14}' /proc/$p/stat)\" -gt 20 ]; do sleep 0.05; "
                       "done; kill -INT $p; wait $p; echo \"code $?\"");
  };
  const Ended kept = interrupted("--save kept");
  expect_err(kept, "runs; they are kept in kept, and --resume goes on");
  EXPECT_TRUE(kept.out.starts_with("COMPARE 1 design, 1 situation, interrupted after ")) << kept.out;
  expect_out(kept, "code 130\n");
  EXPECT_TRUE(has(interrupted("--format json").out, "\"interrupted\": true"));
  EXPECT_TRUE(has(interrupted("").err, "none are kept: with --save FILE, --resume goes on"));
}

}  // namespace
}  // namespace tenure::cli
