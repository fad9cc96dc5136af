// Every fault of the registry, in a whole run: it strikes, it matters, it ends, and what it broke is whole again.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/faults/engine.h"
#include "sim/faults/plan.h"
#include "sim/faults/registry.h"
#include "sim/world/world.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

// The parameters that a fault must be given, and a target if it takes one.
std::string table_for(const FaultKind& kind, bool drawn) {
  std::string text =
      kind.acts == FaultKind::Acts::on_destinations
          ? "[[destination]]\nname = \"crm\"\n[[schedule]]\nname = \"orders\"\nevery = \"1s\"\n"
            "destination = \"crm\"\nback_off_max = \"5s\"\n"
      : kind.acts == FaultKind::Acts::on_workers
          ? "[[worker]]\nname = \"mailer\"\nclaim = \"5s\"\nheartbeat = \"2s\"\n[[schedule]]\n"
            "name = \"orders\"\nevery = \"1s\"\ndelivery = \"pull\"\nattempts = 3\nback_off_max = \"5s\"\n"
          : "";
  text += "[[fault]]\naction = \"" + std::string(kind.name) + "\"\n";
  // Sessions are worth losing while something is under way on them.
  const bool in_a_commit = kind.name == "store-session-loss";
  text += drawn         ? "every = { p50 = \"20s\", max = \"40s\" }\n"
          : in_a_commit ? "on = \"leadership-checked\"\nnth = 6\nafter = \"100us\"\n"
                        : "at = \"31s\"\n";
  if (strikes_nodes(kind)) text += drawn ? "target = \"one\"\n" : "target = \"leader\"\n";
  if (kind.lasts) text += drawn ? "duration = \"1s..20s\"\n" : "duration = \"20s\"\n";
  for (const FaultParameterSpec& parameter : kind.parameters) {
    if (!parameter.required()) continue;
    switch (parameter.type) {
      case FaultParameterSpec::Type::duration: text += std::string(parameter.name) + " = \"2s..4s\"\n"; break;
      case FaultParameterSpec::Type::ppm: text += std::string(parameter.name) + " = \"1000..2000\"\n"; break;
      case FaultParameterSpec::Type::fraction: text += std::string(parameter.name) + " = 0.5\n"; break;
      case FaultParameterSpec::Type::choice:
      case FaultParameterSpec::Type::destination:
      case FaultParameterSpec::Type::worker: break;
    }
  }
  return text;
}

// Token-ring is the protocol that talks to its peers, fenced-lease the one that talks to the store.
std::string world_for(const FaultKind& kind) {
  const bool messages_only = kind.name == "duplicate";
  return messages_only ? small(table_for(kind, false), "token-ring", "none") : small(table_for(kind, false));
}

// When something was heard, executed, or done: what a fault changes if it changes anything.
struct Answers : Observer {
  void see(TrueTime now, const Record& record) override {
    if (!std::holds_alternative<FaultBegan>(record) && !std::holds_alternative<FaultEnded>(record))
      times.push_back(now);
  }
  std::vector<TrueTime> times;
};

class EveryFault : public ::testing::TestWithParam<std::string> {
 protected:
  const FaultKind& kind() const { return *find_fault_kind(GetParam()); }
};

TEST_P(EveryFault, strikes_and_changes_what_happens) {
  Scenario with = parsed(world_for(kind()));
  Scenario without = with;
  without.faults.clear();
  const RunResult struck = run(with, 7);
  ASSERT_EQ(struck.faults.size(), 1U);
  EXPECT_TRUE(struck.faults[0].skipped.empty()) << struck.faults[0].skipped;
  // A step of a wall clock that nobody reads is the one fault that may leave no trace but its own. Requests that are
  // answered early are made up for by as many others, so the number of events alone does not tell.
  if (kind().name != "clock-step") {
    Answers with_it;
    Answers without_it;
    run(with, 7, {.trace = &with_it});
    const RunResult quiet = run(without, 7, {.trace = &without_it});
    EXPECT_TRUE(struck.events != quiet.events || with_it.times != without_it.times);
  }
  EXPECT_NE(struck.trace_hash, run(without, 7).trace_hash);
}

TEST_P(EveryFault, is_survived_by_the_house_protocol) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    // A drawn one may find nothing to do, and beyond its claims fenced-lease may have two believers.
    const RunResult result = run(parsed(small(table_for(kind(), seed % 2 == 0) +
                                              "optional = true\n[expect]\nbeliever_overlap = \"report\"\n")),
                                 seed);
    EXPECT_EQ(result.verdict, Verdict::pass) << "seed " << seed;
  }
}

TEST_P(EveryFault, leaves_every_instance_running_unpaused_and_connected_after_the_heal) {
  // Until the heal: no duration.
  std::string table = table_for(kind(), false);
  const auto at = table.find("duration = \"20s\"\n");
  if (at != std::string::npos) table.erase(at, std::string("duration = \"20s\"\n").size());
  const Scenario scenario = parsed(small(table));
  World world(scenario, 3);
  const std::vector<FaultSetting> plan = draw_plan(scenario, world.rng());
  FaultEngine engine(world, plan);
  world.add_observer(engine);
  world.begin();
  engine.begin();
  world.run_to(TrueTime{} + scenario.duration);
  engine.heal();
  world.run_to(TrueTime{} + scenario.duration + scenario.tail);
  int believers = 0;
  for (std::uint32_t i = 0; i < world.node_count(); ++i) {
    EXPECT_TRUE(world.process(NodeId{i}).alive());
    EXPECT_FALSE(world.process(NodeId{i}).paused());
    believers += world.process(NodeId{i}).believes() ? 1 : 0;
  }
  EXPECT_EQ(believers, 1);
}

// Else it is drawn for elections without one, where it never strikes.
TEST_P(EveryFault, of_a_store_says_that_it_needs_one) {
  const FaultFamily family = kind().family;
  const bool of_store =
      family == FaultFamily::store || family == FaultFamily::store_clock || family == FaultFamily::failover;
  EXPECT_TRUE(!of_store || kind().acts == FaultKind::Acts::on_store || kind().needs_store);
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  // Our own protocols have no queue and no etcd (tests/designs has those that are struck).
  for (const FaultKind& kind : fault_kinds())
    if (!kind.needs_redelivery && !kind.needs_cluster) result.emplace_back(kind.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryFault, ::testing::ValuesIn(names()), [](const auto& row) {
  std::string name = row.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(FaultEngine, refuses_a_redelivery_by_a_store_that_delivers_nothing) {
  const format::ParseResult refused =
      format::parse_scenario("test.toml", small("[[fault]]\nat = \"10s\"\naction = \"store-redelivery\"\n"));
  ASSERT_EQ(refused.diagnostics.size(), 1U);
  EXPECT_EQ(refused.diagnostics.front().message,
            "`store-redelivery` delivers again, and reference delivers nothing");
}

TEST(FaultEngine, refuses_to_part_a_store_of_one_server) {
  const format::ParseResult refused = format::parse_scenario(
      "test.toml", small("[[fault]]\nat = \"10s\"\naction = \"store-minority\"\ntarget = \"n1\"\n"));
  ASSERT_EQ(refused.diagnostics.size(), 1U);
  EXPECT_EQ(refused.diagnostics.front().message,
            "`store-minority` parts the servers of a store, and reference has no such servers");
}

TEST(FaultEngine, reports_a_fault_whose_target_matches_nobody) {
  const std::string kill_all =
      "[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"all\"\nduration = \"20s\"\n";
  const std::string pause =
      "[[fault]]\nat = \"15s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"5s\"\n";
  const RunResult result = run(parsed(small(kill_all + pause)), 1);
  ASSERT_EQ(result.faults.size(), 2U);
  EXPECT_FALSE(result.faults[1].skipped.empty());
}

TEST(FaultEngine, says_how_often_the_event_came_that_a_fault_waited_for) {
  const auto why = [](const std::string& when) {
    const std::string kill = "[[fault]]\naction = \"kill\"\ntarget = \"leader\"\nduration = \"5s\"\n";
    const RunResult result = run(parsed(small(kill + when)), 1);
    EXPECT_EQ(result.faults.size(), 1U);
    return result.faults.front().skipped;
  };
  EXPECT_EQ(why("on = \"leads\"\nnth = 1000\n"), "`leads` happened 1 of 1000 times");
  EXPECT_EQ(why("on = \"alarm\"\nnth = 2\n"), "`alarm` happened 0 of 2 times");
  EXPECT_EQ(why("on = \"alarm\"\n"), "`alarm` never happened");
  EXPECT_EQ(why("on = \"alarm\"\nnth = \"all\"\n"), "`alarm` never happened");
  EXPECT_EQ(why("on = \"leads\"\nafter = \"1h\"\n"), "the faults were over within 3600s of `leads`");
}

// So nothing that happens afterwards is put down to it.
TEST(FaultEngine, reports_a_fault_that_changes_nothing) {
  for (const char* rest :
       {"action = \"store-clock-step\"\nby = \"0s\"", "action = \"clock-step\"\nby = \"0s\"\ntarget = \"n1\"",
        "action = \"loss\"\nrate = 0", "action = \"delay\"\nlatency = \"0s\"",
        "action = \"store-slow\"\nlatency = \"0s\"", "action = \"store-ack-lost\"\nrate = 0",
        "action = \"slow-node\"\nby = \"0s\"\ntarget = \"n1\"", "action = \"store-partial\"\nrate = 0",
        "action = \"clock-rate\"\nrate_ppm = 0\ntarget = \"n1\""}) {
    const std::string fault = "[[fault]]\nat = \"60s\"\n" + std::string(rest) + "\n";
    const RunResult result = run(parsed(small(fault)), 1);
    ASSERT_EQ(result.faults.size(), 1U) << rest;
    EXPECT_EQ(result.faults.front().skipped, "it changes nothing") << rest;
    EXPECT_EQ(result.verdict, Verdict::inconclusive) << rest;
  }
}

// Ids of drawn strikes are noise to a reader.
TEST(FaultLog, names_a_strike_by_its_place_in_the_file_and_its_ordinal) {
  const RunResult result = run(parsed(small("[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"n1\"\n"
                                            "[[fault]]\nevery = \"20s\"\naction = \"kill\"\ntarget = "
                                            "\"n1\"\nduration = \"1s\"\n")),
                               1);
  ASSERT_GE(result.faults.size(), 4U);
  EXPECT_EQ(name_of(result.faults[0]), "fault 1");
  EXPECT_EQ(name_of(result.faults[1]), "fault 2, strike 1");
  EXPECT_EQ(name_of(result.faults[3]), "fault 2, strike 3");
  EXPECT_EQ(result.faults[3].skipped, "its target is down already");
  EXPECT_EQ(result.faults[3].action, "kill");
}

TEST(FaultEngine, a_deploy_goes_on_although_another_stop_struck_the_node_that_it_was_stopping) {
  const std::string faults =
      "[work]\nduration = \"8s\"\n"
      "[[fault]]\nat = \"60s\"\naction = \"rolling-restart\"\ngrace = \"10s\"\ngap = \"5s\"\n"
      "[[fault]]\nat = \"60500ms\"\naction = \"stop\"\ntarget = \"n1\"\ngrace = \"10s\"\nduration = \"3s\"\n";
  struct Starts : Observer {
    void see(TrueTime, const Record& record) override {
      if (const auto* started = std::get_if<NodeStarted>(&record))
        if (started->who.number == 2) again.insert(started->who.node);
    }
    std::set<NodeId> again;
  } starts;
  run(parsed(small(faults)), 1, {.trace = &starts});
  EXPECT_EQ(starts.again.size(), 3U);
}

// A fault on everybody covers each link in both of its directions, and still once.
TEST(FaultEngine, a_delay_of_everybody_delays_each_message_once) {
  const std::string quiet = "[network]\nlatency = \"1ms\"\n";
  const std::string delay = "[[fault]]\nat = \"30s\"\naction = \"delay\"\nlatency = \"100ms\"\n";
  struct Handovers : Observer {
    void see(TrueTime now, const Record& record) override {
      const auto* noted = std::get_if<Noted>(&record);
      if (noted == nullptr || now < TrueTime{} + Duration::seconds(40) ||
          now > TrueTime{} + Duration::seconds(60))
        return;
      if (std::holds_alternative<StepsDown>(noted->note)) given = now;
      if (std::holds_alternative<Believes>(noted->note) && given > TrueTime{}) {
        longest = std::max(longest, now - given);
        ++count;
      }
    }
    TrueTime given;
    Duration longest;
    int count = 0;
  } handovers;
  run(parsed(small(quiet + delay, "token-ring", "none")), 1, {.trace = &handovers});
  EXPECT_GT(handovers.count, 5);
  EXPECT_GE(handovers.longest, Duration::millis(101));
  EXPECT_LT(handovers.longest, Duration::millis(102));
}

TEST(FaultEngine, clock_rates_that_overlap_add_up) {
  const std::string faults =
      "[[fault]]\nat = \"10s\"\naction = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = 200\nduration = "
      "\"20s\"\n"
      "[[fault]]\nat = \"20s\"\naction = \"clock-rate\"\ntarget = \"n1\"\nrate_ppm = 100\nduration = "
      "\"20s\"\n";
  const Scenario scenario = parsed(small(faults));
  World world(scenario, 1);
  FaultEngine engine(world, scenario.faults);
  world.add_observer(engine);
  world.begin();
  engine.begin();
  MonoTime before = world.mono_now(NodeId{0});
  const auto gained_until = [&](std::int64_t second) {
    world.run_to(TrueTime{} + Duration::seconds(second));
    const MonoTime now = world.mono_now(NodeId{0});
    return now - std::exchange(before, now);
  };
  EXPECT_EQ(gained_until(10), Duration::seconds(10));
  EXPECT_EQ(gained_until(20), Duration::seconds(10) + Duration::millis(2));
  EXPECT_EQ(gained_until(30), Duration::seconds(10) + Duration::millis(3));
  EXPECT_EQ(gained_until(40), Duration::seconds(10) + Duration::millis(1));
  EXPECT_EQ(gained_until(50), Duration::seconds(10));
}

TEST(FaultEngine, strikes_at_an_event_of_the_journal_rather_than_at_a_lucky_time) {
  struct Moments : Observer {
    void see(TrueTime now, const Record& record) override {
      if (const auto* noted = std::get_if<Noted>(&record))
        if (std::holds_alternative<LeadershipChecked>(noted->note)) checks.push_back(now);
      if (std::holds_alternative<NodePaused>(record)) paused = now;
    }
    std::vector<TrueTime> checks;
    TrueTime paused;
  } moments;
  const std::string fault =
      "[[fault]]\non = \"leadership-checked\"\nnth = 3\nafter = \"10us\"\naction = \"pause\"\ntarget = "
      "\"leader\"\n"
      "duration = \"20s\"\n";
  run(parsed(small(fault)), 1, {.trace = &moments});
  ASSERT_GE(moments.checks.size(), 3U);
  EXPECT_EQ(moments.paused, moments.checks[2] + Duration::micros(10));
}

// What has been asked for has not left yet: it leaves when the node goes on.
TEST(FaultEngine, strikes_as_a_leader_acts_before_that_has_left) {
  struct Moments : Observer {
    void see(TrueTime now, const Record& record) override {
      if (std::holds_alternative<WorkAsked>(record) || std::holds_alternative<WriteAsked>(record))
        asked.push_back(now);
      if (const auto* work = std::get_if<WorkArrived>(&record)) landed.emplace_back(work->who, now);
      if (const auto* write = std::get_if<WriteLanded>(&record)) landed.emplace_back(write->who, now);
      if (const auto* pause = std::get_if<NodePaused>(&record)) paused = {pause->who, now};
    }
    std::vector<TrueTime> asked;
    std::vector<std::pair<Incarnation, TrueTime>> landed;
    std::pair<Incarnation, TrueTime> paused;
  };
  const std::string fault =
      "[[fault]]\non = \"acts\"\nnth = 3\nafter = \"10us\"\naction = \"pause\"\ntarget = \"leader\"\n"
      "duration = \"5s\"\n";
  for (const std::string scheduler : {"fenced-outbox", "ticker", "writer"}) {
    Moments moments;
    std::string text = small(fault, "fenced-lease", scheduler == "writer" ? "none" : scheduler);
    if (scheduler == "writer") text.replace(text.find("\"none\""), 6, "\"writer\"");
    run(parsed(text), 1, {.trace = &moments});
    ASSERT_GE(moments.asked.size(), 3U) << scheduler;
    const Incarnation who = moments.paused.first;
    const TrueTime at = moments.paused.second;
    EXPECT_EQ(at, moments.asked[2] + Duration::micros(10)) << scheduler;
    const auto next = std::find_if(moments.landed.begin(), moments.landed.end(),
                                   [&](const auto& each) { return each.first == who && each.second > at; });
    ASSERT_NE(next, moments.landed.end()) << scheduler;
    EXPECT_GE(next->second, at + Duration::seconds(5)) << scheduler;
  }
}

}  // namespace
}  // namespace tenure::sim
