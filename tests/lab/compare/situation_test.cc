// Scenario files as situations, and designs put into them.
#include "lab/compare/situation.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

const std::string kPause = fault_of("pause", "duration = \"20s\"\n");

TEST(Situation, leaves_out_what_is_of_the_file_s_own_design) {
  const Situation it = situation(
      "[election]\nrenew_period = \"4s\"\n[scheduling]\nbatch = 3\n[expect]\nalways = "
      "[\"epochs-increase\"]\n"
      "[thresholds]\nfailover_seconds = [\"max < 30\"]\n" +
      kPause);
  const MadeCase made = make_case(it, candidate("db-lease"));
  ASSERT_TRUE(made.scenario);
  EXPECT_EQ(made.scenario->protocol->name, "db-lease");
  EXPECT_EQ(made.scenario->scheduler, nullptr);
  EXPECT_TRUE(made.scenario->schedules.empty());
  EXPECT_FALSE(made.scenario->expect.always.has_value());
  EXPECT_TRUE(made.scenario->thresholds.empty());
  EXPECT_EQ(made.scenario->faults.size(), 1U);
}

TEST(Situation, keeps_its_schedules_for_a_design_that_has_a_scheduler) {
  const MadeCase made = make_case(situation(kPause), candidate("client-go+in-memory"));
  ASSERT_TRUE(made.scenario);
  EXPECT_EQ(made.scenario->schedules.size(), 1U);
}

TEST(Situation, that_waits_for_acts_gives_an_election_that_does_nothing_a_loop_to_act_through) {
  for (const char* event : {"leadership-checked", "acts"}) {
    const Situation it = situation(std::string("[[fault]]\non = \"") + event +
                                   "\"\nnth = 3\naction = \"pause\"\ntarget = \"leader\"\nduration = "
                                   "\"20s\"\n");
    const MadeCase made = make_case(it, candidate("client-go"));
    ASSERT_TRUE(made.scenario);
    EXPECT_TRUE(made.acts_through_loop);
    EXPECT_EQ(made.scenario->scheduler->name, kActingLoop);
    EXPECT_TRUE(made.scenario->schedules.empty());
    // A design with a scheduler acts through that.
    const MadeCase own = make_case(it, candidate("client-go+in-memory"));
    EXPECT_FALSE(own.acts_through_loop);
    EXPECT_EQ(own.scenario->scheduler->name, "in-memory");
  }
  EXPECT_FALSE(make_case(situation(kPause), candidate("client-go")).acts_through_loop);
}

TEST(Situation, has_a_tail_that_the_design_can_recover_in) {
  const Situation it = situation(kPause);
  EXPECT_EQ(make_case(it, candidate("db-lease")).scenario->tail, Duration::seconds(30));
  EXPECT_GT(make_case(it, candidate("heartbeat-lock")).scenario->tail, Duration::seconds(60));
}

TEST(Situation, takes_unsafe_settings_because_they_are_what_is_compared) {
  EXPECT_TRUE(make_case(situation(kPause), candidate("client-go:3/2.9/0.2")).scenario);
}

TEST(Situation, is_stretched_to_the_design_s_own_time_and_lasts_as_much_longer) {
  const Situation it = situation(kPause + "[compare]\nstretch = \"fault.1.duration\"\npercent = 150\n");
  const MadeCase made =
      make_case(it, candidate("db-lease"), {.own_time = Duration::seconds(100), .stretched = true});
  ASSERT_TRUE(made.scenario);
  EXPECT_EQ(made.scenario->faults.front().duration->low, Duration::seconds(150));
  EXPECT_EQ(made.scenario->duration, Duration::seconds(180 + 150));
}

TEST(Situation, lasts_for_three_of_the_design_s_own_failover_times) {
  const Situation it = situation(kPause);
  const Duration own = Duration::seconds(180);
  EXPECT_EQ(make_case(it, candidate("db-lease"), {.own_time = own / 4}).scenario->duration, own);
  EXPECT_EQ(make_case(it, candidate("db-lease"), {.own_time = own}).scenario->duration, own * 3);
}

TEST(Situation, leaves_out_what_single_instances_and_deploys_set_and_what_the_file_tunes) {
  const Situation it = situation(
      "[[instance]]\nnames = [\"n2\"]\nelection = { lease_duration = \"60s\" }\nclock = { offset = \"1s\" "
      "}\n" +
          fault_of("rolling-restart", "gap = \"5s\"\nwith = { election = { lease_duration = \"6s\" } }\n",
                   "all") +
          "[tune]\nseeds = 5\n[tune.election]\nlease_duration = [\"6s\", \"9s\"]\n",
      "5m");
  const MadeCase made = make_case(it, candidate("db-lease"));
  ASSERT_TRUE(made.scenario) << made.not_applicable;
  EXPECT_EQ(made.scenario->instances.at(1).clock.offset.low, Duration::seconds(1));
}

TEST(Situation, is_stretched_backwards_where_it_says_so) {
  const Situation it = situation(fault_of("clock-step", "by = \"-1s\"\n") +
                                 "[compare]\nstretch = \"fault.1.by\"\npercent = 100\nwrite = \"-{}\"\n");
  const MadeCase made =
      make_case(it, candidate("db-lease"), {.own_time = Duration::seconds(7), .stretched = true});
  ASSERT_TRUE(made.scenario);
  const auto& by = made.scenario->faults.front().parameters.front();
  EXPECT_EQ(std::get<sim::Range<Duration>>(by.value).low, Duration::seconds(-7));
}

TEST(Situation, that_stretches_what_is_no_duration_is_refused_at_its_place) {
  for (const std::string key : {"fault.2.duration", "cluster.instances", "fault.1.length", "fault.1.at",
                                "sim.duration", "election.lease_duration"}) {
    const ReadSituation read =
        read_situation(situation_file(kPause + "[compare]\nstretch = \"" + key + "\"\n"));
    EXPECT_FALSE(read.situation) << key;
    ASSERT_EQ(read.problems.size(), 1U) << key;
    EXPECT_NE(read.problems.front().message.find("nothing that can be stretched"), std::string::npos);
    EXPECT_GT(read.problems.front().line, 10);
  }
}

TEST(Situation, is_not_applicable_where_its_fault_has_nothing_to_act_on) {
  const MadeCase made =
      make_case(situation(fault_of("store-down", "duration = \"20s\"\n", "")), candidate("token-ring"));
  EXPECT_FALSE(made.scenario);
  EXPECT_NE(made.not_applicable.find("uses no store"), std::string::npos) << made.not_applicable;
  EXPECT_TRUE(made.problems.empty());
}

TEST(Situation, says_what_is_wrong_with_a_design_in_any_situation) {
  const MadeCase made = make_case(situation(kPause), candidate("db-lease:lock_duration=soon"));
  EXPECT_FALSE(made.scenario);
  EXPECT_TRUE(made.not_applicable.empty());
  ASSERT_FALSE(made.problems.empty());
  EXPECT_NE(made.problems.front().where.find("lock_duration=soon"), std::string::npos);
}

TEST(Situation, with_more_standbys_is_the_same_with_more_instances) {
  EXPECT_EQ(
      make_case(situation(kPause), candidate("db-lease"), {.instances = kCrowd}).scenario->instances.size(),
      11U);
}

TEST(Situation, that_is_no_scenario_says_why) {
  const ReadSituation read = read_situation(situation_file("[[fault]]\naction = \"kil\"\nat = \"1m\"\n"));
  EXPECT_FALSE(read.situation);
  EXPECT_FALSE(read.problems.empty());
}

}  // namespace
}  // namespace tenure::lab
