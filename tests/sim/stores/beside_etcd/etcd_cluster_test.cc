// The machine beside three real etcds, some of which stand still or are cut off: a leader whose followers stand still
// has lost its majority; followers whose leader does elect another one; and a leader that is cut off, or whose disk
// stands still, goes on meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/stores/etcd/requests.h"
#include "tests/sim/stores/beside_etcd/etcd_server.h"
#include "tests/sim/stores/beside_etcd/gateway.h"

namespace tenure::etcd::etcd_cluster_tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr NodeId kInside{1};
constexpr NodeId kOutside{2};
constexpr seconds kPatience{60};
constexpr milliseconds kElection{1'000};  // the shortest, after the last heartbeat
constexpr milliseconds kBeat{200};        // between heartbeats, and a look at a clock

// A client that gives up: etcd itself waits for a leader for 7 s.
Json ask(const EtcdServer& server, const Request& request, milliseconds patience = milliseconds(2'500)) {
  return plain(server.post(path_of(request), std::visit(Asking{}, request), patience));
}

Json without_revision(Json said) {
  said.erase("header");
  return said;
}

// Until it holds.
template <class Holds>
bool comes_true(const Holds& holds) {
  for (const Instant until = clock_now() + kPatience; clock_now() < until;
       std::this_thread::sleep_for(milliseconds(20)))
    if (holds()) return true;
  return false;
}

// By what this server has; false as well if it says nothing.
bool lacks_key(const EtcdServer& server) {
  const Json said = ask(server, Get{"k", {}, {}, true});
  return said.contains("header") && !said.contains("kvs");
}

// The id of whom this server takes for the leader; empty: for nobody.
std::string leads_for(const EtcdServer& server) {
  return server.post("/v3/maintenance/status", Json::object()).value("leader", std::string());
}

// The machine and the server, in one state: a key on a lease.
void begin(Machine& machine, const EtcdServer& server, std::int64_t ttl) {
  const std::vector<Request> requests = {LeaseGrant{ttl, 1}, Put{"k", "a", 1}};
  for (const Request& request : requests)
    EXPECT_EQ(ask(server, request), machine.begin(0, request, clock_now(), kInside).value());
}

TEST(BesideEtcdCluster, a_leader_without_a_majority_renews_until_it_notices_and_commits_nothing) {
  const EtcdCluster etcd;
  const EtcdServer& leader = etcd.leader();
  const auto followers = etcd.followers();
  Machine machine;
  begin(machine, leader, 6);

  const Instant parted = clock_now();
  for (const EtcdServer* each : followers) each->pause();
  machine.cluster(parted).part({{kInside}, true}, as_store(parted));

  // What it answers is what the machine answers, for as long as it takes itself for the leader.
  Instant asked, renewed;
  const bool noticed = comes_true([&] {
    asked = clock_now();
    const Json said = ask(leader, LeaseKeepAlive{1});
    if (!said.contains("TTL")) return true;
    renewed = clock_now();
    EXPECT_EQ(without_revision(said),
              without_revision(machine.begin(1, LeaseKeepAlive{1}, asked, kInside).value()));
    return false;
  });
  ASSERT_TRUE(noticed);
  EXPECT_GE(clock_now(), parted + kElection) << "it looks for its majority once in an election timeout";
  machine.cluster(asked).depose(as_store(asked));

  const std::vector<Request> requests = {Get{"k", {}, {}, true}, Get{"k", {}, {}},   Put{"other", "b", {}},
                                         LeaseKeepAlive{1},      LeaseTimeToLive{1}, LeaseGrant{5, 2}};
  std::vector<std::future<Json>> said;
  for (const Request& request : requests)
    said.push_back(std::async(std::launch::async, [&] { return ask(leader, request); }));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto own = machine.begin(2, requests[i], clock_now(), kInside);
    const Json answer = said[i].get();
    EXPECT_EQ(answer.contains("error"), !own.has_value()) << path_of(requests[i]) << answer.dump();
    if (own) {
      EXPECT_EQ(answer, *own);
    }
  }
  std::this_thread::sleep_until(renewed + seconds(7));
  EXPECT_FALSE(lacks_key(leader)) << "nobody can end the lease";

  const Instant together = clock_now();
  for (const EtcdServer* each : followers) each->resume();
  machine.cluster(together).rejoin(false, as_store(together));
  ASSERT_TRUE(comes_true([&] { return lacks_key(leader); }));
  const Instant anew = together + kElection + seconds(6);  // what the machine's new leader gives the lease
  EXPECT_GE(clock_now(), anew);
  EXPECT_TRUE(machine.begin(3, Get{"k", {}, {}}, anew - milliseconds(1))->contains("kvs"));
  EXPECT_FALSE(machine.begin(4, Get{"k", {}, {}}, anew + milliseconds(500))->contains("kvs"));
}

TEST(BesideEtcdCluster, a_majority_without_its_leader_elects_another_one_which_begins_the_lease_anew) {
  const EtcdCluster etcd;
  const EtcdServer& leader = etcd.leader();
  const EtcdServer& follower = *etcd.followers().front();
  Machine machine;
  begin(machine, leader, 3);
  ASSERT_TRUE(comes_true([&] { return ask(follower, Get{"k", {}, {}, true}).contains("kvs"); }));

  const Instant parted = clock_now();
  leader.pause();
  machine.cluster(parted).part({{kInside}, true}, as_store(parted));
  EXPECT_EQ(ask(follower, Get{"k", {}, {}, true}),
            machine.begin(1, Get{"k", {}, {}, true}, clock_now(), kOutside).value());
  ASSERT_TRUE(comes_true([&] { return ask(follower, LeaseTimeToLive{1}).contains("TTL"); }));
  const Instant elected = clock_now();
  EXPECT_GE(elected, parted + kElection - kBeat);
  machine.cluster(elected).elect(as_store(elected));
  EXPECT_TRUE(machine.begin(2, LeaseTimeToLive{1}, elected, kOutside).has_value());

  ASSERT_TRUE(comes_true([&] { return lacks_key(follower); }));
  EXPECT_GE(clock_now(), parted + kElection - kBeat + kElection + seconds(3));
  leader.resume();
  ASSERT_TRUE(comes_true([&] { return lacks_key(leader); })) << "it follows the others";
}

TEST(BesideEtcdCluster,
     a_leader_that_was_replaced_renews_until_it_notices_and_the_new_one_keeps_the_lease_anyway) {
  const EtcdCluster etcd;
  const EtcdServer& leader = etcd.leader();
  const EtcdServer& follower = *etcd.followers().front();
  Machine machine;
  begin(machine, leader, 3);
  ASSERT_TRUE(comes_true([&] { return ask(follower, Get{"k", {}, {}, true}).contains("kvs"); }));

  const Instant parted = clock_now();
  etcd.links().cut(leader);
  machine.cluster(parted).part({{kInside}, true}, as_store(parted));

  // Both sides are asked at once: the old leader for renewals, a server of the majority until it knows a leader.
  Instant asked;
  auto elected = std::async(std::launch::async, [&] {
    const bool is = comes_true([&] { return ask(follower, LeaseTimeToLive{1}).contains("TTL"); });
    return std::pair(is, clock_now());
  });
  int renewals = 0;
  Json renewal;
  ASSERT_TRUE(comes_true([&] {
    asked = clock_now();
    const Json said = ask(leader, LeaseKeepAlive{1});
    if (!said.contains("TTL")) return true;
    renewal = without_revision(said);
    ++renewals;
    return false;
  }));
  EXPECT_GT(renewals, 0);
  EXPECT_GE(clock_now(), parted + kElection);
  const auto [is_elected, at] = elected.get();
  ASSERT_TRUE(is_elected);
  EXPECT_GE(at, parted + kElection - kBeat);
  machine.cluster(at).elect(as_store(at));
  EXPECT_EQ(renewal, without_revision(machine.begin(1, LeaseKeepAlive{1}, at, kInside).value()))
      << "though there is another leader";
  const Instant deposed = std::max(asked, at);
  machine.cluster(deposed).depose(as_store(deposed));

  // What the majority commits, the old leader does not have.
  const Put put{"other", "b", {}};
  EXPECT_EQ(ask(follower, put), machine.begin(2, put, deposed, kOutside).value());
  const Get own{"other", {}, {}, true};
  EXPECT_EQ(ask(leader, own), machine.begin(3, own, deposed, kInside).value());
  for (const Request& request : {Request{put}, Request{LeaseKeepAlive{1}}, Request{Get{"k", {}, {}}}}) {
    EXPECT_TRUE(ask(leader, request).contains("error")) << path_of(request);
    EXPECT_FALSE(machine.begin(4, request, deposed, kInside).has_value()) << path_of(request);
  }

  // The new leader knows of no renewal, and gives the lease its time and a second more.
  ASSERT_TRUE(comes_true([&] { return lacks_key(follower); }));
  EXPECT_GE(clock_now(), parted + kElection - kBeat + kElection + seconds(3));
  EXPECT_FALSE(lacks_key(leader)) << "it is not told";

  etcd.links().mend();
  ASSERT_TRUE(comes_true([&] { return lacks_key(leader); })) << "it follows the others";
  const Instant together = clock_now();
  machine.cluster(together).rejoin(false, as_store(together));
  EXPECT_EQ(ask(leader, own), machine.begin(5, own, together, kInside).value());
}

// Lease 1 is renewed where the old leader is, and lease 2 where the new one is.
TEST(BesideEtcdCluster,
     a_leader_whose_disk_stands_still_renews_while_it_does_and_then_ends_what_others_renewed) {
  const EtcdCluster etcd;
  const EtcdServer& leader = etcd.leader();
  const EtcdServer& follower = *etcd.followers().front();
  Machine machine;
  begin(machine, leader, 3);
  for (const Request& request : {Request{LeaseGrant{3, 2}}, Request{Put{"l", "a", 2}}})
    EXPECT_EQ(ask(leader, request), machine.begin(0, request, clock_now(), kInside).value());
  // While its database commits, which it does a tenth of a second after a change, it would answer nothing at all.
  std::this_thread::sleep_for(seconds(1));

  std::optional<StalledDisk> stalled;
  try {
    stalled.emplace(leader);
  } catch (const std::runtime_error& refused) {
    GTEST_SKIP() << refused.what();
  }
  const Instant parted = clock_now();
  machine.cluster(parted).part({{kInside}, true}, as_store(parted));
  auto held_up = std::async(std::launch::async, [&] { return ask(leader, Put{"other", "b", {}}); });
  const auto renews = [](const EtcdServer& server, Machine& own, std::int64_t lease, NodeId client) {
    const Instant at = clock_now();
    const Json said = without_revision(ask(server, LeaseKeepAlive{lease}));
    EXPECT_EQ(said, without_revision(own.begin(1, LeaseKeepAlive{lease}, at, client).value()));
  };
  // Until the others elect, the old leader is theirs as well: the network between them is whole.
  ASSERT_TRUE(comes_true([&] {
    renews(leader, machine, 1, kInside);
    ask(follower, LeaseKeepAlive{2}, milliseconds(200));
    const std::string leads = leads_for(follower);
    return !leads.empty() && leads != leads_for(leader);
  }));
  EXPECT_TRUE(held_up.get().contains("error"));
  const Instant elected = clock_now();
  EXPECT_GE(elected, parted + kElection - kBeat);
  machine.cluster(elected).elect(as_store(elected));
  const Instant ended = elected + kElection + seconds(3) + milliseconds(500);
  ASSERT_TRUE(comes_true([&] {
    renews(leader, machine, 1, kInside);  // in the end, of a lease that is none any more
    renews(follower, machine, 2, kOutside);
    return lacks_key(follower) && clock_now() > ended;
  }));
  const Get first{"k", {}, {}, true};
  const Get second{"l", {}, {}, true};
  const auto has = [](const Json& said) { return said.contains("kvs"); };
  EXPECT_FALSE(has(machine.begin(2, first, clock_now(), kOutside).value()));
  EXPECT_TRUE(has(machine.begin(3, second, clock_now(), kOutside).value()));
  EXPECT_TRUE(has(ask(follower, second)));

  stalled.reset();
  ASSERT_TRUE(comes_true([&] { return !has(ask(follower, second)); })) << "a lease in force";
  const Instant together = clock_now();
  machine.cluster(together).rejoin(true, as_store(together));
  EXPECT_FALSE(has(machine.begin(4, second, together, kOutside).value()));
}

}  // namespace
}  // namespace tenure::etcd::etcd_cluster_tests
