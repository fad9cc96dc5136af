// What a run may hold a protocol to: claims against the faults that struck, from when they struck.
#include "sim/runner/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/model/describe.h"
#include "sim/faults/recovery.h"
#include "sim/faults/registry.h"
#include "sim/faults/settings.h"
#include "sim/runner/claims.h"
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
  return envelope_of("one-believer", scenario, broken_assumptions(scenario, scenario.faults, {run}),
                     Violation{at, {}, {}, {}}, nullptr);
}

TEST(Claims, a_fault_breaks_its_assumptions_from_the_moment_at_which_it_strikes) {
  EXPECT_FALSE(envelope_at(kStruck, "").inside);
  EXPECT_TRUE(envelope_at(kStruck + Duration::hours(1), "").inside) << "it has passed";
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
  EXPECT_FALSE(envelope_of("one-believer", scenario, broken, Violation{}, nullptr).inside);
}

TEST(Claims, a_ring_so_large_that_the_token_goes_round_too_late_breaks_what_a_token_ring_assumes) {
  const auto inside = [](const std::string& instances) {
    std::string text = small("", "token-ring", "none");
    text.replace(text.find("instances = 3"), 13, "instances = " + instances);
    const Scenario scenario = parsed(text);
    return envelope_of("one-believer", scenario, broken_assumptions(scenario, {}, {}), Violation{}, nullptr)
        .inside;
  };
  EXPECT_TRUE(inside("9"));
  EXPECT_FALSE(inside("10"));  // of a second each, and token_timeout is 10s
}

TEST(Claims, a_parameter_that_has_only_the_name_of_anothers_time_excuses_nothing) {
  std::string text = small("", "token-ring", "none");
  text.replace(text.find("instances = 3"), 13, "instances = 10");
  Scenario scenario = parsed(text);
  ElectorKind of_a_user = *scenario.protocol;
  of_a_user.timing = {};
  scenario.protocol = &of_a_user;
  EXPECT_TRUE(
      envelope_of("one-believer", scenario, broken_assumptions(scenario, {}, {}), Violation{}, nullptr)
          .inside);
}

// ---- the rate bound ----------------------------------------------------------------------------------------

std::string clock_rate(const std::string& at, const std::string& ppm, const std::string& duration) {
  return "[[fault]]\nat = \"" + at + "\"\naction = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = " + ppm +
         "\nduration = \"" + duration + "\"\n";
}

bool breaks(const Scenario& scenario, std::size_t fault, Assumption assumption) {
  const FaultSetting& setting = scenario.faults.at(fault);
  const auto broken =
      find_fault_kind(setting.action)->breaks(setting, scenario, bounds_of(scenario, Part::elector));
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
    return envelope_of("one-believer", scenario, broken_assumptions(scenario, scenario.faults, {ran}),
                       Violation{now, {}, {}, {}}, nullptr);
  };
  EXPECT_TRUE(at(kStruck - Duration::nanos(1)).inside);
  EXPECT_FALSE(at(kStruck).inside);
  EXPECT_NE(at(kStruck).why.find("assumes rate-bound"), std::string::npos) << at(kStruck).why;
  ran.skipped = "`leads` never happened";
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

// A lost segment is sent again after 200 ms, 400 ms, … six times: 12.6 s later at worst, on each way. However small
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

// db-lease takes a lock of 5 s anew every 3 s: its holder has to hear of two answers meanwhile.
TEST(Claims, a_store_is_prompt_at_rest_only_if_a_lock_is_renewed_before_it_is_over) {
  EXPECT_TRUE(at_rest(small("[network]\nlatency = \"490ms\"\n", "db-lease", "none")));
  EXPECT_FALSE(at_rest(small("[network]\nlatency = \"500ms\"\n", "db-lease", "none")));
}

// One that has not started yet is asked in vain: 0.6 s for each, beside a hold_time of 0.1 s.
TEST(Claims, a_ring_that_starts_slowly_is_not_gone_round_in_time) {
  const auto goes_round = [](Duration starts) {
    Scenario scenario = parsed(small("[election]\nhold_time = \"100ms\"\n", "token-ring", "none"));
    scenario.instances.resize(30, scenario.instances.front());
    scenario.start_spread.high = starts;
    const std::vector<Broken> broken = broken_at_rest(scenario);
    return std::none_of(broken.begin(), broken.end(),
                        [](const Broken& b) { return b.assumption == Assumption::reliable_network; });
  };
  EXPECT_TRUE(goes_round({}));
  EXPECT_TRUE(goes_round(Duration::seconds(5)));
  EXPECT_FALSE(goes_round(Duration::seconds(60)));
}

// A scheduler waits 3 s, and may have two other requests before this one on its connection.
TEST(Claims, a_store_is_prompt_at_rest_only_if_it_is_for_all_that_a_scheduler_asks_at_once) {
  EXPECT_TRUE(at_rest(small("[store]\nlatency = \"990ms\"\n")));
  EXPECT_FALSE(at_rest(small("[store]\nlatency = \"1s\"\n")));
  EXPECT_TRUE(at_rest(small("[store]\nlatency = \"1s\"\n[scheduling]\nrequest_timeout = \"4s\"\n")));
}

// A leader needs three answers before it gets anything done, or it steps aside: then nobody stays.
TEST(Claims, a_store_is_prompt_at_rest_only_if_three_answers_come_before_a_leader_steps_aside) {
  const std::string stall = "[scheduling]\nstall_timeout = \"2s\"\naccept = [\"stall-within-requests\"]\n";
  EXPECT_TRUE(at_rest(small("[store]\nlatency = \"200ms\"\n" + stall)));
  EXPECT_FALSE(at_rest(small("[store]\nlatency = \"250ms\"\n" + stall)));
  const Scenario slow = parsed(small("[store]\nlatency = \"900ms\"\n" + stall));
  for (const char* invariant : {"leader-elected", "no-lost-fire", "caught-up"})
    EXPECT_FALSE(envelope_of(invariant, slow, broken_at_rest(slow), Violation{}, nullptr).inside)
        << invariant;
}

TEST(Claims, what_leaves_a_node_too_late_is_not_answered_in_time) {
  const auto slow = [](Duration departure, const char* protocol, const char* scheduler) {
    Scenario scenario = parsed(small("", protocol, scheduler));
    scenario.departure = Quantiles::constant(departure);
    const std::vector<Broken> broken = broken_at_rest(scenario);
    return std::any_of(broken.begin(), broken.end(), [](const Broken& b) {
      return b.assumption == Assumption::prompt_at_rest && b.by == "departure in [cluster]";
    });
  };
  EXPECT_FALSE(slow(Duration::seconds(2), "fenced-lease", "none"));
  EXPECT_TRUE(slow(Duration::seconds(3), "fenced-lease", "none"));
  EXPECT_TRUE(slow(Duration::seconds(1), "fenced-lease", "fenced-outbox"))
      << "the third of three leaves after 3 s";
  EXPECT_FALSE(slow(Duration::millis(10), "token-ring", "none"));
  EXPECT_TRUE(slow(Duration::seconds(1), "token-ring", "none"));
}

// All effects of a node share its way out: 298 pieces of work at 10 ms, and three requests, go before the renewal.
// There are 250 schedules, and the 48 slots of another one, which may all be late.
TEST(Claims, work_that_begins_together_holds_up_requests) {
  const auto slow = [](Duration departure, const std::string& more) {
    Scenario scenario = parsed(small(more));
    scenario.departure = Quantiles::constant(departure);
    const std::vector<Broken> broken = broken_at_rest(scenario);
    return std::any_of(broken.begin(), broken.end(),
                       [](const Broken& b) { return b.assumption == Assumption::prompt_at_rest; });
  };
  const std::string many =
      "[[schedule]]\nname = \"minutely\"\ncount = 250\nevery = \"60s\"\noverlap = \"skip\"\n";
  EXPECT_FALSE(slow(Duration::millis(9), many));
  EXPECT_TRUE(slow(Duration::millis(10), many));
  EXPECT_FALSE(slow(Duration::millis(10), many + "[scheduling]\nbatch = 200\n")) << "a commit has no more";
  EXPECT_FALSE(slow(Duration::millis(10), many + "[scheduling]\nmax_running = 200\n")) << "nor workers";
  EXPECT_FALSE(slow(Duration::millis(10), "")) << "one schedule has fewer";
  EXPECT_TRUE(slow(Duration::millis(10),
                   "[[change]]\nat = \"59s\"\naction = \"create\"\nschedule = \"late\"\n"
                   "every = \"100ms\"\nmax_catchup = 1000\n"))
      << "nor does it matter who asked for it";
}

// Up to v0.29 of client-go a renewal is a get and an update, and both have to come within 10 s.
TEST(Claims, a_store_is_prompt_at_rest_only_if_all_requests_of_a_renewal_are_answered_before_its_deadline) {
  const auto at = [](const char* latency, const char* release) {
    return at_rest(small(fmt::format("[store]\nlatency = \"{}\"\n[election]\nrequest_timeout = \"10s\"\n"
                                     "release = \"{}\"\n",
                                     latency, release),
                         "client-go", "none"));
  };
  EXPECT_TRUE(at("4900ms", "0.29"));
  EXPECT_FALSE(at("5s", "0.29"));
  EXPECT_TRUE(at("5s", "0.31"));
  EXPECT_FALSE(at("10s", "0.31"));
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
  EXPECT_EQ(find_fault_kind("duplicate")->breaks(fault, scenario, bounds_of(scenario, Part::elector)),
            std::vector{Assumption::reliable_network});
}

// ---- what excuses a violation ------------------------------------------------------------------------------

constexpr TrueTime at_second(std::int64_t second) { return TrueTime{} + Duration::seconds(second); }

// As if every fault of the scenario had struck at its time, and whom it names.
std::vector<Broken> all_broken(const Scenario& scenario) {
  std::vector<FaultRun> ran;
  for (const FaultSetting& fault : scenario.faults) {
    FaultRun run;
    run.id = fault.id;
    run.action = fault.action;
    run.at = TrueTime{} + std::get<FaultSetting::At>(fault.when).at;
    for (const NodeId node : fault.target.nodes)
      run.target += (run.target.empty() ? "" : " ") + describe(node);
    ran.push_back(run);
  }
  return broken_assumptions(scenario, scenario.faults, ran);
}
Violation wrong(TrueTime since, TrueTime at) { return {at, "wrong", {}, {}, since}; }

bool inside(const std::string& text, std::string_view invariant, const Violation& violation,
            const LedTracker* led = nullptr) {
  const Scenario scenario = parsed(text);
  return envelope_of(invariant, scenario, all_broken(scenario), violation, led).inside;
}
std::string fault_on(const std::string& at, const std::string& target, const std::string& rest) {
  return "[[fault]]\nat = \"" + at + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}
const std::string kFreeze = "action = \"clock-freeze\"\nduration = \"10s\"";

TEST(Excuses, what_passes_excuses_nothing_that_began_a_recovery_after_its_end) {
  const std::string text = small(fault_on("20s", "n1", kFreeze));
  const Duration passes = recovery(parsed(text));
  const TrueTime over = at_second(30) + passes;
  for (const char* invariant : {"one-believer", "no-lost-fire", "caught-up"}) {
    EXPECT_TRUE(inside(text, invariant, wrong(at_second(5), at_second(10)))) << invariant;
    EXPECT_FALSE(inside(text, invariant, wrong(at_second(5), at_second(20)))) << invariant;
    EXPECT_FALSE(inside(text, invariant, wrong(over, over))) << invariant;
    EXPECT_FALSE(inside(text, invariant, wrong(over, over + Duration::hours(1)))) << invariant;
    EXPECT_TRUE(inside(text, invariant, wrong(over + Duration::nanos(1), over + Duration::hours(1))))
        << invariant;
  }
}

// Two who lead and do not stop lead on after the pause that brought them together; a clock that was moved stays moved.
TEST(Excuses, what_does_not_pass_excuses_for_good) {
  const std::string pause = fault_on("20s", "n1", "action = \"pause\"\nduration = \"70s\"");
  EXPECT_FALSE(inside(small(pause, "heartbeat-lock", "none"), "one-believer",
                      wrong(at_second(100'000), at_second(100'000))));
  EXPECT_FALSE(inside(small(pause, "heartbeat-lock", "ticker"), "no-duplicate-fire",
                      wrong(at_second(100'000), at_second(100'000))))
      << "a scheduler recovers no sooner than its election";
  EXPECT_TRUE(inside(small(pause, "client-go", "ticker"), "no-duplicate-fire",
                     wrong(at_second(100'000), at_second(100'000))));
  const std::string step =
      small(fault_on("20s", "n1", "action = \"clock-step\"\nby = \"9s\""), "db-lease", "none");
  EXPECT_FALSE(inside(step, "leader-elected", wrong(at_second(100'000), at_second(100'000))));
}

// Nobody has led since `from`, and nobody does at the end.
Violation nobody_leads(std::int64_t from, std::int64_t end = 10'000) {
  Violation violation = wrong(at_second(from), at_second(end));
  violation.lasted = true;
  return violation;
}

// What began later did not begin it, and what is mended did not keep it up.
TEST(Excuses, a_wrong_that_lasted_has_to_be_kept_up) {
  const auto excused = [](const std::string& faults, const Violation& violation) {
    std::string text = small(faults, "db-lease", "none");
    text.replace(text.find("2m"), 2, "2h");
    const Scenario scenario = parsed(text);
    const std::vector<Broken> broken = all_broken(scenario);
    const bool healed = !envelope_when_healed("leader-elected", scenario, broken, violation, nullptr).inside;
    const bool ever = !envelope_of("leader-elected", scenario, broken, violation, nullptr).inside;
    EXPECT_TRUE(ever || !healed);
    return healed;
  };
  const auto fault = [](int at, const std::string& rest) {
    return "[[fault]]\nat = \"" + std::to_string(at) + "s\"\n" + rest;
  };
  const std::string step = "action = \"store-clock-step\"\nby = \"1s\"\n";
  const std::string down = "action = \"store-down\"\nduration = \"900s\"\n";
  EXPECT_TRUE(excused(fault(1'000, step), nobody_leads(1'001)));
  EXPECT_TRUE(excused(fault(1'000, step), nobody_leads(990))) << "it would have passed";
  EXPECT_FALSE(excused(fault(1'000, step), nobody_leads(13)));
  EXPECT_TRUE(excused(fault(13, down) + fault(920, step), nobody_leads(13))) << "one after the other";
  EXPECT_FALSE(excused(fault(13, down) + fault(1'700, step), nobody_leads(13))) << "in between it was none";
  EXPECT_FALSE(excused(fault(13, down), nobody_leads(13)));
}

TEST(Excuses, a_fault_without_magnitude_excuses_nothing) {
  for (const char* rest :
       {"action = \"clock-rate\"\nrate_ppm = 0\nduration = \"1m\"", "action = \"clock-step\"\nby = \"0s\"",
        "action = \"pause\"\nduration = \"20us\"", "action = \"loss\"\nrate = 0\npeers = \"store\"",
        "action = \"delay\"\nlatency = \"0s\"\npeers = \"store\"",
        "action = \"delay\"\nlatency = \"1us\"\npeers = \"store\"", "action = \"slow-node\"\nby = \"0s\""}) {
    const Scenario scenario = parsed(small(fault_on("10s", "n1", rest), "client-go", "none"));
    EXPECT_TRUE(all_broken(scenario).empty()) << rest;
  }
  for (const char* rest :
       {"action = \"store-clock-step\"\nby = \"0s\"", "action = \"store-slow\"\nlatency = \"0s\"",
        "action = \"store-reject\"\nrate = 0", "action = \"store-ack-lost\"\nrate = 0",
        "action = \"store-request-lost\"\nrate = 0"}) {
    const std::string fault = "[[fault]]\nat = \"10s\"\n" + std::string(rest) + "\n";
    EXPECT_TRUE(all_broken(parsed(small(fault, "client-go", "none"))).empty()) << rest;
  }
}

class NoClocks final : public View {
 public:
  TrueTime true_time_of(NodeId, const Until&) const override { return TrueTime::max(); }
  StoreTime store_now(StoreId) const override { return {}; }
  MonoTime mono_now(NodeId) const override { return {}; }
};

// n1 leads from the first second until `stops`, and n2 from then on.
struct Led {
  NoClocks view;
  BeliefTracker beliefs{view};
  LedTracker tracker{beliefs};
  void note(std::int64_t second, std::uint32_t node, const Note& note) {
    const Record record = Noted{{NodeId{node}, 1}, note};
    beliefs.see(at_second(second), record);
    tracker.see(at_second(second), record);
  }
  explicit Led(std::int64_t stops) {
    note(1, 0, Believes{ResourceId{}, std::nullopt, Open{}});
    note(stops, 0, StepsDown{ResourceId{}, "test"});
    note(stops, 1, Believes{ResourceId{}, std::nullopt, Open{}});
    beliefs.advance(at_second(10'000));
    tracker.finish();
  }
};

TEST(Excuses, a_fault_of_somebody_who_had_no_part_excuses_nothing) {
  const Led led(60);
  const auto inside_of = [&](const std::string& target, const Violation& violation) {
    return inside(small(fault_on("20s", target, kFreeze)), "no-lost-fire", violation, &led.tracker);
  };
  EXPECT_FALSE(inside_of("n1", wrong(at_second(25), at_second(30)))) << "it led";
  EXPECT_TRUE(inside_of("n2", wrong(at_second(25), at_second(30)))) << "a standby";
  EXPECT_FALSE(inside_of("n2", wrong(at_second(58), at_second(70)))) << "it came to lead";
  EXPECT_TRUE(inside_of("n3", wrong(at_second(25), at_second(100)))) << "it never led";
  EXPECT_FALSE(inside_of("n3", wrong(at_second(0), at_second(30)))) << "nobody else led all the while";
  Violation named = wrong(at_second(25), at_second(30));
  named.who = {{NodeId{2}, 1}};
  EXPECT_FALSE(inside_of("n3", named));
}

TEST(Excuses, what_excuses_the_first_of_many_need_not_excuse_the_last) {
  const std::string text = small(fault_on("20s", "n1", kFreeze));
  Violation many = wrong(at_second(25), at_second(30));
  EXPECT_FALSE(inside(text, "no-lost-fire", many));
  many.last = at_second(31);
  EXPECT_FALSE(inside(text, "no-lost-fire", many));
  many.last = at_second(10'000);
  EXPECT_TRUE(inside(text, "no-lost-fire", many));
}

// ---- the bounds of every part ------------------------------------------------------------------------------

TEST(Claims, a_scheduler_is_judged_by_its_own_timeout_and_its_election_by_its_own) {
  const Violation late = wrong(at_second(61), at_second(61));
  const std::string text = small(loss("0.5", "peers = \"store\"\n"), "heartbeat-lock", "ticker");
  EXPECT_TRUE(inside(text, "one-believer", late)) << "30 s are enough";
  EXPECT_FALSE(inside(text, "no-duplicate-fire", late)) << "3 s are not";
  EXPECT_TRUE(inside(small(loss("0.5", "peers = \"store\"\ndirection = \"to\"\n") +
                               "[scheduling]\nrequest_timeout = \"13s\"\n",
                           "heartbeat-lock", "ticker"),
                     "no-duplicate-fire", late));
}

TEST(Claims, a_scheduler_is_judged_by_its_own_bound_of_drift) {
  const std::string clock =
      "[[instance]]\nnames = [\"n1\"]\nclock = { rate_ppm = 400 }\n[scheduling]\nmax_clock_drift_ppm = ";
  const Violation any = wrong(at_second(61), at_second(61));
  for (const char* invariant : {"no-lost-fire", "caught-up"}) {
    EXPECT_TRUE(inside(small(clock + "400\n"), invariant, any)) << invariant;
    EXPECT_FALSE(inside(small(clock + "399\n"), invariant, any)) << invariant;
  }
  EXPECT_TRUE(inside(small(clock + "399\n"), "one-believer", any));
  const std::string fault =
      fault_on("20s", "n1", "action = \"clock-rate\"\nrate_ppm = 400\nduration = \"60s\"") +
      "[scheduling]\nmax_clock_drift_ppm = ";
  EXPECT_TRUE(inside(small(fault + "400\n"), "no-lost-fire", any));
  EXPECT_FALSE(inside(small(fault + "399\n"), "no-lost-fire", any));
}

// ---- a scheduler on an election ----------------------------------------------------------------------------

TEST(Claims, fair_weather_is_no_weather_where_leadership_goes_round) {
  const Violation any = wrong(at_second(61), at_second(61));
  for (const char* invariant : {"no-duplicate-fire", "acts-within-belief", "caught-up"}) {
    EXPECT_FALSE(inside(small("", "token-ring", "ticker"), invariant, any)) << invariant;
    EXPECT_TRUE(inside(small("", "fenced-lease", "ticker"), invariant, any)) << invariant;
  }
  EXPECT_FALSE(inside(small("", "token-ring", "in-memory"), "no-duplicate-fire", any));
}

// One slot after the other: a job that takes longer than its period falls behind, and no promise says otherwise.
TEST(Claims, a_ticker_keeps_up_only_where_its_work_is_over_before_the_next_slot) {
  const Violation any = wrong(at_second(61), at_second(61));
  const auto keeps_up = [&](const std::string& work, const std::string& scheduling) {
    const std::string text =
        small("[work]\nduration = \"" + work + "\"\n" + scheduling, "fenced-lease", "ticker");
    EXPECT_TRUE(inside(text, "no-duplicate-fire", any)) << work;
    return inside(text, "caught-up", any);
  };
  EXPECT_TRUE(keeps_up("3s", ""));
  EXPECT_FALSE(keeps_up("4s", "")) << "a tick of a second comes on top of it";
  EXPECT_FALSE(keeps_up("6s", ""));
  EXPECT_TRUE(keeps_up("6s", "[scheduling]\nadvance_first = true\n"));
}

// What is paused at the beginning may be resumed. A schedule of others says nothing of this one.
TEST(Claims, a_ticker_is_excused_by_the_slots_of_the_schedule_that_fell_behind) {
  const std::string work = "[work]\nduration = \"6s\"\n";
  const std::string resumed =
      "[[schedule]]\nname = \"paused\"\nevery = \"5s\"\npaused = true\n[[change]]\nat = "
      "\"10s\"\naction = \"resume\"\nschedule = \"paused\"\n";
  std::string text = small(work + resumed, "fenced-lease", "ticker");
  text.replace(text.find("every = \"5s\""), 12, "every = \"50s\"");  // of `job`, which keeps up
  Violation late = wrong(at_second(61), at_second(61));
  late.schedules = {ScheduleId{1}};
  EXPECT_FALSE(inside(text, "caught-up", late)) << "it was resumed";
  late.schedules = {ScheduleId{0}};
  EXPECT_TRUE(inside(text, "caught-up", late)) << "another's slots are no excuse";
}

// A scheduler rests on what its election promises, and on nothing else that an election might.
TEST(Claims, a_scheduler_makes_the_assumptions_of_its_own_election) {
  const Violation any = wrong(at_second(61), at_second(61));
  const std::string step = fault_on("20s", "n1", "action = \"clock-step\"\nby = \"9s\"");
  EXPECT_TRUE(inside(small(step, "fenced-lease", "ticker"), "no-duplicate-fire", any));
  EXPECT_FALSE(inside(small(step, "db-lease", "ticker"), "no-duplicate-fire", any));
}

}  // namespace
}  // namespace tenure::sim
