// The store etcd while its servers are parted: what each side answers, and what a new leader makes up for.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/stores/etcd/etcd_store.h"

namespace tenure::etcd::etcd_cluster_tests {
namespace {

constexpr Duration kSecond = Duration::seconds(1);
constexpr Duration kHalf = Duration::millis(500);
constexpr Incarnation kInside{NodeId{1}, 1};  // the minority
constexpr Incarnation kOutside{NodeId{2}, 1};
const std::string kAll(1, '\0');

Get read(const std::string& key, bool serializable = false) { return {key, {}, {}, serializable}; }

class Cluster {
 public:
  Cluster() {
    lease = said<LeaseGrantResponse>(kOutside, LeaseGrant{5, {}}).id;
    said<PutResponse>(kOutside, Put{"k", "a", lease});
  }
  // None: it waits, or nobody can answer.
  std::optional<Reply> ask(Incarnation who, const Request& request) {
    const tenure::Request asked{request};
    if (store.loses(who.node, asked, now)) return std::nullopt;
    const auto reply = store.begin({who, Part::elector, 0}, ++ticket, asked, now);
    if (!reply) return std::nullopt;
    return *message_as<Reply>(*reply);
  }
  template <class Response>
  Response said(Incarnation who, const Request& request) {
    return std::get<Response>(ask(who, request).value());
  }
  std::map<std::uint64_t, Reply> completed() {
    std::map<std::uint64_t, Reply> all;
    for (const auto& [number, reply] : store.take_completed()) all.emplace(number, *message_as<Reply>(reply));
    return all;
  }
  void go_to(StoreTime time) {
    while (store.next_time_out() && *store.next_time_out() <= time) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = time;
  }
  void wait(Duration length) { go_to(now + length); }
  void part(bool with_leader = true) { store.part({{kInside.node}, with_leader}, now); }
  std::int64_t renew(Incarnation who) { return said<LeaseKeepAliveResponse>(who, LeaseKeepAlive{lease}).ttl; }
  bool renews(Incarnation who) { return ask(who, LeaseKeepAlive{lease}).has_value(); }
  bool has(Incarnation who, bool serializable = false) {
    return !said<GetResponse>(who, read("k", serializable)).kvs.empty();
  }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  EtcdStore store;
  StoreTime now = StoreTime::from_ns(1'767'225'600'000'000'000);
  std::uint64_t ticket = 0;
  std::int64_t lease = 0;
};

TEST(EtcdCluster, a_majority_without_a_leader_answers_reads_that_need_none_and_ends_no_lease) {
  Cluster etcd;
  etcd.part();
  EXPECT_FALSE(etcd.ask(kOutside, Put{"k", "b", {}}).has_value());
  EXPECT_FALSE(etcd.ask(kOutside, read("k")).has_value());
  EXPECT_FALSE(etcd.renews(kOutside));
  etcd.wait(kSecond * 60);
  EXPECT_TRUE(etcd.has(kOutside, true));
  etcd.store.elect(etcd.now);
  EXPECT_TRUE(etcd.has(kOutside));
}

TEST(EtcdCluster, a_new_leader_begins_each_lease_anew_and_one_second_longer) {
  Cluster etcd;
  etcd.wait(kSecond * 4);
  etcd.part();
  etcd.wait(kSecond);
  etcd.store.elect(etcd.now);
  etcd.wait(kSecond * 6 - Duration::nanos(1));
  EXPECT_TRUE(etcd.has(kOutside));
  etcd.wait(kHalf + Duration::nanos(1));
  EXPECT_FALSE(etcd.has(kOutside));
}

TEST(EtcdCluster, an_old_leader_renews_until_it_notices_and_nothing_else) {
  Cluster etcd;
  etcd.part();
  EXPECT_EQ(etcd.renew(kInside), 5);
  EXPECT_EQ(etcd.said<LeaseTimeToLiveResponse>(kInside, LeaseTimeToLive{etcd.lease}).ttl, 5);
  EXPECT_EQ(etcd.said<LeaseKeepAliveResponse>(kInside, LeaseKeepAlive{77}).ttl, 0);
  EXPECT_FALSE(etcd.ask(kInside, Put{"k", "b", {}}).has_value());
  EXPECT_FALSE(etcd.ask(kInside, DeleteRange{"k", {}}).has_value());
  EXPECT_FALSE(etcd.ask(kInside, Txn{}).has_value());
  EXPECT_FALSE(etcd.ask(kInside, LeaseGrant{5, {}}).has_value());
  EXPECT_FALSE(etcd.ask(kInside, LeaseRevoke{etcd.lease}).has_value());
  EXPECT_FALSE(etcd.ask(kInside, Compact{1}).has_value());
  EXPECT_FALSE(etcd.ask(kInside, read("k")).has_value());
  etcd.store.depose(etcd.now);
  EXPECT_FALSE(etcd.renews(kInside));
  EXPECT_FALSE(etcd.ask(kInside, LeaseTimeToLive{etcd.lease}).has_value());
  EXPECT_TRUE(etcd.has(kInside, true));
}

TEST(EtcdCluster, of_a_lease_that_has_ended_an_old_leader_says_nothing) {
  Cluster etcd;
  etcd.part();
  etcd.wait(kSecond * 5 - Duration::nanos(1));
  EXPECT_EQ(etcd.renew(kInside), 5);
  etcd.wait(kSecond * 5);
  EXPECT_FALSE(etcd.renews(kInside)) << "it waits for a revocation that it cannot commit";
}

TEST(EtcdCluster, without_the_leader_a_minority_renews_nothing_and_the_majority_goes_on) {
  Cluster etcd;
  etcd.part(false);
  EXPECT_FALSE(etcd.renews(kInside));
  EXPECT_EQ(etcd.renew(kOutside), 5);
  etcd.wait(kSecond * 6);
  EXPECT_FALSE(etcd.has(kOutside)) << "the lease has ended as ever";
  EXPECT_TRUE(etcd.has(kInside, true));
}

TEST(EtcdCluster, a_watch_of_the_minority_is_told_when_the_servers_are_together_again) {
  Cluster etcd;
  const std::uint64_t before = etcd.ticket + 1;
  EXPECT_FALSE(etcd.ask(kInside, Watch{"k", {}, {}}).has_value());
  etcd.part();
  EXPECT_EQ(etcd.said<WatchResponse>(kInside, Watch{"k", {}, 2}).events.size(), 1U) << "what it has";
  const std::uint64_t meanwhile = etcd.ticket + 1;
  EXPECT_FALSE(etcd.ask(kInside, Watch{"k", {}, {}}).has_value());
  etcd.store.elect(etcd.now);
  etcd.said<PutResponse>(kOutside, Put{"k", "b", {}});
  EXPECT_TRUE(etcd.completed().empty());
  etcd.store.rejoin(false, etcd.now);
  const auto told = etcd.completed();
  ASSERT_EQ(told.size(), 2U);
  for (const std::uint64_t ticket : {before, meanwhile})
    EXPECT_EQ(std::get<WatchResponse>(told.at(ticket)).events.at(0).kv.value, "b");
}

TEST(EtcdCluster, a_leader_that_nobody_has_replaced_keeps_what_it_has_renewed) {
  Cluster etcd;
  etcd.wait(kSecond * 4);
  etcd.part();
  EXPECT_EQ(etcd.renew(kInside), 5);
  etcd.store.rejoin(false, etcd.now);
  etcd.wait(kSecond * 5 - Duration::nanos(1));
  EXPECT_TRUE(etcd.has(kOutside));
  etcd.wait(kHalf + Duration::nanos(1));
  EXPECT_FALSE(etcd.has(kOutside));
}

TEST(EtcdCluster, servers_that_are_together_again_before_the_election_elect_then) {
  Cluster etcd;
  etcd.wait(kSecond * 4);
  etcd.part();
  etcd.store.depose(etcd.now);
  etcd.store.rejoin(false, etcd.now);
  etcd.wait(kSecond * 6 - Duration::nanos(1));
  EXPECT_TRUE(etcd.has(kInside));
}

TEST(EtcdCluster, a_renewal_that_waited_for_the_end_of_its_lease_goes_to_the_new_leader) {
  Cluster etcd;
  etcd.wait(Duration::millis(200));
  etcd.renew(kOutside);
  etcd.wait(kSecond * 5 + Duration::millis(1));  // no look has found it yet
  EXPECT_FALSE(etcd.renews(kOutside));
  etcd.part();
  etcd.store.elect(etcd.now);
  EXPECT_EQ(std::get<LeaseKeepAliveResponse>(etcd.completed().at(etcd.ticket)).ttl, 5);
}

TEST(EtcdCluster, a_stalled_leader_revokes_what_it_has_not_seen_renewed) {
  for (const bool stalled : {false, true}) {
    Cluster etcd;
    etcd.part();
    etcd.wait(kSecond);
    etcd.store.elect(etcd.now);
    etcd.wait(kSecond * 5);
    EXPECT_EQ(etcd.renew(kOutside), 5) << "at the new leader";
    etcd.store.rejoin(stalled, etcd.now);
    EXPECT_EQ(etcd.has(kOutside), !stalled);
  }
}

// From 3.4.31, 3.5.13 and 3.6.0 on.
TEST(EtcdCluster, an_old_leader_that_asks_a_majority_first_renews_nothing) {
  Cluster etcd;
  etcd.store.part({{kInside.node}, true, true}, etcd.now);
  EXPECT_FALSE(etcd.renews(kInside));
  EXPECT_EQ(etcd.said<LeaseTimeToLiveResponse>(kInside, LeaseTimeToLive{etcd.lease}).ttl, 5);
  etcd.store.elect(etcd.now);
  EXPECT_EQ(etcd.renew(kOutside), 5);
}

// ---- laws -----------------------------------------------------------------------------------------------------------

Duration some(std::int64_t most_ms) { return Duration::millis(*rc::gen::inRange<std::int64_t>(0, most_ms)); }

// What makes keepalives safe in a partition: whoever was told of a renewal has the key for its TTL.
RC_GTEST_PROP(EtcdClusterProperty, a_renewal_holds_if_the_old_leader_notices_within_a_second_of_the_election,
              ()) {
  Cluster etcd;
  StoreTime promised = etcd.now + kSecond * 5;
  const StoreTime parts = etcd.now + some(4'000);
  const StoreTime elects = parts + kSecond + some(1'000);
  const StoreTime notices = parts + some((elects - parts).ns() / 1'000'000 + 1'000);
  const StoreTime rejoins = parts + some(12'000);
  bool parted = false;
  bool over = false;
  bool elected = false;
  bool noticed = false;
  for (int i = 0; i < 40; ++i) {
    const StoreTime at = etcd.now + some(700);
    std::vector<std::pair<StoreTime, int>> acts = {{parts, 0}, {elects, 1}, {notices, 2}, {rejoins, 3}};
    std::sort(acts.begin(), acts.end());
    for (const auto& [when, act] : acts) {
      if (when > at || when < etcd.now || over) continue;
      if (act == 0 && !parted) {
        etcd.go_to(when);
        etcd.part();
        parted = true;
      } else if (parted && act == 1 && !elected) {
        etcd.go_to(when);
        etcd.store.elect(when);
        elected = true;
      } else if (parted && act == 2 && !noticed) {
        etcd.go_to(when);
        etcd.store.depose(when);
        noticed = true;
      } else if (parted && act == 3) {
        etcd.go_to(when);
        etcd.store.rejoin(false, when);
        over = true;
      }
    }
    etcd.go_to(at);
    const Incarnation who = *rc::gen::arbitrary<bool>() ? kInside : kOutside;
    const auto kept = etcd.ask(who, LeaseKeepAlive{etcd.lease});
    if (kept && std::get<LeaseKeepAliveResponse>(*kept).ttl > 0) promised = at + kSecond * 5;
    if (at < promised) {
      RC_ASSERT(etcd.has(kOutside, true));
    }
  }
}

RC_GTEST_PROP(EtcdClusterProperty, whatever_a_minority_asks_for_changes_nothing_of_the_majority, ()) {
  Cluster asked;
  Cluster silent;
  for (Cluster* etcd : {&asked, &silent}) {
    etcd->part();
    etcd->store.elect(etcd->now);
  }
  for (int i = 0; i < 20; ++i) {
    const Duration length = some(1'000);
    asked.wait(length);
    silent.wait(length);
    switch (*rc::gen::inRange(0, 6)) {
      case 0: asked.ask(kInside, Put{"k", "b", {}}); break;
      case 1: asked.ask(kInside, LeaseRevoke{asked.lease}); break;
      case 2: asked.ask(kInside, LeaseGrant{9, {}}); break;
      case 3: asked.ask(kInside, DeleteRange{"a", kAll}); break;
      case 4: asked.ask(kInside, Txn{{}, {Put{"k", "c", {}}}, {}}); break;
      default: asked.ask(kInside, LeaseKeepAlive{asked.lease});
    }
    RC_ASSERT(asked.said<GetResponse>(kInside, read("k", true)).kvs.at(0).value == "a");
  }
  for (Cluster* etcd : {&asked, &silent}) etcd->store.rejoin(false, etcd->now);
  RC_ASSERT(asked.hash() == silent.hash());
}

}  // namespace
}  // namespace tenure::etcd::etcd_cluster_tests
