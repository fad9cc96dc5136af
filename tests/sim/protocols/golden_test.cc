// A life of each elector as plain text: every input, and every effect that it had. A change of behaviour shows as a
// readable difference. TENURE_REWRITE_GOLDEN=1 rewrites the files in golden/.
#include <gtest/gtest.h>

#include <string>

#include "sim/protocols/client_go/client_go.h"
#include "sim/protocols/db_lease/db_lease.h"
#include "sim/protocols/heartbeat_lock/heartbeat_lock.h"
#include "sim/protocols/token_ring/token_ring.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"
#include "tests/core/lease/elector_harness.h"
#include "tests/sim/protocols/families.h"

namespace tenure::golden_tests {
namespace {

using testing::expect_golden;
using testing::Stand;

constexpr Duration kRtt = Duration::millis(4);
constexpr Incarnation kOther{NodeId{1}, 1};

struct Life : Stand {
  using Stand::Stand;

  void remark(const std::string& line) { transcript.remark(line); }
  // Answers the latest request, one round trip after it.
  template <class R>
  void settle(R reply) {
    world.advance(kRtt);
    answer(latest(), std::move(reply));
  }
  void time_out() {
    const auto& asked = world.outstanding().rbegin()->second;
    world.advance(asked.submission.deadline - world.now());
    step(world.unknown(latest()));
  }
  RequestId latest() const { return world.outstanding().rbegin()->first; }
};

TEST(Golden, db_lease) {
  Life node(kDbLease);
  const auto lock = [&node](Duration ahead) {  // the store's clock before this node's
    node.world.advance(kRtt);
    const StoreTime store_now = StoreTime::from_ns((node.world.wall_now() + ahead).ns());
    node.step(
        node.world.applied(node.latest(), lease_table::Locked{store_now + Duration::seconds(5)}, store_now));
  };
  node.remark("timer 0: the next attempt");
  node.remark("another instance has the row");
  node.start();
  node.settle(lease_table::NoRow{});
  node.remark("the row is free");
  node.fire(0);
  lock({});
  node.remark("the store's clock is 10 s ahead of this node's: belief is 10 s too long");
  node.fire(0);
  lock(Duration::seconds(10));
  node.remark("an attempt hangs, and nothing lowers the flag until it fails");
  node.fire(0);
  node.time_out();
  node.remark("a stop; nothing is released");
  node.fire(0);
  lock({});
  node.step(StopAsked{});
  expect_golden("tests/sim/protocols/golden/db_lease.txt", node.transcript.text());
}

TEST(Golden, heartbeat_lock) {
  Life node(kHeartbeatLock);
  node.remark("timer 0: the next beat");
  node.remark("another instance's heartbeat is not old enough");
  node.start();
  node.settle(lease_table::NoRow{});
  node.remark("now it is");
  node.fire(0);
  node.settle(lease_table::Locked{});
  node.remark("to renew, the cutoff is now");
  node.fire(0);
  node.settle(lease_table::Locked{});
  node.remark("a statement hangs, and nothing ends leadership until it fails");
  node.fire(0);
  node.time_out();
  node.remark("a stop; nothing is released");
  node.fire(0);
  node.settle(lease_table::Locked{});
  node.step(StopAsked{});
  expect_golden("tests/sim/protocols/golden/heartbeat_lock.txt", node.transcript.text());
}

TEST(Golden, client_go) {
  Life node(kClientGo, {{"release_on_cancel", 1}});
  const auto held = [](Incarnation holder, std::int64_t version) {
    const WallTime renewed = WallTime::from_ns(Duration::seconds(version).ns());
    return record::Found{static_cast<std::uint64_t>(version),
                         {holder, Duration::seconds(15), 1, WallTime{}, renewed}};
  };
  const Incarnation self = node.world.self();
  for (const std::uint64_t draw : {1'300'000'000u, 2'400'000'000u, 2'400'000'000u, 2'000'000'000u})
    node.world.draw("poll jitter", draw);
  node.remark("timer 0: the next poll; timer 1: the renew deadline");
  node.remark("n2 renews once more, then its record stands still");
  node.start();
  node.settle(held(kOther, 4));
  node.fire(0);
  node.settle(held(kOther, 5));
  for (int polls = 0; polls < 5; ++polls) {
    node.fire(0);
    node.settle(held(kOther, 5));
  }
  node.settle(record::Stored{6});
  node.remark("the first renewal comes at once");
  node.settle(record::Stored{7});
  node.remark("a renewal that runs into a conflict, and succeeds within the same attempt");
  node.fire(0);
  node.settle(record::Conflict{});
  node.settle(held(self, 8));
  node.settle(record::Stored{9});
  node.remark("a pause of 20 s; n2 has taken the record; n1 leads on and polls until a fresh deadline");
  node.world.advance(Duration::seconds(20));
  node.fire(0);
  node.settle(held(kOther, 10));
  node.fire(0);
  node.settle(held(kOther, 11));
  node.fire(0);
  node.time_out();
  node.fire(0);
  node.fire(1);
  node.remark("it gives up, and looks whether there is something to release; then it is a candidate again");
  node.settle(held(kOther, 12));
  node.settle(record::Found{13, {Incarnation{}, Duration::seconds(1), 2, WallTime{}, WallTime{}}});
  node.settle(record::Stored{14});
  node.settle(record::Stored{15});
  node.remark("a stop");
  node.step(StopAsked{});
  node.settle(held(self, 15));
  node.settle(record::Stored{16});
  expect_golden("tests/sim/protocols/golden/client_go.txt", node.transcript.text());
}

TEST(Golden, token_ring) {
  Life node(kTokenRing, {}, 3, 1);
  node.remark(
      "n2 of three; timer 0: hold, 1: acknowledgement of a token, 2: of an election, 3: token missed");
  node.remark("the token comes, and comes again because the acknowledgement was slow");
  node.start();
  node.hear(0, "token", {1, 4});
  node.hear(0, "token", {1, 4});
  node.remark("n3 takes it");
  node.fire(0);
  node.hear(2, "token-ack", {1, 5});
  node.remark("next time n3 is silent: the same token goes to n1, which may make two");
  node.hear(0, "token", {1, 7});
  node.fire(0);
  for (int silence = 0; silence < 3; ++silence) node.fire(1);
  node.hear(0, "token-ack", {1, 8});
  node.remark("the token is missed; n2 stands, is beaten by n3, which dies");
  node.fire(3);
  node.hear(2, "elect-ack", {2, 1});
  node.hear(0, "elect", {2, 2});
  node.hear(2, "elect-ack", {2, 2});
  node.remark("so n2 stands again, and wins");
  node.fire(3);
  for (int silence = 0; silence < 3; ++silence) node.fire(2);
  node.hear(0, "elect-ack", {3, 1});
  node.hear(0, "elect", {3, 1});
  node.remark("a token of an older epoch turns up");
  node.hear(0, "token", {1, 9});
  node.remark("a stop hands the token on first");
  node.step(StopAsked{});
  node.hear(2, "token-ack", {3, 2});
  expect_golden("tests/sim/protocols/golden/token_ring.txt", node.transcript.text());
}

}  // namespace
}  // namespace tenure::golden_tests
