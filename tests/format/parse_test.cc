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
