// Predictions beside simulation, over a grid of settings: what is predicted happens, and bounds are both kept and come
// close to.
#include "lab/tune/explain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>

#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

using Kind = Experiment::Kind;

struct Case {
  std::string name;
  std::string protocol;
  std::vector<format::Override> election;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

// The others vary; these are the latencies of the grid.
const std::string kLatencies[] = {R"("5ms")", R"("300ms")", R"("1s")",
                                  R"({ p50 = "50ms", p99 = "500ms", max = "800ms" })"};

std::uint64_t runs_of(const Experiment& experiment, const std::string& protocol, std::size_t instances) {
  switch (experiment.kind) {
    case Kind::crash:  // db-lease's failovers differ most, beside their mean
      return instances == 1 ? 20 : protocol == "db-lease" ? 600 : 200;
    case Kind::cut: return 5;
    case Kind::pause_below:
    case Kind::skew_below:
    case Kind::delay_below: return 40;
    default: return 100;  // something must happen
  }
}

class Explained {
 public:
  Explained(const Case& tried, const std::string& latency, std::size_t instances) {
    const TuneFile file = tune_file("", tried.protocol);
    std::vector<format::Override> sets = tried.election;
    sets.push_back({"store.latency", latency});
    sets.push_back({"cluster.instances", std::to_string(instances)});
    TuneFile with = file;
    with.sets = sets;
    const Setting own = made(with);
    form = closed_form(own.scenario).value();
    if (!form.not_for.empty()) return;
    for (const Experiment& experiment : experiments(with, own.scenario, form)) {
      EXPECT_TRUE(experiment.setting) << experiment.why_not;
      if (!experiment.setting) continue;
      std::vector<RunNumbers> runs;
      // Other seeds for each setting, so that what is off by chance is not off everywhere alike.
      const std::uint64_t first = 1 + 1'000 * (instances + 10 * latency.size());
      for (std::uint64_t seed = first; seed < first + runs_of(experiment, tried.protocol, instances); ++seed)
        runs.push_back(measure_run(*experiment.setting, seed, explain_questions()));
      Shown fresh = shown_by(experiment, runs);
      const auto [place, is_new] = shown_.try_emplace(experiment.kind, fresh);
      if (!is_new) join(place->second, fresh);
    }
  }

  const Shown* operator[](Kind kind) const {
    const auto found = shown_.find(kind);
    return found == shown_.end() ? nullptr : &found->second;
  }

  ClosedForm form;

 private:
  std::map<Kind, Shown> shown_;
};

class Grid : public testing::TestWithParam<Case> {};

// A third of the range is near enough for so few runs.
void expect_ends_are_near(const FailoverForm& form, const sim::Samples& seen) {
  const Duration third = (form.most - form.least) / 3;
  EXPECT_LE(seen.min(), form.least + third);
  EXPECT_GE(seen.max(), form.most - third);
}

void expect_counts(const sim::Range<std::int64_t>& theory, const std::vector<std::int64_t>& seen,
                   bool varies) {
  ASSERT_FALSE(seen.empty());
  EXPECT_NE(judge_count(theory, seen), ExplainFinding::refuted) << theory.low << " " << theory.high;
  EXPECT_LE(theory.high - theory.low, varies ? 7 : 1);
}

void expect_failovers(const ClosedForm& form, const Shown& crash) {
  const sim::Samples& seen = crash.failover;
  EXPECT_EQ(seen.count(), crash.runs);
  EXPECT_NE(judge_least(*form.failover, seen), ExplainFinding::refuted) << seen.min().ns();
  EXPECT_NE(judge_most(*form.failover, seen), ExplainFinding::refuted) << seen.max().ns();
  if (!form.failover->mean) return;
  EXPECT_NE(judge_mean(*form.failover, seen), ExplainFinding::refuted)
      << seen.mean().ns() << ", predicted " << form.failover->mean->ns();
}

void expect_cuts(const ClosedForm& form, const Shown& cut) {
  EXPECT_EQ(judge_belief(form, cut.belief), ExplainFinding::confirmed) << cut.belief.max().ns();
  const sim::Range<std::int64_t> attempts = form.attempts.value_or(sim::Range<std::int64_t>{0, 100});
  EXPECT_NE(judge_count(attempts, cut.attempts), ExplainFinding::refuted) << cut.attempts.front();
  EXPECT_LE(attempts.high - attempts.low, form.attempts ? 1 : 100);
}

// Nothing happens below a bound. Returns whether something did above, or it was not tried.
bool expect_bound_is_kept(const Shown* below, const Shown* above) {
  if (below == nullptr) return true;
  EXPECT_EQ(below->hits, 0u) << "of " << below->strength;
  return above->hits > 0;
}

TEST_P(Grid, is_as_predicted) {
  Duration seen_in_all;
  Duration predicted_in_all;
  for (const std::string& latency : kLatencies) {
    const bool varies = latency.front() == '{';  // then the worst is too rare to be met
    bool skew_reached = false;
    bool delay_reached = false;
    for (const std::size_t instances : {1u, 2u, 3u, 5u}) {
      SCOPED_TRACE(fmt::format("{} instances, latency {}", instances, latency));
      const Explained shown(GetParam(), latency, instances);
      const ClosedForm& form = shown.form;
      ASSERT_EQ(form.not_for, "");
      EXPECT_EQ(form.failover.has_value(), instances > 1);
      const Shown& crash = *shown[Kind::crash];
      if (form.failover) expect_failovers(form, crash);
      if (form.failover && form.failover->mean) {
        seen_in_all += crash.failover.mean();
        predicted_in_all += *form.failover->mean;
      }
      if (instances == 2 && !varies) expect_ends_are_near(*form.failover, crash.failover);
      expect_counts(form.renewals, crash.renewals, varies);
      expect_cuts(form, *shown[Kind::cut]);
      ASSERT_NE(shown[Kind::pause_below], nullptr);
      EXPECT_TRUE(expect_bound_is_kept(shown[Kind::pause_below], shown[Kind::pause_above]) || varies);
      if (!form.failover) continue;
      skew_reached |=
          expect_bound_is_kept(shown[Kind::skew_below], shown[Kind::skew_above]) || !form.failover->mean;
      delay_reached |= expect_bound_is_kept(shown[Kind::delay_below], shown[Kind::delay_above]);
    }
    EXPECT_TRUE(skew_reached || varies) << latency;
    EXPECT_TRUE(delay_reached || varies) << latency;
  }
  // Each alone is off by chance; all together are not.
  EXPECT_LE(std::abs((seen_in_all - predicted_in_all).ns()), predicted_in_all.ns() / 100)
      << seen_in_all.ns() << ", predicted " << predicted_in_all.ns();
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Grid,
    testing::Values(Case{"fenced_15_5", "fenced-lease", {}},
                    Case{"fenced_15_9", "fenced-lease", {{"election.renew_period", "\"9s\""}}},
                    // A standby's jitter may exceed the renewal period: no mean.
                    Case{"fenced_6_1",
                         "fenced-lease",
                         {{"election.lease_duration", "\"6s\""}, {"election.renew_period", "\"1100ms\""}}},
                    Case{"db_8_2",
                         "db-lease",
                         {{"election.lock_duration", "\"8s\""}, {"election.poll_period", "\"2s\""}}},
                    // A statement that hangs fails before the row runs out.
                    Case{"db_15_3", "db-lease", {{"election.lock_duration", "\"15s\""}}},
                    Case{"heartbeat_33_7",
                         "heartbeat-lock",
                         {{"election.heartbeat_timeout", "\"33s\""},
                          {"election.heartbeat_period", "\"7s\""},
                          {"election.request_timeout", "\"20s\""}}},
                    // Others take the row before a statement that hangs fails.
                    Case{"heartbeat_60_10", "heartbeat-lock", {{"election.request_timeout", "\"58s\""}}},
                    Case{"client_go_15_10_2", "client-go", {}},
                    Case{"client_go_0_29", "client-go", {{"election.release", "\"0.29\""}}},
                    Case{"client_go_0_31", "client-go", {{"election.release", "\"0.31\""}}},
                    Case{"client_go_8_5_1",
                         "client-go",
                         {{"election.lease_duration", "\"8s\""},
                          {"election.renew_deadline", "\"5s\""},
                          {"election.retry_period", "\"1s\""},
                          {"election.request_timeout", "\"2500ms\""}}}),
    [](const auto& test) { return test.param.name; });

sim::Samples samples_of(const std::vector<std::int64_t>& millis) {
  sim::Samples samples;
  for (const std::int64_t each : millis) samples.add(Duration::millis(each));
  return samples;
}

TEST(Findings, say_no_more_than_what_was_seen) {
  const FailoverForm form{Duration::seconds(10), Duration::seconds(15), Duration::seconds(20), ""};
  EXPECT_EQ(judge_mean(form, samples_of({14'900, 15'000, 15'050, 15'150})), ExplainFinding::confirmed);
  EXPECT_EQ(judge_mean(form, samples_of({14'300, 14'400, 14'500})), ExplainFinding::refuted);
  EXPECT_EQ(judge_mean(form, samples_of({11'000, 19'000})), ExplainFinding::too_few);
  EXPECT_EQ(judge_mean(form, samples_of({})), ExplainFinding::not_simulated);
  EXPECT_EQ(judge_mean(form, samples_of({19'000})), ExplainFinding::too_few);
  // Of two, Student's t is 12.7.
  EXPECT_EQ(judge_mean(form, samples_of({17'000, 18'000})), ExplainFinding::too_few);
  EXPECT_EQ(judge_least(form, samples_of({10'400, 15'000})), ExplainFinding::confirmed);
  EXPECT_EQ(judge_least(form, samples_of({10'600, 15'000})), ExplainFinding::not_reached);
  EXPECT_EQ(judge_least(form, samples_of({9'900, 15'000})), ExplainFinding::refuted);
  EXPECT_EQ(judge_most(form, samples_of({15'000, 19'600})), ExplainFinding::confirmed);
  EXPECT_EQ(judge_most(form, samples_of({15'000, 19'400})), ExplainFinding::not_reached);
  EXPECT_EQ(judge_most(form, samples_of({15'000, 20'100})), ExplainFinding::refuted);
  EXPECT_EQ(judge_count({2, 3}, {2, 3, 3}), ExplainFinding::confirmed);
  EXPECT_EQ(judge_count({2, 3}, {3, 3}), ExplainFinding::not_reached);
  EXPECT_EQ(judge_count({2, 3}, {2, 4}), ExplainFinding::refuted);
  ClosedForm belief;
  belief.belief = Duration::seconds(12);
  EXPECT_EQ(judge_belief(belief, samples_of({12'000, 12'001})), ExplainFinding::confirmed);
  EXPECT_EQ(judge_belief(belief, samples_of({11'000, 12'000})), ExplainFinding::not_reached);
  EXPECT_EQ(judge_belief(belief, samples_of({12'002})), ExplainFinding::refuted);
}

TEST(Findings, of_a_bound_need_something_beyond_it) {
  const auto hits = [](std::uint64_t n) {
    Shown shown;
    shown.runs = 100;
    shown.hits = n;
    return shown;
  };
  const Shown none = hits(0);
  const Shown some = hits(1);
  EXPECT_EQ(judge_bound(&none, &some), ExplainFinding::confirmed);
  EXPECT_EQ(judge_bound(&none, &none), ExplainFinding::not_reached);
  EXPECT_EQ(judge_bound(&some, &some), ExplainFinding::refuted);
  EXPECT_EQ(judge_bound(nullptr, &some), ExplainFinding::not_simulated);
}

std::string not_for(const std::string& protocol, const std::string& more,
                    std::vector<format::Override> sets = {}) {
  TuneFile file = tune_file(more, protocol);
  file.sets = std::move(sets);
  return closed_form(made(file).scenario)->not_for;
}

TEST(Predictions, say_what_they_are_not_for) {
  const auto says = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  for (const char* protocol : {"fenced-lease", "db-lease", "client-go", "heartbeat-lock"}) {
    EXPECT_EQ(not_for(protocol, ""), "");
    EXPECT_EQ(not_for(protocol, "[[instance]]\nnames = [\"n2\"]\nclock = { rate_ppm = 50 }\n"), "");
    says(not_for(protocol, "", {{"network.loss", "0.01"}}), "network.loss");
    says(not_for(protocol, "", {{"store.capacity.concurrent", "2"}}), "requests wait for one another");
    says(not_for(protocol, "", {{"store.latency", "\"31s\""}}), "no less than request_timeout (");
  }
  says(not_for("fenced-lease", "[[instance]]\nnames = [\"n2\"]\nelection = { lease_duration = \"20s\" }\n"),
       "different [election] settings");
  says(not_for("fenced-lease", "", {{"store.latency", "\"1s\""}, {"election.renew_period", "\"900ms\""}}),
       "renewals wait for one another");
  says(not_for("fenced-lease", "", {{"election.renew_period", "\"14900ms\""}}), "loses its lease");
  says(not_for("db-lease", "", {{"election.poll_period", "\"5s\""}}), "loses its lease");
  says(not_for("client-go", "",
               {{"store.latency", "\"4s\""},
                {"election.renew_deadline", "\"8s\""},
                {"election.release", "\"0.29\""}}),
       "loses its lease");
  says(not_for("client-go", "", {{"election.retry_period", "\"200ms\""}}), "look alike");
  says(not_for("heartbeat-lock", "", {{"store.latency", "\"11s\""}}), "beats are left out");
}

// A pause is judged alone; a rate error, by what it does to a leader that cannot renew meanwhile.
TEST(Predictions, have_something_against_faults_that_a_setting_does_not_outlast) {
  const auto against = [](const std::string& protocol, const std::string& faults,
                          std::vector<format::Override> sets) {
    TuneFile file = tune_file("", protocol);
    file.sets = std::move(sets);
    file.sets.push_back({"fault", "[" + faults + "]"});
    std::string text;
    for (const sim::UnsafeNote& note : faults_beyond_theory(made(file).scenario))
      text += note.name + ": " + note.text + "; ";
    return text;
  };
  const auto pause = [](const std::string& target, const std::string& length) {
    return R"({ at = "60s", action = "pause", target = ")" + target + R"(", duration = ")" + length + "\" }";
  };
  const std::string late = "fault 1 (pause): it lasts up to 14s, where up to 13.00162s is safe; ";
  EXPECT_EQ(against("client-go", pause("leader", "14s"), {}), late);
  EXPECT_EQ(against("client-go", pause("leader", "500ms..14s"), {}), late);
  EXPECT_EQ(against("client-go", pause("leader", "13s"), {}), "");
  EXPECT_EQ(against("client-go", pause("standby", "14s"), {}), "");
  EXPECT_EQ(against("client-go", pause("leader", "14s"), {{"cluster.instances", "1"}}), "");
  EXPECT_EQ(against("client-go", pause("leader", "14s"), {{"election.lease_duration", "\"17s\""}}), "");
  EXPECT_EQ(against("fenced-lease", pause("leader", "2m"), {}), "");
  const auto rate = [](const std::string& target, const std::string& ppm, const std::string& length) {
    return R"({ at = "60s", action = "clock-rate", target = ")" + target + "\", rate_ppm = " + ppm +
           ", duration = \"" + length + "\" }, ";
  };
  const auto cut = [](const std::string& at, const std::string& length) {
    return R"({ at = ")" + at + R"(", action = "partition", target = "leader", duration = ")" + length +
           "\" }";
  };
  const std::string slow = rate("leader", "-300000", "1m");
  const std::string apart =
      "fault 1 (clock-rate): T2: a leader that cannot renew believes for up to 17.142857143s, and others "
      "wait for "
      "15s; ";
  EXPECT_EQ(against("client-go", slow + cut("80s", "40s"), {}), apart);
  EXPECT_EQ(against("client-go", slow + cut("80s", "10s"), {}), "") << "it renews in time";
  EXPECT_EQ(against("client-go", slow + cut("2m30s", "40s"), {}), "") << "its clock is right again";
  EXPECT_EQ(against("client-go", rate("leader", "-300000", "9s") + cut("60s", "40s"), {}), "")
      << "12 s and 2.7 s more";
  EXPECT_EQ(against("client-go", rate("leader", "-190000", "1m") + cut("80s", "40s"), {}), "") << "14.8 s";
  EXPECT_EQ(against("client-go", rate("all", "-300000", "1m") + cut("80s", "40s"), {}), "");
  EXPECT_EQ(against("client-go", rate("leader", "300000", "1m") + cut("80s", "40s"), {}), "");
  EXPECT_NE(against("client-go", rate("standby", "300000", "1m") + cut("80s", "40s"), {}), "");
  EXPECT_EQ(against("client-go", slow + cut("80s", "40s"), {{"cluster.instances", "1"}}), "");
  EXPECT_NE(against("fenced-lease", slow + cut("80s", "40s"), {}), "");
}

// A wrong one would stand beside a frontier.
TEST(Predictions, of_instances_that_differ_have_no_bound) {
  const TuneFile file =
      tune_file("[[instance]]\nnames = [\"n2\"]\nelection = { lease_duration = \"20s\" }\n");
  EXPECT_FALSE(theory_bound(made(file).scenario, "cluster.clock.rate_ppm", "one-believer"));
  EXPECT_TRUE(theory_bound(made(tune_file("")).scenario, "cluster.clock.rate_ppm", "one-believer"));
}

}  // namespace
}  // namespace tenure::lab
