// What is tuned is true: means beside closed forms, and what is unsafe once the faults reach it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/tune/closed_form.h"
#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

using State = JudgedSetting::State;

// Crashes alone, far enough apart for each to be over before the next, at drawn moments.
TuneFile crashes(const std::string& protocol, int instances, const std::string& election) {
  TuneFile file = tune_file("", protocol);
  file.text = fmt::format(
      "format = 1\nname = \"truth\"\n[sim]\nduration = \"30m\"\ntail = \"5m\"\n[cluster]\nprotocol = \"{}\"\n"
      "instances = {}\nstart_spread = \"20s\"\n[network]\nlatency = \"300us\"\n[store]\nlatency = \"300us\"\n"
      "[[fault]]\nevery = {{ min = \"150s\", p50 = \"200s\", max = \"260s\" }}\naction = \"kill\"\n"
      "target = \"leader\"\nduration = \"70s\"\n"
      "[tune]\nseeds = 80\nobjectives = [\"failover_seconds.mean\", \"failover_seconds.min\", "
      "\"failover_seconds.max\"]\n[tune.election]\n{}\n",
      protocol, instances, election);
  return file;
}

void expect_means_of_closed_forms(const TuneFile& file) {
  const format::TuneSetting tune = parsed(file).plans.tune.value();
  Tuning tuning(tune, made(file), all_settings(file, tune));
  run_all(tuning);
  const TuneJudgement judgement = tuning.judge();
  for (std::size_t i = tuning.twin_of_own() ? 1 : 0; i < tuning.size(); ++i) {
    const auto& objectives = judgement.settings[i].objectives;
    const Duration mean = Duration::nanos(objectives.front().value);
    const ClosedForm form = closed_form(tuning.setting(i).scenario).value();
    std::string what;
    for (const format::Override& set : tuning.setting(i).overrides) what += set.key + " " + set.value + " ";
    EXPECT_NEAR(static_cast<double>(mean.ns()), static_cast<double>(form.failover->mean->ns()),
                static_cast<double>(form.failover->mean->ns()) / 50)
        << what << objectives.front().samples << " samples";
    EXPECT_GE(Duration::nanos(objectives[1].value), form.failover->least) << what;
    EXPECT_LE(Duration::nanos(objectives[2].value), form.failover->most) << what;
  }
}

TEST(TunedMeans, of_fenced_lease_are_those_of_the_closed_form) {
  expect_means_of_closed_forms(crashes("fenced-lease", 3,
                                       "lease_duration = [\"10s\", \"15s\", \"30s\"]\n"
                                       "renew_period = [\"1s\", \"2s\", \"5s\"]\n"));
}

TEST(TunedMeans, of_client_go_are_those_of_the_closed_form) {
  expect_means_of_closed_forms(crashes(
      "client-go", 3, "lease_duration = [\"15s\", \"30s\"]\nretry_period = [\"1s\", \"2s\", \"3s\"]\n"));
}

TEST(TunedMeans, of_db_lease_are_those_of_the_closed_form) {
  expect_means_of_closed_forms(
      crashes("db-lease", 2, "lock_duration = [\"8s\", \"15s\"]\npoll_period = [\"2s\", \"3s\"]\n"));
}

// With one standby: beats keep their phase for good, so that of several the one that took over has the others close
// behind it, and the next failover is quicker than independent phases make it.
TEST(TunedMeans, of_heartbeat_lock_are_those_of_the_closed_form) {
  expect_means_of_closed_forms(crashes(
      "heartbeat-lock", 2, "heartbeat_timeout = [\"30s\", \"60s\"]\nheartbeat_period = [\"5s\", \"10s\"]\n"));
}

// Of the default settings, by formulas that owe nothing to our code. T lease, H renewal period, A the age of the last
// renewal at the crash (uniform in [0, H]), G poll gap, R retry period, N standbys; round trips take some milliseconds.
TEST(ClosedForms, are_those_that_others_have_derived) {
  struct Derived {
    const char* protocol;
    int standbys;
    double mean, least, most;
  };
  const Derived kDerived[] = {
      // 15/10/2: D = Res1 - A + L + Res2; range [L - R, L + 4.4 R]. The means are the table of reference.
      {"client-go", 1, 17.35, 13, 23.8},
      {"client-go", 2, 16.5, 13, 23.8},
      {"client-go", 4, 15.9, 13, 23.8},
      {"client-go", 9, 15.3, 13, 23.8},
      // Polled every G = 3 s with T = 5 s and H = G: D = T - A + Res, E[min Res] = G / (N + 1); range [T - H, T + G].
      {"db-lease", 1, 5 - 1.5 + 3.0 / 2, 5 - 3, 5 + 3},
      {"db-lease", 2, 5 - 1.5 + 3.0 / 3, 5 - 3, 5 + 3},
      {"db-lease", 4, 5 - 1.5 + 3.0 / 5, 5 - 3, 5 + 3},
      // NarratedEvent how long is left: D = T - A + E[min jitter], with T = 15 s, H = 5 s, jitter in [0, 200 ms].
      {"fenced-lease", 1, 15 - 2.5 + 0.2 / 2, 15 - 5, 15 + 0.2},
      {"fenced-lease", 2, 15 - 2.5 + 0.2 / 3, 15 - 5, 15 + 0.2},
      {"fenced-lease", 4, 15 - 2.5 + 0.2 / 5, 15 - 5, 15 + 0.2},
  };
  const auto seconds = [](Duration length) { return static_cast<double>(length.ns()) / 1e9; };
  for (const Derived& derived : kDerived) {
    const Setting setting =
        made(tune_file("", derived.protocol), {{"cluster.instances", std::to_string(derived.standbys + 1)}});
    const FailoverForm form = *closed_form(setting.scenario)->failover;
    EXPECT_NEAR(seconds(*form.mean), derived.mean, 0.05) << derived.protocol << " " << derived.standbys;
    EXPECT_NEAR(seconds(form.least), derived.least, 0.05) << derived.protocol << " " << derived.standbys;
    EXPECT_NEAR(seconds(form.most), derived.most, 0.05) << derived.protocol << " " << derived.standbys;
  }
  EXPECT_EQ(closed_form(made(tune_file("", "client-go")).scenario)->delay, Duration::seconds(3));
}

TEST(ClosedForms, are_not_made_up_for_protocols_without_one) {
  EXPECT_FALSE(closed_form(made(tune_file("", "token-ring")).scenario));
}

TEST(ClosedForms, tolerate_the_rate_at_which_the_inequality_just_holds) {
  const Duration belief = Duration::millis(14'000);
  const Duration wait = Duration::seconds(15);
  const std::int64_t rate = tolerated_rate_ppm(belief, wait, {}).value();
  const auto slack = [&](std::int64_t ppm) {
    return mul_div_floor(wait.ns(), 1'000'000, 1'000'000 + ppm) -
           mul_div_ceil(belief.ns(), 1'000'000, 1'000'000 - ppm);
  };
  EXPECT_GE(slack(rate), 0);
  EXPECT_LT(slack(rate + 1), 0);
  EXPECT_FALSE(tolerated_rate_ppm(wait, belief, {}));
}

// A leader that is cut off polls for renew_deadline; with more of it than theory allows, it leads beside the next
// one. In a quiet cluster nothing shows of that, and the setting stands apart; once the cut reaches it, it is out.
TEST(UnsafeSettings, are_never_worth_having_whether_or_not_the_faults_reach_them) {
  const std::string cuts =
      "[[fault]]\nevery = { min = \"60s\", p50 = \"80s\", max = \"100s\" }\naction = \"partition\"\n"
      "target = \"leader\"\npeers = \"store\"\nduration = \"40s\"\n";
  const std::string tune =
      "[tune]\nseeds = 20\nobjectives = [\"store_requests_per_second\"]\nconstraints = [\"one-believer\"]\n"
      "[tune.election]\nrenew_deadline = [\"8s\", \"10s\", \"14500ms\"]\n";
  for (const bool reached : {false, true}) {
    const TuneFile file = tune_file((reached ? cuts : "") + tune, "client-go");
    const format::TuneSetting asked = parsed(file).plans.tune.value();
    Tuning tuning(asked, made(file), all_settings(file, asked));
    run_all(tuning);
    const TuneJudgement judgement = tuning.judge();
    std::size_t unsafe_in_theory = 0;
    for (std::size_t i = 1; i < tuning.size(); ++i) {
      if (tuning.setting(i).unsafe.empty()) {
        EXPECT_NE(judgement.settings[i].state, State::broken) << judgement.settings[i].why;
        continue;
      }
      ++unsafe_in_theory;
      EXPECT_EQ(tuning.setting(i).unsafe.front().name, "belief-beyond-lease");
      EXPECT_EQ(judgement.settings[i].state, reached ? State::broken : State::warned)
          << judgement.settings[i].why;
      EXPECT_EQ(std::count(judgement.best.begin(), judgement.best.end(), i), 0);
      EXPECT_EQ(std::count(judgement.apart.begin(), judgement.apart.end(), i), reached ? 0 : 1);
    }
    EXPECT_EQ(unsafe_in_theory, 1u);
  }
}

}  // namespace
}  // namespace tenure::lab
