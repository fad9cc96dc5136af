#include "sim/models/links.h"

#include <gtest/gtest.h>

namespace tenure::sim {
namespace {

constexpr Duration kHop = Duration::millis(1);

Links three(std::int64_t loss_ppm = 0) { return Links(KeyedRng(1), 3, Quantiles::constant(kHop), loss_ppm); }
LinkRule rule(std::uint64_t fault, std::vector<Endpoint> from, std::vector<Endpoint> to) {
  LinkRule result;
  result.fault = fault;
  result.from = std::move(from);
  result.to = std::move(to);
  return result;
}

TEST(Links, a_block_in_one_direction_leaves_the_other_open) {
  Links links = three();
  LinkRule block = rule(1, {0}, {1});
  block.block = true;
  links.add_rule(block);
  EXPECT_TRUE(links.send(0, 1, TrueTime{}).lost);
  EXPECT_FALSE(links.send(1, 0, TrueTime{}).lost);
  EXPECT_FALSE(links.send(0, 2, TrueTime{}).lost);
  links.remove_rules(1);
  EXPECT_FALSE(links.send(0, 1, TrueTime{}).lost);
}

TEST(Links, overlapping_faults_end_one_by_one) {
  Links links = three();
  for (const std::uint64_t fault : {1U, 2U}) {
    LinkRule block = rule(fault, {0}, {1});
    block.block = true;
    links.add_rule(block);
  }
  links.remove_rules(1);
  EXPECT_TRUE(links.blocked(0, 1));
}

TEST(Links, loss_takes_its_share_of_messages_and_only_delays_connections) {
  Links links = three(250'000);
  int lost = 0;
  Duration slowest;
  for (int i = 0; i < 20'000; ++i) {
    const TrueTime now = TrueTime{} + Duration::millis(i);
    lost += links.send(0, 1, now).lost ? 1 : 0;
    slowest = std::max(slowest, links.stream(0, 1, now));
  }
  EXPECT_NEAR(lost, 5'000, 200);
  EXPECT_GE(slowest, kHop + Duration::millis(200));
}

TEST(Links, a_link_that_loses_everything_is_cut_for_connections_too) {
  Links links = three();
  LinkRule loss = rule(1, {0}, {1});
  loss.loss_ppm = 999'999;
  links.add_rule(loss);
  EXPECT_FALSE(links.blocked(0, 1));
  loss.loss_ppm = 1'000'000;
  links.add_rule(loss);
  EXPECT_TRUE(links.blocked(0, 1));
  EXPECT_FALSE(links.blocked(1, 0));
}

TEST(Links, a_network_that_loses_everything_is_cut_for_connections_too) {
  EXPECT_FALSE(three(999'999).blocked(0, 1));
  EXPECT_TRUE(three(1'000'000).blocked(0, 1));
}

TEST(Links, the_latest_resend_is_as_late_as_it_gets) {
  Links links = three(990'000);
  Duration slowest;
  for (int i = 0; i < 1'000; ++i)
    slowest = std::max(slowest, links.stream(0, 1, TrueTime{} + Duration::millis(i)));
  EXPECT_EQ(slowest, kHop + Links::latest_resend());
}

TEST(Links, duplicates_arrive_with_a_latency_of_their_own) {
  Links links = three();
  LinkRule twice = rule(1, {0}, {1});
  twice.duplicate_ppm = 1'000'000;
  links.add_rule(twice);
  EXPECT_TRUE(links.send(0, 1, TrueTime{}).duplicated);
  EXPECT_FALSE(links.send(1, 0, TrueTime{}).duplicated);
}

// Keyed noise: what happens on one link, or happened in another second, moves no other draw.
TEST(Links, traffic_on_one_link_does_not_disturb_another) {
  const Quantiles spread = Quantiles::table({{0, Duration{}}, {Quantiles::kOne, Duration::seconds(1)}});
  Links busy(KeyedRng(1), 3, spread, 0);
  Links quiet(KeyedRng(1), 3, spread, 0);
  for (int i = 0; i < 10; ++i) busy.send(0, 2, TrueTime{});
  EXPECT_EQ(busy.send(0, 1, TrueTime{}).latency, quiet.send(0, 1, TrueTime{}).latency);
  busy.send(0, 1, TrueTime{});
  const TrueTime next_second = TrueTime{} + Duration::seconds(1);
  EXPECT_EQ(busy.send(0, 1, next_second).latency, quiet.send(0, 1, next_second).latency);
}

TEST(Links, what_is_held_back_is_overtaken_and_on_a_connection_only_late) {
  Links links = three();
  LinkRule reorder = rule(1, {0}, {1});
  reorder.held_back_ppm = 500'000;
  reorder.held_back = Duration::seconds(1);
  links.add_rule(reorder);
  int late = 0;
  Duration slowest;
  for (int i = 0; i < 2'000; ++i) {
    const TrueTime now = TrueTime{} + Duration::millis(i);
    const Links::Fate fate = links.send(0, 1, now);
    EXPECT_FALSE(fate.lost);
    late += fate.latency > kHop ? 1 : 0;
    slowest = std::max({slowest, fate.latency, links.stream(0, 1, now)});
    EXPECT_EQ(links.send(1, 0, now).latency, kHop);
  }
  EXPECT_NEAR(late, 1'000, 100);
  EXPECT_LE(slowest, kHop + Duration::seconds(1));
  EXPECT_GT(slowest, kHop + Duration::millis(990));
  links.remove_rules(1);
  EXPECT_EQ(links.send(0, 1, TrueTime{} + Duration::hours(1)).latency, kHop);
}

}  // namespace
}  // namespace tenure::sim
