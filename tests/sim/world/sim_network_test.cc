// What connections promise: order within one, none between a life of a process and its next.
#include "sim/world/sim_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/stores/record/requests.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kFault = 9;

class SimNetworkTest : public ::testing::Test, public NetworkWorld {
 protected:
  void message_arrived(const MessageTransit&) override {}
  void request_arrived(InFlightRequest&& transit) override { arrived.push_back(transit.id.counter); }
  void reply_arrived(ReplyTransit&&) override {}
  void close_arrived(const ClientGone& gone) override { closed.push_back(gone.who.number); }
  void notification_arrived(const NotificationTransit&) override {}

  void request(std::uint32_t life, std::uint32_t counter) {
    const Incarnation who{NodeId{0}, life};
    network.request({.from = network.node_endpoint(NodeId{0}),
                     .who = who,
                     .store = {},
                     .id = {who, counter},
                     .sent_at = {},
                     .request = record::Request{record::Get{}}});
  }
  LinkRule to_store() {
    LinkRule rule;
    rule.fault = kFault;
    rule.from = {network.node_endpoint(NodeId{0})};
    rule.to = {network.store_endpoint(StoreId{0})};
    return rule;
  }
  void delay(Duration by) {
    LinkRule rule = to_store();
    rule.delay = by;
    network.add_rule(std::move(rule));
  }
  void run_for(Duration d) {
    const TrueTime until = timeline.now() + d;
    while (timeline.run_next(until)) {
    }
  }

  Timeline timeline;
  std::vector<std::uint32_t> arrived;
  std::vector<std::uint32_t> closed;
  SimNetwork network{
      timeline, *this,
      Links(KeyedRng(1), SimNetwork::endpoints(1, 1), Quantiles::constant(Duration::millis(1)), 0), 1, 1};
};

TEST_F(SimNetworkTest, a_request_does_not_overtake_another_on_its_connection) {
  delay(Duration::seconds(10));
  request(1, 1);
  network.remove_rules(kFault);
  request(1, 2);
  run_for(Duration::seconds(20));
  EXPECT_EQ(arrived, (std::vector<std::uint32_t>{1, 2}));
}

// Otherwise a request of a dead process could never be executed after one of its next life.
TEST_F(SimNetworkTest, what_a_new_life_asks_overtakes_what_the_dead_one_had_sent) {
  delay(Duration::seconds(10));
  request(1, 1);
  request(1, 2);
  network.remove_rules(kFault);
  request(2, 3);
  run_for(Duration::seconds(20));
  EXPECT_EQ(arrived, (std::vector<std::uint32_t>{3, 1, 2}));
}

TEST_F(SimNetworkTest, what_a_partition_held_keeps_its_order_when_it_is_let_go) {
  LinkRule block = to_store();
  block.block = true;
  network.add_rule(std::move(block));
  for (std::uint32_t i = 1; i <= 40; ++i) request(1, i);
  network.remove_rules(kFault);
  request(1, 41);
  run_for(Duration::seconds(1));
  EXPECT_GT(arrived.size(), 5U) << "some is held";
  EXPECT_LT(arrived.size(), 35U) << "some is gone";
  EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end()));
  EXPECT_EQ(arrived.back(), 41U);
}

TEST_F(SimNetworkTest, the_end_of_a_connection_arrives_after_a_partition_at_the_latest) {
  network.close(network.node_endpoint(NodeId{0}), {{NodeId{0}, 1}, StoreId{0}});
  run_for(Duration::millis(1));
  EXPECT_EQ(closed, std::vector<std::uint32_t>{1});
  LinkRule block = to_store();
  block.block = true;
  network.add_rule(std::move(block));
  for (std::uint32_t life = 2; life <= 20; ++life)
    network.close(network.node_endpoint(NodeId{0}), {{NodeId{0}, life}, StoreId{0}});
  run_for(Duration::seconds(1));
  EXPECT_EQ(closed.size(), 1U);
  network.remove_rules(kFault);
  run_for(Duration::seconds(1));
  EXPECT_EQ(closed.size(), 20U) << "a kernel repeats it, and none is lost";
}

}  // namespace
}  // namespace tenure::sim
