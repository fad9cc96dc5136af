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
TEST(World, a_process_that_begins_to_listen_late_looks_again) {
  const auto acquires = [](Duration notification) {
    struct Count : Observer {
      void see(TrueTime, const Record& record) override {
        if (const auto* sent = std::get_if<Submitted>(&record))
          acquires += is_acquire(sent->submission.request) ? 1 : 0;
      }
      static bool is_acquire(const Request& request) {
        const auto* asked = std::get_if<reference::Request>(&request);
        return asked != nullptr && std::holds_alternative<reference::Acquire>(*asked);
      }
      int acquires = 0;
    } count;
    Scenario scenario = three("fenced-lease");
    scenario.store.notification = Quantiles::constant(notification);
    World world(scenario, 1);
    world.add_observer(count);
    world.begin();
    world.run_to(TrueTime{} + Duration::seconds(1));
    return count.acquires;
  };
  EXPECT_EQ(acquires({}), 3);
  EXPECT_EQ(acquires(Duration::millis(5)), 5) << "each standby asks twice";
}

}  // namespace
}  // namespace tenure::sim::world_tests
