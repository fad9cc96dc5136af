// What `tenure tune` says of what it does not know, of what is unsafe, and of files that ask for what cannot be.
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

// Pauses of a leader, for so long; `tune` is what comes after.
std::string file(const std::string& pause, const std::string& tune) {
  return "cat > t.toml <<'END'\nformat = 1\nname = \"t\"\n[sim]\nduration = \"5m\"\ntail = \"3m\"\n"
         "[cluster]\nprotocol = \"fenced-lease\"\n[[fault]]\nevery = { min = \"40s\", p50 = \"60s\", max = "
         "\"90s\" }\naction = \"pause\"\ntarget = \"leader\"\nduration = \"" +
         pause + "\"\n" + tune + "\nEND\n";
}

Ended tune(const std::string& pause, const std::string& text, const std::string& arguments = "") {
  return in_a_folder(file(pause, text) + "\"$TENURE\" tune t.toml --no-save " + arguments +
                     "; echo \"code $?\"");
}

const std::string kMean = "[tune]\nseeds = 6\nobjectives = [\"failover_seconds.mean\"]\n";

// A pause of 17 s ends a lease of 15 s and none of 60 s.
TEST(Unmeasured, settings_are_counted_with_what_they_lack_and_why) {
  const Ended ended = tune("17s", kMean + "[tune.election]\nlease_duration = [\"15s\", \"60s\"]\n");
  expect_out(ended, {"1 best, 1 unmeasured",
                     "unmeasured  1 setting, left out for want of samples of failover_seconds.mean",
                     "lease_duration 1m: failover_seconds.mean has no sample: faults struck "});
}

TEST(Unmeasured, numbers_are_null_in_json_empty_in_csv_and_a_dash_in_text) {
  const std::string text = kMean + "[tune.election]\nlease_duration = [\"15s\", \"60s\"]\n";
  const Ended found = tune("17s", text, "--format json");
  const json settings = json::parse(found.out.substr(0, found.out.find('\n')))["settings"];
  const json& lacking = settings[1]["objectives"]["failover_seconds.mean"];
  EXPECT_EQ(lacking["samples"], 0);
  for (const char* key : {"value", "low", "high"}) EXPECT_TRUE(lacking[key].is_null()) << lacking;
  EXPECT_TRUE(settings[0]["objectives"]["failover_seconds.mean"]["value"].is_number());
  const Ended csv = tune("17s", text, "--format csv");
  expect_out(csv, "unmeasured,1m,,,,,\"failover_seconds.mean has no sample: faults struck");
}

// What is safest may be what little is measured of: that is not to be called unsafe.
TEST(Unmeasured, settings_alone_are_not_called_unsafe) {
  const Ended ended = tune("17s",
                           "[tune]\nseeds = 2\nobjectives = [\"failover_seconds.p99\"]\n"
                           "[tune.election]\nlease_duration = [\"12s\", \"15s\"]\n");
  expect_out(
      ended,
      {"no setting that was tried is known to be good: those that are not unsafe or out of bounds lack "
       "samples. The nearest is unmeasured: failover_seconds.p99 has ",
       " of the 100 samples that it takes: about "});
  EXPECT_FALSE(has(ended.out, "would give some")) << ended.out;
}

// One run has no interval, so nothing of it is known.
TEST(Unmeasured, is_a_mean_of_one_run) {
  const Ended ended = tune("17s", kMean + "[tune.election]\nlease_duration = [\"15s\"]\n", "--seeds 1");
  expect_out(ended,
             {"code 1", "samples in a single run, which says nothing of how much runs differ: more seeds"});
}

const std::string kLate =
    "[tune]\nseeds = 6\nobjectives = [\"store_requests_per_second\"]\n[tune.election]\nrenew_period = ";

TEST(Unsafe, settings_stand_apart_from_those_that_are_recommended) {
  const Ended ended = tune("17s", kLate + "[\"5s\", \"14s\"]\n");
  expect_out(ended, {"1 best, 1 unsafe in theory",
                     "apart       unsafe in theory, though no run failed: never in the set",
                     "apply       nothing: keep what the file has\n"});
  EXPECT_FALSE(has(ended.out, "renew_period=14s")) << ended.out;
  expect_out(ended, "code 0");
}

TEST(Markdown, has_intervals_the_month_and_the_command_that_applies_the_choice) {
  const Ended ended = tune("17s",
                           kMean + "[tune.election]\nlease_duration = [\"15s\", \"12s\"]\n" +
                               "[profile]\ncrashes = \"2 a month\"\nseeds = 9\n",
                           "--format markdown");
  expect_out(ended,
             {"| recommended | 12s | 9.", "s [1",
              "| a month | leaderless min | by itself | crashes | the rest | false failovers |\n|---|---|",
              "9 seeds are too few to measure: by itself",
              "```sh\ntenure run t.toml --set election.lease_duration=12s\n```"});
}

TEST(Profile, says_what_it_knows_with_intervals_in_json) {
  const Ended ended = tune("17s",
                           kMean + "[tune.election]\nlease_duration = [\"15s\"]\n" +
                               "[profile]\ncrashes = \"2 a month\"\ndisturbances = \"100000 a day\"\n",
                           "--format json");
  const json month = json::parse(ended.out.substr(0, ended.out.find('\n')))["profile"][0];
  EXPECT_LE(month["in_all"]["leaderless_seconds_high"].get<double>(), 30.0 * 86'400);
  EXPECT_GT(month["in_all"]["leaderless_seconds"].get<double>(), 20.0 * 86'400);
  for (const json& cost : month["a_month"]) {
    EXPECT_LE(cost["leaderless_seconds_low"], cost["leaderless_seconds"]) << cost;
    EXPECT_LE(cost["leaderless_seconds"], cost["leaderless_seconds_high"]) << cost;
  }
}

TEST(Halving, does_not_say_that_all_settings_had_all_seeds) {
  const Ended ended =
      tune("17s",
           "[tune]\nsearch = \"halving\"\nsettings = 20\nseeds = 8\nobjectives = "
           "[\"store_requests_per_second\"]\n[tune.election]\nlease_duration = \"12s..60s\"\n");
  expect_out(ended, "20 settings, 2 to 8 seeds each by halving");
}

TEST(Runs, that_were_kept_do_not_count_as_run) {
  const Ended ended =
      in_a_folder(file("17s", kMean + "[tune.election]\nlease_duration = [\"15s\", \"12s\"]\n") +
                  "\"$TENURE\" tune t.toml --save kept >/dev/null 2>&1; head -n 6 kept >some; "
                  "\"$TENURE\" tune t.toml --save some --resume >/dev/null");
  expect_err(ended, {"t: 7 runs in ", "; 5 more were kept from before"});
}

// Whoever keeps something else there would lose it.
TEST(Plot, is_drawn_over_nothing_but_a_plot) {
  const Ended ended = in_a_folder(file("17s", kMean + "[tune.election]\nlease_duration = [\"15s\"]\n") +
                                  "for p in t.toml p.svg p.svg; do \"$TENURE\" tune t.toml --no-save --plot "
                                  "$p >/dev/null; echo \"code $?\"; done;"
                                  "head -n 1 t.toml");
  EXPECT_EQ(ended.out, "code 74\ncode 0\ncode 0\nformat = 1\n") << ended.err;
  expect_err(ended, "t.toml exists and is not a plot of tenure: name another file with --plot");
}

TEST(Scheduling, parameters_are_tuned_like_those_of_the_election) {
  const std::string scheduled =
      "cat > t.toml <<'END'\nformat = 1\nname = \"t\"\n[sim]\nduration = \"5m\"\ntail = \"3m\"\n[cluster]\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n[[schedule]]\nname = \"s\"\nevery = "
      "\"10s\"\n"
      "[tune]\nseeds = 3\nobjectives = [\"fire_lateness_seconds.mean\", \"store_requests_per_second\"]\n"
      "[tune.scheduling]\n";
  const Ended ended = in_a_folder(scheduled +
                                  "poll_period = [\"1s\", \"5s\"]\nEND\n\"$TENURE\" tune t.toml --no-save "
                                  "--set scheduling.poll_period=2s");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  expect_out(ended, {"--set scheduling.poll_period=", "[scheduling]"});
  const Ended wrong = in_a_folder(
      scheduled + "poll_perod = [\"1s\", \"5s\"]\nEND\n\"$TENURE\" tune t.toml --no-save; echo \"code $?\"");
  expect_out(wrong, "code 65");
  expect_err(wrong, "did you mean `poll_period`?");
}

}  // namespace
}  // namespace tenure::cli
