// A recording shows what was the matter with stores and links, to whom each store gave the lease, and when a process
// was there without being of use.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/runner/lease_tracker.h"
#include "sim/stores/redis/requests.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

TrueTime after(std::int64_t seconds) { return TrueTime{} + Duration::seconds(seconds); }

Recording recording_of(const std::string& more, const std::string& protocol = "fenced-lease",
                       const std::string& scheduler = "fenced-outbox", std::uint64_t seed = 1) {
  Recording recording;
  run(parsed(small(more, protocol, scheduler)), seed, {.story = false, .recording = &recording});
  return recording;
}

std::string disturbance(const std::string& action, const std::string& at, const std::string& more) {
  return "[[fault]]\nat = \"" + at + "\"\naction = \"" + action + "\"\n" + more + "\n";
}

TEST(RecordedStore, has_what_is_the_matter_from_one_change_to_the_next) {
  const Recording recording =
      recording_of(disturbance("store-slow", "20s", "latency = \"2s\"\nduration = \"10s\"") +
                   disturbance("store-ack-lost", "25s", "rate = 0.5\nduration = \"10s\"") +
                   disturbance("store-hang", "50s", "duration = \"4s\"") +
                   disturbance("store-clock-step", "70s", "by = \"-3s\""));
  const std::vector<StoreCondition> expected = {
      {{}, {after(20), after(25)}, "slow by 2s", true},
      {{}, {after(25), after(30)}, "slow by 2s, 50% of its answers are lost", true},
      {{}, {after(30), after(35)}, "50% of its answers are lost", true},
      {{}, {after(50), after(54)}, "hangs", false},
      {{}, {after(70), after(70)}, "its clock jumps by -3s", true}};
  EXPECT_EQ(recording.conditions, expected);
  EXPECT_EQ(recording.stores, std::vector<std::string>{"store"});
}

TEST(RecordedStore, stands_still_as_a_replica_until_it_is_the_store) {
  const Recording recording = recording_of(disturbance("store-failover", "30s", "lag = \"2s\""));
  const auto has = [&](const std::string& text) {
    return std::find_if(recording.conditions.begin(), recording.conditions.end(),
                        [&](const StoreCondition& one) { return one.text == text; });
  };
  const auto still = has("its replica stands still");
  const auto over = has("fails over, branch 2");
  ASSERT_NE(still, recording.conditions.end());
  ASSERT_NE(over, recording.conditions.end());
  EXPECT_LT(still->span.from, still->span.to);
  EXPECT_EQ(still->span.to, over->span.from);
}

TEST(RecordedLink, has_one_direction_and_ends_with_its_fault) {
  const Recording recording = recording_of(
      disturbance("partition", "20s",
                  "target = \"n2\"\npeers = \"store\"\ndirection = \"from\"\nduration = \"8s\"") +
      disturbance(
          "delay", "40s",
          "target = \"n2\"\npeers = \"store\"\ndirection = \"to\"\nlatency = \"1s\"\nduration = \"5s\""));
  const std::vector<LinkCondition> expected = {
      {NodeId{1}, std::nullopt, {}, {after(20), after(28)}, "cut", true},
      {std::nullopt, NodeId{1}, {}, {after(40), after(45)}, "slow by 1s", false}};
  EXPECT_EQ(recording.links, expected);
}

TEST(RecordedLink, of_instances_to_each_other_is_apart_from_that_to_the_store) {
  const Recording recording = recording_of(
      disturbance("partition", "20s", "target = \"n1\"\nduration = \"8s\""), "token-ring", "none");
  EXPECT_EQ(recording.links.size(), 6U) << "to and from two others and the store";
  for (const LinkCondition& link : recording.links) {
    EXPECT_TRUE(link.from == NodeId{0} || link.to == NodeId{0});
    EXPECT_NE(link.from, link.to);
    EXPECT_EQ(link.span, (Span{after(20), after(28)}));
  }
}

// Metrics count them by another way.
TEST(RecordedWarmup, makes_up_for_what_is_useless_and_not_leaderless) {
  const std::string program = "[work]\nwarmup = \"4s\"\n";
  const std::string kills =
      "[[fault]]\nevery = { p50 = \"20s\", max = \"40s\" }\naction = \"kill\"\ntarget = \"leader\"\n"
      "duration = \"1s..8s\"\n";
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Recording recording;
    const RunResult result =
        run(parsed(small(program + kills)), seed, {.story = false, .recording = &recording});
    Duration warming;
    for (const BeliefSpan& belief : recording.beliefs) {
      const Span warm = warmup_of(belief, recording);
      warming += warm.to - warm.from;
    }
    EXPECT_EQ(warming, result.metrics.useless - result.metrics.leaderless) << seed;
    EXPECT_GT(warming, Duration::seconds(4));
  }
}

TEST(RecordedStartup, is_between_what_held_the_process_down_and_its_life) {
  const Recording recording = recording_of("[work]\nstartup = \"5s\"\n" +
                                           disturbance("kill", "30s", "target = \"n2\"\nduration = \"10s\""));
  ASSERT_EQ(recording.startups.size(), 1U);
  EXPECT_EQ(recording.startups.front(), (LifeSpan{{NodeId{1}, 2}, {after(40), after(45)}}));
  EXPECT_TRUE(
      recording_of(disturbance("kill", "30s", "target = \"n2\"\nduration = \"10s\"")).startups.empty());
}

TEST(RecordedWords, are_what_a_program_says_of_itself) {
  const Recording recording =
      recording_of(disturbance("kill", "30s", "target = \"n1\"\nduration = \"30s\""), "token-ring", "none");
  EXPECT_TRUE(std::any_of(recording.story.begin(), recording.story.end(), [](const NarratedEvent& told) {
    return told.kind == StoryKind::remark && told.line.text.starts_with("says: has missed the token");
  }));
}

// ---- leases ------------------------------------------------------------------------------------------------

TEST(RecordedLease, goes_from_one_holder_to_the_next_and_is_nobodys_after_a_release) {
  const Recording recording =
      recording_of(disturbance("stop", "30s", "target = \"leader\"\nduration = \"30s\""));
  ASSERT_GE(recording.holds.size(), 2U);
  EXPECT_LT(recording.holds[0].span.to, recording.holds[1].span.from) << "released, then taken";
  for (std::size_t i = 1; i < recording.holds.size(); ++i)
    EXPECT_LE(recording.holds[i - 1].span.to, recording.holds[i].span.from);
}

class RedisServers {
 public:
  // What the tracker makes of an answer: "0: n1", "0: nobody", or nothing.
  std::string see(std::uint32_t store, std::uint32_t node, redis::Request request, redis::Reply reply) {
    const Request asked{std::move(request)};
    const Reply answered{std::move(reply)};
    const Incarnation who{NodeId{node}, 1};
    return text_of(tracker_.see(Applied{StoreId{store}, 0, {}, who, {}, asked, answered}));
  }
  std::string see(const Record& record) { return text_of(tracker_.see(record)); }

 private:
  static std::string text_of(const std::optional<LeaseTracker::Change>& change) {
    if (!change) return "";
    return std::to_string(change->store.value) + ": " +
           (change->holder.number == 0 ? "nobody" : describe(change->holder.node));
  }
  LeaseTracker tracker_;
};

redis::Set lock(const std::string& value) { return {"leader", value, true, Duration::seconds(8)}; }

TEST(LeaseTracker, follows_the_key_of_each_redis_server_by_itself) {
  RedisServers servers;
  EXPECT_EQ(servers.see(0, 0, lock("a"), redis::Status{true}), "0: n1");
  EXPECT_EQ(servers.see(3, 1, lock("b"), redis::Status{true}), "3: n2");
  EXPECT_EQ(servers.see(0, 1, lock("b"), redis::Status{false}), "") << "there was one";
  EXPECT_EQ(servers.see(0, 1, redis::CompareAndDelete{"leader", "b"}, redis::Integer{0}), "");
  EXPECT_EQ(servers.see(0, 0, redis::CompareAndExtend{"leader", "a", {}}, redis::Integer{1}), "");
  EXPECT_EQ(servers.see(0, 0, redis::CompareAndDelete{"leader", "a"}, redis::Integer{1}), "0: nobody");
  EXPECT_EQ(servers.see(3, 1, redis::Del{"another"}, redis::Integer{1}), "") << "not the lock";
  EXPECT_EQ(servers.see(3, 1, redis::Set{"leader", "b", false, {}}, redis::Status{true}), "")
      << "written over";
  EXPECT_EQ(servers.see(3, 1, redis::Del{"leader"}, redis::Integer{1}), "3: nobody");
}

TEST(LeaseTracker, goes_back_to_what_the_replica_of_redis_has) {
  RedisServers servers;
  servers.see(0, 0, lock("a"), redis::Status{true});
  EXPECT_EQ(servers.see(StoreReplicaStalled{StoreId{0}}), "");
  servers.see(0, 0, redis::Del{"leader"}, redis::Integer{1});
  EXPECT_EQ(servers.see(0, 1, lock("b"), redis::Status{true}), "0: n2");
  EXPECT_EQ(servers.see(StoreFailedOver{StoreId{0}, 1}), "0: n1");
}

}  // namespace
}  // namespace tenure::sim
