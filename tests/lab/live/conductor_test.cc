// The conductor on a stage that writes down what it is told: the operating system's edge.
#include "lab/live/conductor.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/model/describe.h"
#include "sim/faults/plan.h"

namespace tenure::lab {
namespace {

class WrittenStage final : public Stage {
 public:
  void start(NodeId node) override {
    running.insert(node);
    say("start", node);
  }
  bool runs(NodeId node) const override { return running.contains(node); }
  void signal(NodeId node, ProcessSignal what) override {
    constexpr const char* kNames[] = {"kill", "stop", "freeze", "thaw"};
    say(kNames[static_cast<int>(what)], node);
  }
  void set_election(NodeId node, std::uint64_t) override { say("settings", node); }
  void step_clock(NodeId node, Duration wall, Duration mono) override {
    say("clock " + describe(wall) + " " + describe(mono), node);
  }
  void set_links(NodeId node, const WayRules& rules) override { links[node] = rules; }
  void break_connections(NodeId node) override { say("break", node); }
  void hold_lease_row(bool held, bool) override { said.push_back(held ? "hold" : "let go"); }
  void stall_replica() override { said.emplace_back("stall"); }
  void fail_over() override { said.emplace_back("fail over"); }

  std::set<NodeId> running;
  std::map<NodeId, WayRules> links;
  std::vector<std::string> said;

 private:
  void say(const std::string& what, NodeId node) { said.push_back(what + " " + describe(node)); }
};

sim::TrueTime at(std::int64_t seconds) { return sim::TrueTime{} + Duration::seconds(seconds); }

sim::FaultSetting fault(std::string action, std::int64_t seconds, std::optional<std::int64_t> lasts,
                        std::vector<sim::FaultParameter> parameters = {}) {
  sim::FaultSetting made;
  made.id = 1;
  made.entry = 1;
  made.action = std::move(action);
  made.when = sim::FaultSetting::At{.at = Duration::seconds(seconds)};
  made.target = {sim::Target::Kind::named, {NodeId{0}}};
  if (lasts) made.duration = sim::Range<Duration>{Duration::seconds(*lasts), Duration::seconds(*lasts)};
  made.parameters = std::move(parameters);
  return made;
}

sim::FaultParameter length(const char* name, std::int64_t seconds) {
  return {name, sim::Range<Duration>{Duration::seconds(seconds), Duration::seconds(seconds)}};
}

struct Live {
  explicit Live(std::vector<sim::FaultSetting> faults, bool own = true) : plan(std::move(faults)) {
    scenario.duration = Duration::seconds(60);
    for (int i = 0; i < 2; ++i) scenario.instances.push_back({{}, Parameters({})});
    conductor.emplace(scenario, plan, stage, sim::KeyedRng(1), own);
    conductor->begin();
    conductor->advance(at(0));
    stage.said.clear();
  }
  void end(NodeId node, std::int64_t seconds, const char* how = "signal 9") {
    stage.running.erase(node);
    conductor->ended(at(seconds), node, how);
  }
  std::vector<std::string> until(std::int64_t seconds) {
    conductor->advance(at(seconds));
    return std::exchange(stage.said, {});
  }

  sim::Scenario scenario;
  std::vector<sim::FaultSetting> plan;
  WrittenStage stage;
  std::optional<Conductor> conductor;
};

using Said = std::vector<std::string>;

TEST(Conductor, kills_and_starts_again) {
  Live live({fault("kill", 5, 10)});
  EXPECT_EQ(live.until(4), Said{});
  EXPECT_EQ(live.until(5), Said{"kill n1"});
  live.end(NodeId{0}, 6);
  EXPECT_EQ(live.until(14), Said{});
  EXPECT_EQ(live.until(15), Said{"start n1"});
  EXPECT_TRUE(live.conductor->unasked_ends().empty());
}

TEST(Conductor, pauses_until_the_end_of_the_fault) {
  Live live({fault("pause", 5, 10)});
  EXPECT_EQ(live.until(5), Said{"freeze n1"});
  EXPECT_EQ(live.until(15), Said{"thaw n1"});
  ASSERT_EQ(live.conductor->pauses().size(), 1u);
  EXPECT_EQ(live.conductor->pauses().front().span.to, at(15));
}

TEST(Conductor, stops_politely_and_then_kills) {
  Live live({fault("stop", 5, 30, {length("grace", 10)})});
  EXPECT_EQ(live.until(5), Said{"stop n1"});
  EXPECT_EQ(live.until(15), Said{"kill n1"});
  live.end(NodeId{0}, 16);
  EXPECT_EQ(live.until(35), Said{"start n1"});
}

TEST(Conductor, does_not_kill_the_process_after_the_one_that_it_asked_to_stop) {
  Live live({fault("stop", 5, 2, {length("grace", 10)})});
  EXPECT_EQ(live.until(5), Said{"stop n1"});
  live.end(NodeId{0}, 6, "exit status 0");
  EXPECT_EQ(live.until(7), Said{"start n1"});
  EXPECT_EQ(live.until(30), Said{});
}

TEST(Conductor, deploys_one_after_the_other) {
  sim::FaultSetting deploy = fault("rolling-restart", 5, {}, {length("grace", 10), length("gap", 3)});
  deploy.parameters.push_back({"surge", std::string("no")});
  deploy.target = {};
  Live live({deploy});
  EXPECT_EQ(live.until(5), Said{"stop n1"});
  live.end(NodeId{0}, 6, "exit status 0");
  EXPECT_EQ(live.until(6), Said{"start n1"});
  EXPECT_EQ(live.until(9), Said{"stop n2"});
}

TEST(Conductor, crashes_again_and_again) {
  Live live({fault("crash-loop", 5, 10, {length("up", 2), length("down", 1)})});
  EXPECT_EQ(live.until(5), Said{"kill n1"});
  live.end(NodeId{0}, 5);
  EXPECT_EQ(live.until(6), Said{"start n1"});
  EXPECT_EQ(live.until(8), Said{"kill n1"});
  live.end(NodeId{0}, 8);
  live.until(15);
  EXPECT_TRUE(live.stage.runs(NodeId{0}));
}

TEST(Conductor, starts_again_what_ends_by_itself_and_tells) {
  Live live({});
  live.end(NodeId{1}, 5, "exit status 1");
  EXPECT_EQ(live.until(5), Said{});
  EXPECT_EQ(live.until(6), Said{"start n2"});
  EXPECT_EQ(live.conductor->unasked_ends(), Said{"n2 at 5s: exit status 1"});
}

TEST(Conductor, strikes_at_the_event_itself) {
  sim::FaultSetting strikes = fault("pause", 0, 10);
  strikes.when =
      sim::FaultSetting::On{.event = "leadership-checked", .nth = 2, .after = Duration::micros(10)};
  Live live({strikes});
  live.conductor->reached(at(3), "leadership-checked");
  EXPECT_EQ(live.until(3), Said{});
  live.conductor->reached(at(4), "leadership-checked");
  EXPECT_EQ(live.stage.said, Said{"freeze n1"});
}

TEST(Conductor, breaks_a_direction_of_the_way_to_the_store) {
  sim::FaultSetting cut = fault("partition", 5, 10);
  cut.parameters = {{"direction", std::string("from")}, {"peers", std::string("store")}};
  Live live({cut});
  live.until(5);
  EXPECT_TRUE(live.stage.links[NodeId{0}].to_store.hangs);  // from the target
  EXPECT_FALSE(live.stage.links[NodeId{0}].from_store.hangs);
  EXPECT_EQ(live.stage.links[NodeId{1}], WayRules{});
  live.until(15);
  EXPECT_EQ(live.stage.links[NodeId{0}], WayRules{});
}

TEST(Conductor, fails_over_after_the_lag) {
  Live live({fault("store-failover", 5, {}, {length("lag", 3)})});
  EXPECT_EQ(live.until(5), Said{"stall"});
  EXPECT_EQ(live.until(8), Said{"fail over"});
}

TEST(Conductor, ends_all_faults_with_the_heal) {
  sim::FaultSetting lock = fault("store-lock-held", 5, {});
  lock.parameters = {{"mode", std::string("exclusive")}};
  sim::FaultSetting pause = fault("pause", 50, 20);
  pause.id = 2;
  Live live({lock, pause});
  EXPECT_EQ(live.until(50), (Said{"hold", "freeze n1"}));
  EXPECT_EQ(live.until(60), (Said{"let go", "thaw n1"}));
  EXPECT_EQ(live.conductor->faults().back().fell_short, "the heal cut it short, after 10s of 20s");
}

TEST(Conductor, skips_what_would_change_nothing) {
  sim::FaultSetting second = fault("kill", 6, 5);
  second.id = 2;
  Live live({fault("kill", 5, 10), second});
  live.until(5);
  live.end(NodeId{0}, 5);
  EXPECT_EQ(live.until(6), Said{});
  EXPECT_EQ(live.conductor->faults().back().skipped, "its target is down already");
}

}  // namespace
}  // namespace tenure::lab
