// --baseline: what changed beyond noise, and what did not.
#include "cli/trend/trend.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/process.h"

namespace tenure::cli::testing::trend_tests {
namespace {

using nlohmann::ordered_json;

// Failovers by crashes, whose length the lease decides; "$@" is what is changed.
const std::string kRuns = R"sh(
  printf 'format = 1\nname = "crashes"\n[sim]\nduration = "10m"\ntail = "1m"\n' >c.toml
  printf '[cluster]\nprotocol = "fenced-lease"\n' >>c.toml
  printf '[[fault]]\nevery = "90s"\naction = "kill"\ntarget = "leader"\nduration = "20s"\n' >>c.toml
  batch() { "$TENURE" run c.toml "$@"; }
  batch --seeds 1..40 --format json >before.json
)sh";

TEST(ShareInterval, is_that_of_clopper_and_pearson) {
  const auto expect = [](std::uint64_t part, std::uint64_t whole, double low, double high) {
    const ShareInterval interval = share_interval(part, whole);
    EXPECT_NEAR(interval.low, low, 5e-5) << part << " of " << whole;
    EXPECT_NEAR(interval.high, high, 5e-5) << part << " of " << whole;
  };
  expect(0, 10, 0, 0.3085);
  expect(10, 10, 0.6915, 1);
  expect(5, 10, 0.1871, 0.8129);
  expect(1, 100, 0.0003, 0.0545);
}

TEST(Figures, are_of_documents_one_after_another) {
  const std::string batch =
      R"({"summary":true,"scenario":"a","runs":10,"verdicts":{"pass":9,"fail":1,"inconclusive":0},
    "metrics":{"failover_seconds":{"p50":3,"intervals":{"p50":{"low":2,"high":null}}}}})";
  const std::vector<Figure> figures = figures_of("{\"seed\":1}\n" + batch + "\n");
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].what, "runs that fail");
  EXPECT_EQ(figures[2], (Figure{"a", "failover_seconds p50", 3, 2, {}, false}));
}

TEST(Baseline, of_the_same_runs_shows_no_change) {
  const Ended ended = in_a_folder(kRuns + "batch --seeds 1..40 --baseline before.json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  expect_out(ended, "Nothing changed beyond noise");
}

TEST(Baseline, of_other_seeds_shows_noise_as_none) {
  const Ended ended = in_a_folder(kRuns + "batch --seeds 41..80 --baseline before.json");
  EXPECT_EQ(ended.code, 0) << ended.out;
  expect_out(ended, "Nothing changed beyond noise");
}

TEST(Baseline, shows_what_is_worse_in_text_json_page_and_exit_code) {
  const std::string longer = "batch --seeds 1..40 --set election.lease_duration=30s --baseline before.json ";
  const Ended text = in_a_folder(kRuns + longer +
                                 "--report page.html; code=$?; grep -c 'Changes beyond noise' page.html; "
                                 "exit $code");
  EXPECT_EQ(text.code, 1);
  expect_out(text, "worse       crashes: failover_seconds p50");
  EXPECT_TRUE(text.out.ends_with("1\n")) << text.out;
  const Ended json = in_a_folder(kRuns + longer + "--format json | tail -n 1");
  const ordered_json trend = ordered_json::parse(json.out);
  EXPECT_EQ(trend["kind"], "trend");
  EXPECT_GT(trend["worse"], 0);
  EXPECT_GT(trend["changes"][0]["after"]["low"], trend["changes"][0]["before"]["high"]);
}

TEST(Baseline, shows_what_is_better_beside_its_price) {
  const Ended ended = in_a_folder(kRuns + R"sh(
    batch --seeds 1..40 --set election.lease_duration=30s --format json >longer.json
    batch --seeds 1..40 --baseline longer.json)sh");
  EXPECT_EQ(ended.code, 1) << ended.out;
  expect_out(ended, {"better      crashes: failover_seconds p50", "worse       crashes: store_requests p50"});
}

// Of a hunt the share of cases that fail, of a tuning the objectives, of a comparison the summary and each cell.
TEST(Baseline, is_taken_by_hunt_tune_and_compare) {
  const Ended hunt = in_a_folder(R"sh(
    hunt() { "$TENURE" hunt fail.toml --seeds 30 --keep-going --no-shrink --no-replay --out kept "$@"; }
    hunt --format json >before.json 2>/dev/null
    hunt --baseline before.json)sh");
  expect_out(hunt, "Nothing changed beyond noise");
  const Ended tune = in_a_folder(kRuns + R"sh(
    printf '[tune]\nseeds = 20\nobjectives = ["failover_seconds.p50"]\n' >>c.toml
    printf '[tune.election]\nlease_duration = ["15s", "30s"]\n' >>c.toml
    "$TENURE" tune c.toml --no-save --format json >before.json
    "$TENURE" tune c.toml --no-save --baseline before.json
    "$TENURE" tune c.toml --no-save --set fault.1.duration=1s --baseline before.json --format json | tail -n 1)sh");
  expect_out(tune, {"Nothing changed beyond noise", "{\"kind\":\"trend\""});
  const Ended compare = in_a_folder(R"sh(
    "$TENURE" compare fenced-lease --against fail.toml --seeds 10 --format json >before.json
    "$TENURE" compare fenced-lease --against fail.toml --seeds 10 --baseline before.json
    sed 's/fenced-lease/&:lease_duration=60s/' before.json >other.json
    "$TENURE" compare fenced-lease:lease_duration=60s --against fail.toml --seeds 10 --baseline other.json)sh");
  EXPECT_EQ(compare.code, 1) << compare.err;
  expect_out(compare, {"Nothing changed beyond noise, in 7 figures",
                       "worse       fenced-lease:lease_duration=60s: failover_p50_seconds"});
}

TEST(Baseline, that_is_none_is_an_error_before_anything_runs) {
  const Ended missing = tenure({"run", "pass.toml", "--seeds", "2", "--baseline", "no.json"});
  EXPECT_EQ(missing.code, 74);
  expect_err(missing, "cannot read no.json");
  EXPECT_EQ(missing.out, "");
  const Ended foreign = tenure({"run", "pass.toml", "--seeds", "2", "--baseline", "pass.toml"});
  EXPECT_EQ(foreign.code, 74);
  expect_err(foreign, "holds no result to compare with");
  const Ended alone = tenure({"run", "pass.toml", "--baseline", "before.json"});
  EXPECT_EQ(alone.code, 64);
  expect_err(alone, "it goes with --seeds");
}

TEST(Baseline, of_another_scenario_is_inconclusive) {
  const Ended ended = in_a_folder(kRuns + "\"$TENURE\" run pass.toml --seeds 1..2 --baseline before.json");
  EXPECT_EQ(ended.code, 2);
  expect_out(ended, "Nothing to compare");
}

}  // namespace
}  // namespace tenure::cli::testing::trend_tests
