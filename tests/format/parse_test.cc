#include "format/parse/parse.h"

#include <gtest/gtest.h>

#include <string>

#include "format/parse/tail.h"
#include "format/syntax/units.h"
#include "tests/format/good_files.h"
#include "tests/support/zones.h"

namespace tenure::format {
namespace {

sim::Scenario parsed(const std::string& text, const std::vector<Override>& sets = {}) {
  ParseResult result = parse_scenario("x.toml", text, sets, tenure::testing::few_zones());
  std::string errors;
  for (const Diagnostic& diagnostic : result.diagnostics) errors += render(diagnostic);
  EXPECT_TRUE(result.scenario) << errors;
  return result.scenario ? *result.scenario : sim::Scenario{};
}

TEST(Parse, instances_override_some_parameters_and_keep_the_others) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  ASSERT_EQ(scenario.instances.size(), 5u);
  const sim::InstanceSetting& third = scenario.instances[2];
  EXPECT_EQ(third.election.duration("lease_duration"), Duration::seconds(60));
  EXPECT_EQ(third.election.duration("retry_period"), Duration::seconds(3));
  EXPECT_EQ(third.clock.offset.low, Duration::seconds(10));
  EXPECT_EQ(third.clock.rate_ppm, (sim::Range<std::int64_t>{-200, 200})) << "of [cluster]";
  EXPECT_EQ(scenario.instances[1].clock.rate_ppm, (sim::Range<std::int64_t>{-300, -300}));
  EXPECT_EQ(scenario.instances[1].clock.offset,
            (sim::Range<Duration>{-Duration::millis(50), Duration::millis(50)}));
  EXPECT_EQ(scenario.instances[0].election.duration("lease_duration"), Duration::seconds(30));
}

TEST(Parse, a_rolling_restart_brings_settings_over_those_of_the_file) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  const auto& with = scenario.faults[3].with_election;
  ASSERT_TRUE(with);
  EXPECT_EQ(with->duration("lease_duration"), Duration::seconds(40));
  EXPECT_EQ(with->duration("renew_period"), Duration::seconds(27));
}

TEST(Parse, quantiles_have_half_the_median_and_the_largest_as_their_ends) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  using Point = sim::Quantiles::Point;
  EXPECT_EQ(scenario.work.duration.points(), (std::vector<Point>{{0, Duration::seconds(1)},
                                                                 {500'000, Duration::seconds(2)},
                                                                 {990'000, Duration::seconds(30)},
                                                                 {1'000'000, Duration::seconds(30)}}));
}

TEST(Parse, what_events_carry_is_said_of_schedules_and_of_creations) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  EXPECT_EQ(scenario.schedules.back().payload, (sim::PayloadSetting{"mail", "order.created", 65'536}));
  EXPECT_EQ(scenario.schedules.front().payload, sim::PayloadSetting{});
  EXPECT_EQ(scenario.changes.back().payload, (sim::PayloadSetting{"mail", "mail", 1}));
}

TEST(Parse, changes_are_in_the_order_of_time_and_merge_over_what_was) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  ASSERT_EQ(scenario.changes.size(), 12u);
  EXPECT_EQ(scenario.changes[0].action, sim::ChangeAction::resume);
  const sim::ChangeSetting& update = scenario.changes[1];
  EXPECT_EQ(std::get<Interval>(update.definition.recurrence).period, Duration::seconds(20));
  EXPECT_EQ(update.definition.misfire.policy, Misfire::Policy::fire_once);
  EXPECT_EQ(update.definition.misfire.grace, Duration::seconds(90));
  EXPECT_FALSE(update.definition.paused) << "it was resumed before";
}

TEST(Parse, a_schedule_made_anew_under_an_old_name_is_another_one) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  EXPECT_EQ(scenario.schedules.size(), 11u);
  EXPECT_EQ(scenario.changes[2].schedule, ScheduleId{11});
  EXPECT_EQ(scenario.changes[3].schedule, ScheduleId{11});
  EXPECT_EQ(scenario.changes[4].schedule, ScheduleId{12});
  EXPECT_EQ(std::get<Interval>(scenario.changes[4].definition.recurrence).start.ns(), scenario.start_ns);
  EXPECT_EQ(scenario.changes[5].schedule, ScheduleId{2}) << "many-2";
}

TEST(Parse, count_makes_many) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  EXPECT_EQ(scenario.schedules[1].name, "many-1");
  EXPECT_EQ(scenario.schedules[3].name, "many-3");
  EXPECT_EQ(scenario.schedules[1].definition, scenario.schedules[3].definition);
}

TEST(Parse, faults_have_their_place_as_their_id_and_every_parameter) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  EXPECT_EQ(scenario.faults[0].id, 1u);
  EXPECT_EQ(scenario.faults[4].id, 0x9f3c21a07be4d815u);
  EXPECT_EQ(scenario.faults[5].id, 77u);
  EXPECT_EQ(scenario.faults[6].id, 7u);
  ASSERT_EQ(scenario.faults[6].parameters.size(), 3u);
  EXPECT_EQ(scenario.faults[6].parameters[0], (sim::FaultParameter{"rate", std::int64_t{250'000}}));
  EXPECT_EQ(scenario.faults[6].parameters[1], (sim::FaultParameter{"direction", std::string("both")}))
      << "by default";
  EXPECT_EQ(scenario.faults[4].target.nodes, (std::vector<NodeId>{NodeId{4}, NodeId{0}}));
}

TEST(Parse, thresholds_are_exact_and_in_one_spelling) {
  const sim::Scenario scenario = parsed(good_file("every-key"));
  EXPECT_EQ(scenario.thresholds[0].percentile_ppm, 900'000);
  EXPECT_EQ(scenario.thresholds[1].text, "max <= 30.5");
  EXPECT_EQ(scenario.thresholds[1].bound_nano, 30'500'000'000);
  EXPECT_TRUE(scenario.thresholds[1].or_equal);
  EXPECT_EQ(scenario.thresholds[2].percentile_ppm, 999'000);
  EXPECT_EQ(scenario.thresholds[2].bound_nano, 1'000'000);
  EXPECT_FALSE(scenario.thresholds[2].less);
}

TEST(Parse, overrides_count_before_anything_is_judged) {
  const std::string text = good_file("smallest");
  EXPECT_EQ(
      parsed(text, {{"election.lease_duration", "20s"}}).instances[2].election.duration("lease_duration"),
      Duration::seconds(20));
  EXPECT_EQ(parsed(text, {{"cluster.instances", "5"}}).instances.size(), 5u);
  EXPECT_EQ(parsed(text, {{"sim.seed", "7"}}).seed, 7u);
  EXPECT_EQ(parsed(good_file("every-key"), {{"fault.1.duration", "30s"}}).faults[0].duration->low,
            Duration::seconds(30));
}

TEST(Parse, the_sample_of_the_format_is_good_in_its_intervals) {
  // A tail of one longest lease is enough where another instance has a shorter one.
  const std::string text =
      good_file("smallest") + "[[instance]]\nnames = [\"n3\"]\nelection.lease_duration = \"60s\"\n";
  EXPECT_EQ(needed_tail(parsed(text)), Duration::seconds(60));
  EXPECT_FALSE(parse_scenario("x", text, std::vector<Override>{{"sim.tail", "59s"}}).scenario);
}

// With the defaults: 26.3 s to elect, 3.2 s for a request that fails, 15 s for a lease that counts once more, 69.2 s
// for a hold and its ends.
TEST(Parse, a_tail_has_room_for_what_faults_leave_behind) {
  const std::string cluster =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"2m\"\n[cluster]\ninstances = 2\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n";
  const std::string failover = "[[fault]]\nat = \"10s\"\naction = \"store-failover\"\n";
  const std::string alarm = "[[fault]]\nat = \"5s\"\naction = \"clock-freeze\"\ntarget = \"n1\"\n";
  const std::string job = "[[schedule]]\nname = \"job\"\nevery = \"5s\"\n";
  EXPECT_EQ(needed_tail(parsed(cluster)), Duration::millis(26'300));
  EXPECT_EQ(needed_tail(parsed(cluster + job)), Duration::millis(29'500));
  EXPECT_EQ(needed_tail(parsed(cluster + job + failover)), Duration::millis(44'500));
  EXPECT_EQ(needed_tail(parsed(cluster + job + alarm)), Duration::millis(95'500));
  EXPECT_EQ(needed_tail(parsed(cluster + job + failover + alarm)), Duration::millis(110'500));
}

// What is paused is recorded in steps of 10 s, and what a client asks for is found at the next poll, at the latest.
TEST(Parse, a_tail_has_room_for_what_the_scheduler_needs) {
  const std::string cluster =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\ninstances = 2\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
      "[[schedule]]\nname = \"job\"\nevery = \"5s\"\n";
  const std::string pause = "[[change]]\nat = \"30s\"\naction = \"pause\"\nschedule = \"job\"\n";
  const std::string trigger = "[[change]]\nat = \"30s\"\naction = \"trigger\"\nschedule = \"job\"\n";
  EXPECT_EQ(needed_tail(parsed(cluster + "paused = true\n")), Duration::millis(39'500));
  EXPECT_EQ(needed_tail(parsed(cluster + pause)), Duration::millis(44'500));
  EXPECT_EQ(needed_tail(parsed(cluster + trigger + "[scheduling]\npoll_period = \"10m\"\n")),
            Duration::millis(629'500));
  EXPECT_EQ(needed_tail(parsed(cluster + "[scheduling]\naccept = [\"stall-within-requests\"]\n" +
                               "request_timeout = \"10s\"\n")),
            Duration::millis(36'500));
}

// One request is slowed down by faults that are in force at once. A strike of a fault adds nothing to the one before.
TEST(Parse, a_tail_has_room_for_the_delays_that_come_together) {
  const std::string cluster =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"10m\"\ntail = \"2m\"\n[cluster]\ninstances = 2\n"
      "protocol = \"fenced-lease\"\n";
  const auto slow = [](const std::string& when) {
    return "[[fault]]\naction = \"store-slow\"\nlatency = \"5s\"\nduration = \"20s\"\n" + when + "\n";
  };
  const Duration without = needed_tail(parsed(cluster));
  const auto added = [&](const std::string& faults) {
    return needed_tail(parsed(cluster + faults)) - without;
  };
  EXPECT_EQ(added(slow("at = \"1m\"")), Duration::seconds(5));
  EXPECT_EQ(added(slow("at = \"1m\"") + slow("at = \"81s\"") + slow("at = \"5m\"")), Duration::seconds(5));
  EXPECT_EQ(added(slow("at = \"1m\"") + slow("at = \"80s\"")), Duration::seconds(10))
      << "one ends as one begins";
  EXPECT_EQ(added(slow("at = \"1m..5m\"") + slow("at = \"310s\"")), Duration::seconds(10));
  EXPECT_EQ(added(slow("every = \"50s..60s\"")), Duration::seconds(5));
  EXPECT_EQ(added(slow("every = \"50s..60s\"") + slow("on = \"granted\"\nnth = 3")), Duration::seconds(10));
}

// A leader that could do nothing lets the others go first for stall_timeout; nobody is kept from the store by a crash.
TEST(Parse, a_tail_has_room_for_a_leader_that_steps_aside) {
  const std::string cluster =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"2m\"\ntail = \"1h\"\n[cluster]\ninstances = 1\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
      "[[schedule]]\nname = \"job\"\nevery = \"5s\"\n[[fault]]\nat = \"10s\"\ntarget = \"n1\"\n";
  const auto needed = [&](const std::string& fault, const std::string& stall) {
    return needed_tail(
        parsed(cluster + "action = \"" + fault + "\"\n[scheduling]\nstall_timeout = \"" + stall + "\"\n"));
  };
  EXPECT_EQ(needed("rights-lost", "50s"), Duration::millis(57'400));
  EXPECT_EQ(needed("rights-lost", "15s"), Duration::millis(29'500)) << "the election takes longer";
  EXPECT_EQ(needed("rights-lost", "2m"), Duration::millis(29'500)) << "nobody is stuck for so long";
  EXPECT_EQ(needed("kill", "50s"), Duration::millis(29'500));
}

TEST(Parse, what_breaks_no_claim_is_warned_of_until_it_is_accepted) {
  const std::string file =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\ninstances = 2\n"
      "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n[scheduling]\npoll_period = \"2m\"\n";
  const std::vector<std::string> said = parsed(file).warnings;
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said.front(),
            "unsafe: clock_hold (60s) is shorter than poll_period (120s): after a jump of the store's clock, "
            "the next look "
            "at it ends the hold; accept = [\"hold-within-a-poll\"] in [scheduling] takes it on purpose");
  EXPECT_TRUE(parsed(file + "accept = [\"hold-within-a-poll\"]\n").warnings.empty());
}

// The leader of the last one was measured: it carries 8 schedules of a second, and not 9.
TEST(Parse, a_store_that_is_too_slow_for_the_schedules_is_warned_of) {
  const auto warnings = [](int schedules, const std::string& more) {
    return parsed(fmt::format("format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\n"
                              "instances = 1\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
                              "[scheduling]\nbatch = 1\n[store]\nlatency = \"100ms\"\n"
                              "[[schedule]]\nname = \"a\"\ncount = {}\nevery = \"1s\"\n{}",
                              schedules, more))
        .warnings;
  };
  EXPECT_TRUE(warnings(8, "").empty());
  ASSERT_EQ(warnings(9, "").size(), 1u);
  EXPECT_NE(warnings(9, "").front().find("9.0 slots a second"), std::string::npos);
  EXPECT_TRUE(warnings(20, "end = \"2026-01-01T00:00:30Z\"\n").empty()) << "it has an hour for them";
  EXPECT_TRUE(warnings(1, "overlap = \"skip\"\n").empty());
  const auto often =
      warnings(1, "overlap = \"skip\"\n[[schedule]]\nname = \"b\"\nevery = \"110ms\"\noverlap = \"skip\"\n");
  ASSERT_EQ(often.size(), 2u);
  EXPECT_NE(often[1].find("`b` has a slot every 110ms"), std::string::npos);
}

// A load that lasts to the end counts from when a client made it.
TEST(Parse, schedules_that_clients_make_too_frequent_for_the_store_are_warned_of) {
  const auto warnings = [](const std::string& changes) {
    return parsed(
               "format = 1\nname = \"x\"\n[sim]\nduration = \"1h\"\ntail = \"1h\"\n[cluster]\n"
               "instances = 1\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
               "[scheduling]\nbatch = 1\n[store]\nlatency = \"100ms\"\n"
               "[[schedule]]\nname = \"a\"\nevery = \"1m\"\n" +
               changes)
        .warnings;
  };
  const auto change = [](const char* at, const char* action, const char* schedule, const char* more) {
    return fmt::format("[[change]]\nat = \"{}\"\naction = \"{}\"\nschedule = \"{}\"\n{}", at, action,
                       schedule, more);
  };
  EXPECT_TRUE(warnings("").empty());
  ASSERT_EQ(warnings(change("59m", "update", "a", "every = \"100ms\"\n")).size(), 1u);
  EXPECT_NE(warnings(change("59m", "update", "a", "every = \"100ms\"\n")).front().find("10.0 slots a second"),
            std::string::npos);
  const std::string created = change("50m", "create", "b", "every = \"100ms\"\noverlap = \"skip\"\n");
  ASSERT_EQ(warnings(created).size(), 2u);
  EXPECT_NE(warnings(created)[1].find("`b` has a slot every 100ms"), std::string::npos);
  EXPECT_TRUE(warnings(change("50m", "create", "b", "every = \"100ms\"\n") + change("51m", "delete", "b", ""))
                  .empty())
      << "it has an hour for them";
  EXPECT_TRUE(warnings(change("50m", "create", "b", "every = \"100ms\"\n") + change("51m", "pause", "b", ""))
                  .empty());
}

// Each page of what is due takes a turn of the leader. Measured: with 120 schedules at each second fires are up to 23 s
// late, and with 130 up to 37 s: caught-up fails.
TEST(Parse, a_store_that_is_too_slow_for_reading_ahead_is_warned_of) {
  const auto warnings = [](int many) {
    std::string text =
        "format = 1\nname = \"x\"\n[sim]\nduration = \"15m\"\ntail = \"2m\"\n[cluster]\ninstances = 2\n"
        "protocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n[network]\nlatency = \"1s\"\n";
    for (int second = 0; second < 60; ++second)
      text += fmt::format(
          "[[schedule]]\nname = \"s{0}\"\ncount = {1}\nevery = \"60s\"\nstart = "
          "\"2026-01-01T00:00:{0:02}Z\"\n",
          second, many);
    return parsed(text).warnings;
  };
  EXPECT_TRUE(warnings(120).empty());
  ASSERT_EQ(warnings(130).size(), 1u);
  EXPECT_NE(warnings(130).front().find("129.9 slots a second"), std::string::npos);
}

TEST(Parse, work_that_leaves_before_a_renewal_for_too_long_is_warned_of) {
  const auto warnings = [](const char* departure) {
    return parsed(
               fmt::format("format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\n"
                           "instances = 1\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
                           "departure = \"{}\"\n[[schedule]]\nname = \"a\"\ncount = 500\nevery = \"60s\"\n",
                           departure))
        .warnings;
  };
  EXPECT_TRUE(warnings("5ms").empty());
  ASSERT_EQ(warnings("40ms").size(), 1u);
  EXPECT_NE(warnings("40ms").front().find("up to 500 pieces of work begin together, and take 20s"),
            std::string::npos);
}

// A commit takes little more than 800 ms; until the next slot its work takes as long once more, to come and to go.
TEST(Parse, slots_that_wait_for_the_way_of_their_work_are_warned_of) {
  const auto warnings = [](const char* every, const char* overlap) {
    return parsed(fmt::format("format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\n"
                              "instances = 1\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
                              "[network]\nlatency = \"400ms\"\n[[schedule]]\nname = \"a\"\nevery = \"{}\"\n"
                              "overlap = \"{}\"\n",
                              every, overlap))
        .warnings;
  };
  EXPECT_TRUE(warnings("1s", "allow").empty());
  EXPECT_EQ(warnings("1s", "skip").size(), 1u);
  EXPECT_EQ(warnings("1s", "queue_one").size(), 1u);
  EXPECT_TRUE(warnings("2s", "skip").empty());
}

TEST(Parse, a_request_timeout_that_the_store_cannot_meet_is_warned_of) {
  const auto warnings = [](const char* latency) {
    return parsed(fmt::format("format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\n"
                              "instances = 1\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
                              "[scheduling]\nrequest_timeout = \"26ms\"\n[store]\nlatency = \"{}\"\n",
                              latency))
        .warnings;
  };
  EXPECT_TRUE(warnings("20ms").empty());
  ASSERT_EQ(warnings("115ms").size(), 1u);
  EXPECT_NE(warnings("115ms").front().find("in the mean, and request_timeout is 26ms"), std::string::npos);
}

// One worker begins a piece of work for each commit, however large a batch may be.
TEST(Parse, workers_that_are_too_few_for_the_schedules_are_warned_of) {
  const auto warnings = [](const char* every, const char* work, int workers, const char* more = "") {
    return parsed(fmt::format("format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"1h\"\n[cluster]\n"
                              "instances = 1\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
                              "[scheduling]\nmax_running = {}\n[store]\nlatency = \"200ms\"\n[work]\n"
                              "duration = \"{}\"\n{}[[schedule]]\nname = \"a\"\nevery = \"{}\"\n",
                              workers, work, more, every))
        .warnings;
  };
  EXPECT_TRUE(warnings("1s", "1ms", 1).empty());
  ASSERT_EQ(warnings("200ms", "1ms", 1).size(), 1u);
  EXPECT_NE(warnings("200ms", "1ms", 1).front().find("5.0 slots a second, and this store takes"),
            std::string::npos);
  ASSERT_EQ(warnings("300ms", "100ms", 1).size(), 1u);
  EXPECT_NE(warnings("300ms", "100ms", 1).front().find("there are workers for"), std::string::npos);
  EXPECT_TRUE(warnings("300ms", "100ms", 2).empty());
  EXPECT_TRUE(warnings("300ms", "1m", 2).empty()) << "they are seen to work all the time";
  EXPECT_TRUE(warnings("500ms", "1ms", 2, "failing = 0.3\n").empty());
  ASSERT_EQ(warnings("500ms", "1ms", 2, "failing = 0.9\n").size(), 1u);
  EXPECT_NE(warnings("500ms", "1ms", 2, "failing = 0.9\n")
                .front()
                .find("work fails, and would be begun again 6.1 times"),
            std::string::npos);
}

// Who shortens the tail, or lengthens a lease, by --set is told the value that would do.
TEST(Parse, a_tail_that_is_too_short_offers_the_one_that_would_do) {
  const std::string text = good_file("smallest");
  const std::string needed = print_duration(needed_tail(parsed(text, {{"sim.tail", "1h"}})));
  const ParseResult result = parse_scenario("x", text, std::vector<Override>{{"sim.tail", "1s"}});
  ASSERT_EQ(result.diagnostics.size(), 1u);
  const std::string& hint = result.diagnostics.front().hint;
  EXPECT_NE(hint.find("--set sim.tail=" + needed), std::string::npos) << hint;
  EXPECT_TRUE(parse_scenario("x", text, std::vector<Override>{{"sim.tail", needed}}).scenario);
}

TEST(Parse, with_default_and_explicit_scheduler_none_there_is_none) {
  EXPECT_EQ(parsed(good_file("smallest"), {{"cluster.scheduler", "none"}}).scheduler, nullptr);
  EXPECT_NE(parsed(good_file("client-go")).scheduler, nullptr);
}

}  // namespace
}  // namespace tenure::format
