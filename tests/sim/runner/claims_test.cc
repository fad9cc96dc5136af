// What a run may hold a protocol to: claims against the faults that struck, from when they struck.
#include "sim/runner/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/faults/registry.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

constexpr TrueTime kStruck = TrueTime{} + Duration::seconds(60);

const std::string kPause =
    "[[fault]]\nat = \"60s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"1s\"\n";

// client-go claims one-believer as long as no process stands still.
Envelope envelope_at(TrueTime at, const std::string& skipped) {
  const Scenario scenario = parsed(small(kPause, "client-go", "none"));
  FaultRun run;
  run.id = scenario.faults.front().id;
  run.at = kStruck;
  run.skipped = skipped;
  return envelope_of("one-believer", scenario, broken_assumptions(scenario, scenario.faults, {run}), at);
}

TEST(Claims, a_fault_breaks_its_assumptions_from_the_moment_at_which_it_strikes) {
  EXPECT_FALSE(envelope_at(kStruck, "").inside);
  EXPECT_FALSE(envelope_at(kStruck + Duration::hours(1), "").inside);
  EXPECT_NE(envelope_at(kStruck, "").why.find("fault pause"), std::string::npos);
}

TEST(Claims, a_fault_that_strikes_later_excuses_no_violation) {
  EXPECT_TRUE(envelope_at(kStruck - Duration::nanos(1), "").inside);
}

TEST(Claims, a_fault_that_was_skipped_excuses_no_violation) {
  EXPECT_TRUE(envelope_at(TrueTime::max(), "its target matched nobody").inside);
}

TEST(Claims, settings_break_their_assumptions_from_the_start) {
  const Scenario scenario = parsed(small("[network]\nloss = 0.01\n", "token-ring", "none"));
  const auto broken = broken_assumptions(scenario, {}, {});
  EXPECT_FALSE(envelope_of("one-believer", scenario, broken, TrueTime{}).inside);
}

// ---- the rate bound ----------------------------------------------------------------------------------------

std::string clock_rate(const std::string& at, const std::string& ppm, const std::string& duration) {
  return "[[fault]]\nat = \"" + at + "\"\naction = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = " + ppm +
         "\nduration = \"" + duration + "\"\n";
}

bool breaks(const Scenario& scenario, std::size_t fault, Assumption assumption) {
  const FaultSetting& setting = scenario.faults.at(fault);
  const auto broken = find_fault_kind(setting.action)->breaks(setting, scenario);
  return std::count(broken.begin(), broken.end(), assumption) > 0;
}

// fenced-lease bounds the error at 500 ppm.
TEST(Claims, clock_rates_that_overlap_are_judged_by_their_sum) {
  const std::string first = clock_rate("30s", "300", "20s");
  const std::string second = clock_rate("40s", "\"-300..250\"", "20s");
  EXPECT_FALSE(breaks(parsed(small(first)), 0, Assumption::rate_bound));
  EXPECT_FALSE(breaks(parsed(small(second)), 0, Assumption::rate_bound));
  const Scenario both = parsed(small(first + second));
  EXPECT_TRUE(breaks(both, 0, Assumption::rate_bound));
  EXPECT_TRUE(breaks(both, 1, Assumption::rate_bound));
}

// A drawn fault is printed as one fault for each of its strikes: they must not be judged as if they all struck at once.
TEST(Claims, clock_rates_that_do_not_overlap_are_judged_each_by_itself) {
  const std::string apart = clock_rate("30s", "300", "20s") + clock_rate("50s", "300", "20s");
  EXPECT_FALSE(breaks(parsed(small(apart)), 0, Assumption::rate_bound));
  EXPECT_FALSE(breaks(parsed(small(apart)), 1, Assumption::rate_bound));
  const Scenario three = parsed(small(apart + clock_rate("60s", "201", "60s")));
  EXPECT_FALSE(breaks(three, 0, Assumption::rate_bound));
  EXPECT_TRUE(breaks(three, 1, Assumption::rate_bound));
  EXPECT_TRUE(breaks(three, 2, Assumption::rate_bound));
}

TEST(Claims, a_clock_rate_of_unknown_time_may_overlap_any_other) {
  const std::string waiting =
      "[[fault]]\non = \"leads\"\naction = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = 300\nduration = "
      "\"1s\"\n";
  const Scenario scenario = parsed(small(clock_rate("30s", "300", "20s") + waiting));
  EXPECT_TRUE(breaks(scenario, 0, Assumption::rate_bound));
  EXPECT_TRUE(breaks(scenario, 1, Assumption::rate_bound));
}

TEST(Claims, a_clock_rate_is_judged_on_top_of_the_clocks_own_error) {
  const std::string own = "[[instance]]\nnames = [\"n2\"]\nclock = { rate_ppm = \"-300..0\" }\n";
  EXPECT_TRUE(breaks(parsed(small(own + clock_rate("30s", "300", "20s"))), 0, Assumption::rate_bound));
  EXPECT_FALSE(breaks(parsed(small(own + clock_rate("30s", "200", "20s"))), 0, Assumption::rate_bound));
}

// A deploy can bring settings that the clocks do not keep; from then on they are what counts.
TEST(Claims, clocks_are_judged_by_the_settings_that_a_deploy_brings_too) {
  const std::string clock = "[[instance]]\nnames = [\"n1\"]\nclock = { rate_ppm = 300 }\n";
  const std::string deploy =
      "[[fault]]\nat = \"60s\"\naction = \"rolling-restart\"\n"
      "with = { election = { max_clock_drift_ppm = 200 } }\n";
  const Scenario scenario = parsed(small(clock + deploy));
  FaultRun ran;
  ran.id = scenario.faults.front().id;
  ran.at = kStruck;
  const auto at = [&](TrueTime now) {
    return envelope_of("one-believer", scenario, broken_assumptions(scenario, scenario.faults, {ran}), now);
  };
  EXPECT_TRUE(at(kStruck - Duration::nanos(1)).inside);
  EXPECT_FALSE(at(kStruck).inside);
  EXPECT_NE(at(kStruck).why.find("assumes rate-bound"), std::string::npos) << at(kStruck).why;
  ran.skipped = "the event that it waits for did not happen often enough";
  EXPECT_TRUE(at(TrueTime::max()).inside);
}

TEST(Claims, a_clock_rate_is_judged_by_the_settings_that_a_deploy_brings_too) {
  const std::string deploy =
      "[[fault]]\nat = \"60s\"\naction = \"rolling-restart\"\n"
      "with = { election = { max_clock_drift_ppm = 200 } }\n";
  EXPECT_TRUE(breaks(parsed(small(clock_rate("70s", "300", "20s") + deploy)), 0, Assumption::rate_bound));
  EXPECT_FALSE(breaks(parsed(small(clock_rate("70s", "200", "20s") + deploy)), 0, Assumption::rate_bound));
}

// ---- the store and the network -----------------------------------------------------------------------------

// A lost segment is sent again after 200 ms, 400 ms, … six times: 12.6 s later at the worst, on each way. However small
// the loss, a request can so outlast any usual timeout.
std::string client_go(const std::string& request_timeout, const std::string& more) {
  return small("[election]\nlease_duration = \"40s\"\nrenew_deadline = \"30s\"\nrequest_timeout = \"" +
                   request_timeout + "\"\n" + more,
               "client-go", "none");
}
std::string loss(const std::string& rate, const std::string& more = "") {
  return "[[fault]]\nat = \"60s\"\naction = \"loss\"\nrate = " + rate + "\n" + more;
}
bool prompt_at_the_start(const std::string& text) {
  const Scenario scenario = parsed(text);
  const auto broken = broken_assumptions(scenario, {}, {});
  return std::none_of(broken.begin(), broken.end(),
                      [](const Broken& b) { return b.assumption == Assumption::prompt_store; });
}

TEST(Claims, a_loss_of_the_network_delays_answers_beyond_a_timeout) {
  EXPECT_TRUE(prompt_at_the_start(client_go("5s", "")));
  EXPECT_FALSE(prompt_at_the_start(client_go("5s", "[network]\nloss = 0.10\n")));
  EXPECT_FALSE(prompt_at_the_start(client_go("5s", "[network]\nloss = 0.000001\n")));
}

TEST(Claims, a_timeout_beyond_the_last_resend_is_kept_in_spite_of_loss) {
  EXPECT_FALSE(prompt_at_the_start(client_go("25s", "[network]\nloss = 0.99\n")));
  EXPECT_TRUE(prompt_at_the_start(client_go("26s", "[network]\nloss = 0.99\n")));
  EXPECT_FALSE(prompt_at_the_start(client_go("26s", "[network]\nloss = 1\n"))) << "a cut";
}

TEST(Claims, a_fault_of_loss_breaks_what_it_can_delay) {
  const auto prompt = [](const std::string& text) {
    return !breaks(parsed(text), 0, Assumption::prompt_store);
  };
  EXPECT_FALSE(prompt(client_go("5s", loss("0.10"))));
  EXPECT_FALSE(prompt(client_go("25s", loss("0.99"))));
  EXPECT_TRUE(prompt(client_go("26s", loss("0.99"))));
  EXPECT_TRUE(prompt(client_go("13s", loss("0.99", "direction = \"to\"\n")))) << "12.6 s on one way only";
  EXPECT_FALSE(prompt(client_go("12s", loss("0.99", "direction = \"to\"\n"))));
  EXPECT_FALSE(prompt(client_go("26s", loss("1")))) << "a cut";
  EXPECT_TRUE(prompt(client_go("5s", loss("0.10", "peers = \"instances\"\n"))));
  EXPECT_TRUE(prompt(client_go("5s", loss("0"))));
  EXPECT_FALSE(breaks(parsed(client_go("5s", loss("0"))), 0, Assumption::reliable_network));
  EXPECT_TRUE(breaks(parsed(client_go("26s", loss("0.10"))), 0, Assumption::reliable_network));
}

// ---- at rest -----------------------------------------------------------------------------------------------

bool at_rest(const std::string& text) {
  const auto broken = broken_at_rest(parsed(text));
  return std::none_of(broken.begin(), broken.end(),
                      [](const Broken& b) { return b.assumption == Assumption::prompt_at_rest; });
}

TEST(Claims, a_store_that_is_always_slower_than_somebody_waits_is_not_prompt_at_rest) {
  EXPECT_TRUE(at_rest(small("[store]\nlatency = \"2s\"\n", "fenced-lease", "none")));
  EXPECT_FALSE(at_rest(small("[store]\nlatency = \"4s\"\n", "fenced-lease", "none")));
  EXPECT_TRUE(at_rest(small("", "token-ring", "none")));
  EXPECT_FALSE(at_rest(small("[network]\nlatency = \"1s\"\n", "token-ring", "none")));
  EXPECT_FALSE(at_rest(small("[network]\nloss = 0.1\n", "token-ring", "none")));
}

// A scheduler waits 3 s, and may have two other requests before this one on its connection.
TEST(Claims, a_store_is_prompt_at_rest_only_if_it_is_for_all_that_a_scheduler_asks_at_once) {
  EXPECT_TRUE(at_rest(small("[store]\nlatency = \"990ms\"\n")));
  EXPECT_FALSE(at_rest(small("[store]\nlatency = \"1s\"\n")));
  EXPECT_TRUE(at_rest(small("[store]\nlatency = \"1s\"\n[scheduling]\nrequest_timeout = \"4s\"\n")));
}

TEST(Claims, a_fault_that_makes_the_store_slow_leaves_it_prompt_at_rest) {
  const Scenario scenario =
      parsed(small("[[fault]]\nat = \"60s\"\naction = \"store-down\"\nduration = \"10s\"\n"));
  const auto broken = may_break(scenario);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken.front().assumption, Assumption::prompt_store);
}

// Nothing breaks and nothing is mended: nobody can lead, and nobody is to blame.
TEST(Claims, who_waits_for_a_store_that_is_always_slower_is_not_blamed) {
  for (const char* protocol : {"fenced-lease", "client-go", "db-lease"}) {
    const bool fenced = std::string_view(protocol) == "fenced-lease";
    const std::string slow =
        small("[store]\nlatency = \"21s\"\n", protocol, fenced ? "fenced-outbox" : "none");
    const RunResult result = run(parsed(slow), 1);
    EXPECT_NE(result.verdict, Verdict::fail) << protocol;
    const auto elected =
        std::find_if(result.checks.begin(), result.checks.end(),
                     [](const CheckResult& check) { return check.name == "leader-elected"; });
    ASSERT_NE(elected, result.checks.end());
    EXPECT_EQ(elected->verdict, Verdict::fail) << protocol;
    EXPECT_NE(elected->detail.find("prompt-at-rest"), std::string::npos) << elected->detail;
    EXPECT_EQ(run(parsed(slow + "[expect]\neventually = [\"leader-elected\"]\n"), 1).verdict, Verdict::fail)
        << "what is listed is demanded";
  }
}

TEST(Claims, doubled_messages_leave_the_store_prompt) {
  const Scenario scenario = parsed(small("[[fault]]\nat = \"60s\"\naction = \"duplicate\"\nrate = 1.0\n"));
  const FaultSetting& fault = scenario.faults.front();
  EXPECT_EQ(find_fault_kind("duplicate")->breaks(fault, scenario), std::vector{Assumption::reliable_network});
}

}  // namespace
}  // namespace tenure::sim
