#include "lab/live/plan.h"

#include <gtest/gtest.h>

#include <string>

#include "core/scheduler/scheduler_kind.h"
#include "lab/live/outside_world.h"

namespace tenure::lab {
namespace {

sim::Scenario with_fault(const std::string& action, sim::FaultParameter parameter = {"none", std::string()}) {
  sim::Scenario scenario;
  scenario.protocol = &kFencedLease;
  scenario.scheduler = &kFencedOutbox;
  sim::FaultSetting& fault = scenario.faults.emplace_back();
  fault.action = action;
  fault.line = 7;
  fault.parameters = {std::move(parameter)};
  return scenario;
}

std::string first(const sim::Scenario& scenario, LiveMeans means = {}) {
  const std::vector<NotLive> all = what_cannot_be_live(scenario, means);
  return all.empty() ? "" : std::to_string(all.front().line) + ": " + all.front().message;
}

const LiveMeans kServer{.has_network = true, .own_server = true, .store = "Postgres"};

TEST(LivePlan, takes_faults_of_processes_anywhere) {
  for (const char* action :
       {"kill", "restart", "stop", "rolling-restart", "crash-loop", "pause", "slow-node"})
    EXPECT_EQ(first(with_fault(action)), "") << action;
}

TEST(LivePlan, wants_a_proxy_for_faults_of_the_network) {
  for (const char* action : {"partition", "delay", "loss", "store-down", "store-hang", "store-slow",
                             "store-ack-lost", "store-request-lost", "store-session-loss"}) {
    EXPECT_EQ(first(with_fault(action)),
              "7: `" + std::string(action) + "` needs a proxy of ours before the store, and SQLite has none");
    EXPECT_EQ(first(with_fault(action), kServer), "") << action;
  }
}

TEST(LivePlan, refuses_what_nobody_can_do_with_its_line) {
  for (const char* action : {"store-clock-step", "clock-rate", "duplicate", "store-partial", "rights-lost"})
    EXPECT_EQ(first(with_fault(action), kServer),
              "7: `" + std::string(action) + "` cannot be done to real processes and stores");
  EXPECT_EQ(first(with_fault("partition", {"peers", std::string("instances")}), kServer),
            "7: instances send each other nothing: there is no link to break");
  EXPECT_EQ(first(with_fault("store-lock-held", {"mode", std::string("share")})),
            "7: SQLite has no row locks that are shared");
  EXPECT_EQ(first(with_fault("rolling-restart", {"surge", std::string("yes")})),
            "7: a deploy that brings up the next process first cannot be done live");
}

TEST(LivePlan, knows_the_clocks_of_its_own_instances_alone) {
  EXPECT_EQ(first(with_fault("vm-pause")), "");
  EXPECT_EQ(first(with_fault("vm-pause"), {.own_instances = false}),
            "7: `vm-pause` needs an instance whose clock we hand in");
  EXPECT_EQ(first(with_fault("clock-step"), {.own_instances = false}), "") << "wall clocks are preloaded";
}

OutsideWork work(std::uint64_t epoch, std::uint32_t node = 0) {
  return {NodeId{node}, epoch, {ScheduleId{1}, {}, 0}, Token{1, epoch, 0}};
}

TEST(OutsideWorld, refuses_stale_tokens_and_events_that_were_begun) {
  sim::WorkSetting setting;
  setting.duration = sim::Quantiles::constant(Duration::seconds(2));
  OutsideWorld world(setting, sim::KeyedRng(1));
  const sim::TrueTime now;
  EXPECT_FALSE(world.begin(now, work(2)));
  EXPECT_EQ(world.begin(now, work(1))->result, WorkResult::fenced);
  EXPECT_EQ(world.begin(now, work(3))->result, WorkResult::running);
  EXPECT_TRUE(world.finished(now + Duration::seconds(1)).empty());
  EXPECT_EQ(world.finished(now + Duration::seconds(2)).front().result, WorkResult::done);
  EXPECT_EQ(world.begin(now, work(3))->result, WorkResult::duplicate);
  EXPECT_EQ(world.doubled(), 0u);
}

TEST(OutsideWorld, counts_events_begun_twice_where_ids_do_not_count) {
  sim::WorkSetting setting;
  setting.honours_event_id = false;
  OutsideWorld world(setting, sim::KeyedRng(1));
  EXPECT_FALSE(world.begin({}, work(1)));
  world.ended(NodeId{0});
  EXPECT_FALSE(world.begin({}, work(2, 1)));
  EXPECT_EQ(world.doubled(), 1u);
}

}  // namespace
}  // namespace tenure::lab
