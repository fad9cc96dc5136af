// The laws of the store etcd while its servers are parted; interactions/etcd_cluster.txt has what each side answers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/stores/etcd/etcd_store.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::etcd::etcd_cluster_tests {
namespace {

constexpr Duration kSecond = Duration::seconds(1);
constexpr Incarnation kInside{NodeId{1}, 1};  // the minority
constexpr Incarnation kOutside{NodeId{2}, 1};
const std::string kAll(1, '\0');

Get read(const std::string& key, bool serializable = false) { return {key, {}, {}, serializable}; }

struct Cluster : testing::MachineUnderTest<EtcdStore, Request, Reply> {
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
  void part(bool with_leader = true) { store.part({{kInside.node}, with_leader}, now); }
  bool has(Incarnation who, bool serializable = false) {
    return !said<GetResponse>(who, read("k", serializable)).kvs.empty();
  }
  std::uint64_t ticket = 0;
  std::int64_t lease = 0;
};

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
