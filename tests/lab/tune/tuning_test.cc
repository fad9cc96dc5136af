// The search: common seeds, rounds, and what comes out of it.
#include "lab/tune/tuning.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

using State = JudgedSetting::State;

const std::string kTune =
    "[tune]\nseeds = 8\nobjectives = [\"failover_seconds.mean\", \"store_requests_per_second\"]\n"
    "constraints = [\"one-believer\"]\n[tune.election]\n"
    "lease_duration = [\"5s\", \"10s\", \"15s\", \"30s\"]\nrenew_period = [\"2s\", \"5s\"]\n";

format::TuneSetting tune_of(const TuneFile& file) { return parsed(file).plans.tune.value(); }

Tuning tuning_of(const TuneFile& file) {
  const format::TuneSetting tune = tune_of(file);
  return Tuning(tune, made(file), all_settings(file, tune));
}

std::vector<std::string> values_of(const Tuning& tuning, const std::vector<std::size_t>& places) {
  std::vector<std::string> values;
  for (const std::size_t place : places) {
    std::string text;
    for (const format::Override& set : tuning.setting(place).overrides) text += set.value + " ";
    values.push_back(text);
  }
  return values;
}

TEST(Tuning, finds_what_none_beats_and_where_the_file_stands) {
  const TuneFile file = tune_file(kTune);
  Tuning tuning = tuning_of(file);
  EXPECT_EQ(tuning.size(), 9u);
  ASSERT_EQ(tuning.twin_of_own(), 6u);  // 15s and 5s, the defaults
  EXPECT_EQ(run_all(tuning), std::vector<std::uint64_t>{8 * 8});
  const TuneJudgement judgement = tuning.judge();
  ASSERT_FALSE(judgement.best.empty());
  for (const std::size_t a : judgement.best)
    for (const std::size_t b : judgement.best) {
      const auto& x = judgement.settings[a].objectives;
      const auto& y = judgement.settings[b].objectives;
      EXPECT_FALSE(dominates({x[0].value, x[1].value}, {y[0].value, y[1].value}));
    }
  ASSERT_TRUE(judgement.knee);
  EXPECT_TRUE(tuning.setting(*judgement.knee).unsafe.empty());
  EXPECT_FALSE(judgement.nearest);
  for (const JudgedSetting& setting : judgement.settings) {
    if (setting.state != State::dominated) continue;
    EXPECT_TRUE(setting.beaten_by);
  }
}

// A longer lease asks for nothing less often: whoever has the shorter one keeps it.
TEST(Tuning, does_not_count_an_objective_in_which_safe_settings_hardly_differ) {
  const TuneFile file = tune_file(
      "[tune]\nseeds = 8\nobjectives = [\"failover_seconds.mean\", \"store_requests_per_second\"]\n"
      "[tune.election]\nlease_duration = [\"17s\", \"15s\", \"18s\"]\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  EXPECT_EQ(judgement.alike, std::vector<std::size_t>{1});
  EXPECT_EQ(judgement.best, std::vector<std::size_t>{2});
  EXPECT_EQ(judgement.knee, tuning.twin_of_own());
}

TEST(Tuning, gives_the_file_a_run_of_its_own_when_it_is_not_among_those_tried) {
  const TuneFile file = tune_file(kTune + "[election]\nlease_duration = \"17s\"\n");
  Tuning tuning = tuning_of(file);
  EXPECT_FALSE(tuning.twin_of_own());
  EXPECT_EQ(run_all(tuning), std::vector<std::uint64_t>{9 * 8});
  EXPECT_EQ(tuning.outcome(0).runs(), 8u);
}

TEST(Tuning, runs_every_setting_with_the_same_seeds) {
  const TuneFile file = tune_file(kTune);
  Tuning tuning = tuning_of(file);
  std::set<std::pair<std::uint64_t, std::uint64_t>> seeds;
  for (const TuneWork& work : tuning.next_round()) seeds.emplace(work.first_seed, work.count);
  EXPECT_EQ(seeds, (std::set<std::pair<std::uint64_t, std::uint64_t>>{{1, 8}}));
}

// Where nobody ever leads no two lead either: that is no reason to recommend it.
TEST(Tuning, recommends_nothing_in_which_its_checkers_had_nothing_to_look_at) {
  const TuneFile file = tune_file(
      "[tune]\nseeds = 4\nobjectives = [\"store_requests_per_second\"]\n[tune.election]\n"
      "lease_duration = [\"10s\", \"15s\"]\n[store]\nlatency = \"20s\"\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  EXPECT_TRUE(judgement.best.empty());
  for (const JudgedSetting& setting : judgement.settings) {
    EXPECT_EQ(setting.state, State::inconclusive);
    EXPECT_EQ(setting.why, "nobody ever led in 4 of 4 runs");
  }
}

TEST(Tuning, asks_whether_two_led_unless_the_file_asks_for_other_checkers) {
  const std::string tune = "[tune]\n[tune.election]\nlease_duration = [\"10s\"]\n";
  EXPECT_EQ(questions_of(tune_of(tune_file(tune))).checkers, std::vector<std::string>{"one-believer"});
  const std::string fenced =
      "[tune]\nconstraints = [\"epochs-increase\"]\n[tune.election]\nlease_duration = [\"10s\"]\n";
  EXPECT_EQ(questions_of(tune_of(tune_file(fenced))).checkers, std::vector<std::string>{"epochs-increase"});
}

TEST(Halving, spends_its_seeds_on_what_is_good_and_comes_to_the_same_knee) {
  const std::string values =
      "lease_duration = [\"5s\", \"10s\", \"15s\", \"20s\", \"30s\", \"40s\"]\n"
      "renew_period = [\"1s\", \"2s\", \"3s\", \"4s\", \"5s\", \"6s\"]\n";
  const std::string head =
      "seeds = 32\nobjectives = [\"failover_seconds.mean\", \"store_requests_per_second\"]\n"
      "[tune.election]\n" +
      values;
  const TuneFile whole = tune_file("[tune]\n" + head);
  const TuneFile halved = tune_file("[tune]\nsearch = \"halving\"\nsettings = 36\n" + head);
  Tuning all = tuning_of(whole);
  Tuning some = tuning_of(halved);
  const std::uint64_t runs_of_all = run_all(all).front();
  const std::vector<std::uint64_t> rounds = run_all(some);
  ASSERT_GT(rounds.size(), 2u);
  std::uint64_t runs_of_some = 0;
  for (const std::uint64_t runs : rounds) runs_of_some += runs;
  EXPECT_LT(runs_of_some * 5, runs_of_all * 3);
  const TuneJudgement a = all.judge();
  const TuneJudgement b = some.judge();
  ASSERT_TRUE(a.knee && b.knee);
  EXPECT_EQ(values_of(all, {*a.knee}), values_of(some, {*b.knee}));
  EXPECT_TRUE(std::any_of(b.settings.begin(), b.settings.end(),
                          [](const JudgedSetting& s) { return s.state == State::dropped; }));
}

// A lease that is renewed hardly before it ends costs the store least, and theory calls it unsafe.
const std::string kLate =
    "objectives = [\"store_requests_per_second\"]\n[tune.election]\nrenew_period = [\"14s\"";

TEST(UnsafeSettings, beat_nothing_that_is_safe) {
  const TuneFile file = tune_file("[tune]\nseeds = 4\n" + kLate + ", \"5s\", \"4s\"]\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  ASSERT_EQ(values_of(tuning, judgement.apart), std::vector<std::string>{"14s "});
  EXPECT_EQ(judgement.settings[judgement.apart.front()].state, State::warned);
  EXPECT_TRUE(judgement.settings[judgement.apart.front()].why.starts_with("renew-beyond-belief: "));
  EXPECT_EQ(values_of(tuning, judgement.best), std::vector<std::string>{"5s "});
  EXPECT_EQ(judgement.knee, judgement.best.front());
  EXPECT_FALSE(judgement.nearest);
}

// Halving is not led astray: twenty that are better and unsafe do not crowd out the one that is good.
TEST(UnsafeSettings, take_no_seeds_from_what_is_safe) {
  std::string values = "\"10s\"";
  for (int i = 0; i < 20; ++i) values += fmt::format(", \"{}ms\"", 13'000 + 50 * i);
  const TuneFile file = tune_file(
      "[tune]\nsearch = \"halving\"\nsettings = 40\nseeds = 8\nobjectives = [\"store_requests_per_second\"]\n"
      "[tune.election]\nrenew_period = [" +
      values + "]\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  EXPECT_EQ(values_of(tuning, tuning.judge().best), std::vector<std::string>{"10s "});
}

TEST(UnsafeSettings, alone_are_the_nearest_and_no_choice) {
  const TuneFile file = tune_file(
      "[election]\nrenew_period = \"14s\"\naccept = [\"renew-beyond-belief\"]\n"
      "[tune]\nseeds = 4\n" +
      kLate + ", \"14500ms\"]\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  EXPECT_TRUE(judgement.best.empty());
  EXPECT_FALSE(judgement.knee);
  ASSERT_TRUE(judgement.nearest);
  EXPECT_EQ(judgement.settings[*judgement.nearest].state, State::warned);
}

TEST(Tuning, says_why_a_setting_lacks_samples) {
  const auto why = [](std::vector<format::Override> sets) {
    TuneFile file = tune_file(
        "[tune]\nseeds = 4\nobjectives = [\"failover_seconds.mean\"]\n"
        "[tune.election]\nlease_duration = [\"15s\"]\n");
    file.sets = std::move(sets);
    Tuning tuning = tuning_of(file);
    run_all(tuning);
    const JudgedSetting setting = tuning.judge().settings.back();
    EXPECT_EQ(setting.state, State::unmeasured);
    EXPECT_EQ(setting.lacks, "failover_seconds.mean");
    return setting.why;
  };
  EXPECT_EQ(why({{"fault.1.every", "20m"}, {"fault.1.optional", "true"}}),
            "failover_seconds.mean has no sample: no fault of the file struck in any run");
  const std::string in_vain = why({{"fault.1.action", "pause"}, {"fault.1.duration", "1ms"}});
  EXPECT_TRUE(in_vain.starts_with("failover_seconds.mean has no sample: faults struck ")) << in_vain;
  EXPECT_TRUE(in_vain.ends_with(" times, and none was followed by a failover")) << in_vain;
}

TEST(Tuning, bounds_what_the_file_bounds) {
  const TuneFile file = tune_file(
      "[thresholds]\nfailover_seconds = \"max < 20\"\n[tune]\nseeds = 4\n"
      "objectives = [\"store_requests_per_second\"]\n[tune.election]\nlease_duration = [\"30s\", \"15s\"]\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  EXPECT_EQ(judgement.settings[1].state, State::bounded);
  EXPECT_EQ(judgement.settings[1].why, "not failover_seconds max < 20");
  EXPECT_EQ(judgement.settings[2].state, State::best);
}

TEST(Tuning, that_finds_nothing_safe_shows_the_nearest) {
  const TuneFile file = tune_file(
      "[tune]\nseeds = 8\nobjectives = [\"failover_seconds.mean\"]\n"
      "constraints = [\"failover_seconds.mean < 1\"]\n[tune.election]\n"
      "lease_duration = [\"15s\", \"6s\", \"30s\"]\n");
  Tuning tuning = tuning_of(file);
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  EXPECT_TRUE(judgement.best.empty());
  EXPECT_FALSE(judgement.knee);
  ASSERT_TRUE(judgement.nearest);
  EXPECT_EQ(values_of(tuning, {*judgement.nearest}), std::vector<std::string>{"6s "});
}

}  // namespace
}  // namespace tenure::lab
