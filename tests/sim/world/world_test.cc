// The world put together: what leaves a process reaches the trace hash, the links and the store as it was sent.
#include "sim/world/world.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/protocols/registry.h"

namespace tenure::sim::world_tests {
namespace {

constexpr NodeId kNode{0};
constexpr Incarnation kLife{kNode, 1};
constexpr std::uint64_t kFault = 9;

Scenario three(std::string_view protocol) {
  Scenario scenario;
  scenario.protocol = find_elector_kind(protocol);
  for (int i = 0; i < 3; ++i) scenario.instances.push_back({{}, Parameters(scenario.protocol->parameters())});
  return scenario;
}

// Nobody has started: what leaves a process is what the test says, and nothing else happens.
std::uint64_t trace_hash_after(const Message& message) {
  const Scenario scenario = three("token-ring");
  World world(scenario, 1);
  static_cast<ProcessWorld&>(world).effect_left(kLife, SendEffect{NodeId{1}, message});
  return world.trace_hash();
}

// A message is in no record, so nothing but this would notice one that says something else on another machine.
TEST(World, the_trace_hash_covers_what_messages_say) {
  EXPECT_EQ(trace_hash_after({"token", {1, 2}}), trace_hash_after({"token", {1, 2}}));
  EXPECT_NE(trace_hash_after({"token", {1, 2}}), trace_hash_after({"token", {1, 3}}));
  EXPECT_NE(trace_hash_after({"token", {1, 2}}), trace_hash_after({"claim", {1, 2}}));
}

// The elector and the scheduler of an instance each have a connection of their own to the store.
class TwoConnections : public ::testing::Test, public Observer {
 protected:
  TwoConnections() { world.add_observer(*this); }
  void see(TrueTime, const Record& record) override {
    if (const auto* execution = std::get_if<Applied>(&record)) applied.push_back(execution->id.counter);
  }
  void submit(std::uint32_t counter, Part part) {
    SubmitEffect effect;
    effect.id = {kLife, counter};
    effect.submission.part = part;
    effect.submission.request = reference::Request{reference::ChangesSince{}};
    static_cast<ProcessWorld&>(world).effect_left(kLife, std::move(effect));
  }
  void run_for(Duration d) { world.run_to(world.now() + d); }

  const Scenario scenario = three("fenced-lease");
  World world{scenario, 1};
  std::vector<std::uint32_t> applied;
};

TEST_F(TwoConnections, overtake_each_other_on_the_way_and_keep_their_own_order) {
  LinkRule slow;
  slow.fault = kFault;
  slow.from = {world.network().node_endpoint(kNode)};
  slow.to = {world.network().store_endpoint(StoreId{0})};
  slow.delay = Duration::seconds(10);
  world.network().add_rule(std::move(slow));
  submit(1, Part::elector);
  world.network().remove_rules(kFault);
  submit(2, Part::elector);
  submit(3, Part::scheduler);
  submit(4, Part::scheduler);
  run_for(Duration::seconds(1));
  EXPECT_EQ(applied, (std::vector<std::uint32_t>{3, 4})) << "a renewal under way holds up no commit";
  run_for(Duration::seconds(20));
  EXPECT_EQ(applied, (std::vector<std::uint32_t>{3, 4, 1, 2}));
}

TEST_F(TwoConnections, overtake_each_other_in_the_store_and_keep_their_own_order) {
  StoreKnobs slow;
  slow.slow = Duration::seconds(10);
  world.store().turn(kFault, slow);
  submit(1, Part::scheduler);
  run_for(Duration::seconds(1));
  world.store().turn_back(kFault);
  submit(2, Part::scheduler);
  submit(3, Part::elector);
  submit(4, Part::elector);
  run_for(Duration::seconds(1));
  EXPECT_EQ(applied, (std::vector<std::uint32_t>{3, 4})) << "a commit that takes long holds up no renewal";
  run_for(Duration::seconds(20));
  EXPECT_EQ(applied, (std::vector<std::uint32_t>{3, 4, 1, 2}));
}

// As the runtime's listeners do: what changed before they listened may have been missed.
struct Listening : ::testing::Test, Observer {
  void see(TrueTime now, const Record& record) override {
    const auto* sent = std::get_if<Submitted>(&record);
    const auto* asked =
        sent != nullptr ? std::get_if<reference::Request>(&sent->submission.request) : nullptr;
    if (asked != nullptr && std::holds_alternative<reference::Acquire>(*asked)) asked_at.push_back(now);
  }
  std::vector<TrueTime> acquires(Duration notification, Duration down, Duration until) {
    Scenario scenario = three("fenced-lease");
    scenario.store.notification = Quantiles::constant(notification);
    World world(scenario, 1);
    world.add_observer(*this);
    world.begin();
    world.run_to(TrueTime{} + Duration::seconds(1));
    if (down > Duration{}) {
      asked_at.clear();
      StoreKnobs knobs;
      knobs.down = true;
      world.store().turn(kFault, knobs);
      world.run_to(TrueTime{} + Duration::seconds(1) + down);
      world.store().turn_back(kFault);
      asked_at.clear();
    }
    world.run_to(TrueTime{} + until);
    return std::exchange(asked_at, {});
  }
  std::vector<TrueTime> asked_at;
};

TEST_F(Listening, that_begins_late_looks_again) {
  EXPECT_EQ(acquires({}, {}, Duration::seconds(1)).size(), 3u);
  EXPECT_EQ(acquires(Duration::millis(5), {}, Duration::seconds(1)).size(), 5u) << "each standby asks twice";
}

TEST_F(Listening, begins_anew_a_second_after_the_store_was_lost_or_two) {
  const Duration down = Duration::millis(1'300);
  const Duration until = Duration::millis(3'200);  // two seconds after the loss, and a retry's jitter
  EXPECT_TRUE(acquires({}, down, until).empty()) << "standbys wait for the lease's end";
  const std::vector<TrueTime> asked = acquires(Duration::millis(5), down, until);
  EXPECT_EQ(asked.size(), 2u);
  for (const TrueTime at : asked) EXPECT_GE(at, TrueTime{} + Duration::millis(3'005));
}

}  // namespace
}  // namespace tenure::sim::world_tests
