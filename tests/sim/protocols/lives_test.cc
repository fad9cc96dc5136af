// Lives of the simulated electors as text, a file for each in lives/: TENURE_REWRITE_GOLDEN=1 writes them anew.
// tests/core/lease/elector_talk.h explains the words; these are of the stores that they use.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/protocols/client_go/client_go.h"
#include "sim/protocols/client_go/client_go_kind.h"
#include "sim/protocols/db_lease/db_lease.h"
#include "sim/protocols/heartbeat_lock/heartbeat_lock.h"
#include "sim/protocols/token_ring/token_ring.h"
#include "tests/core/lease/elector_talk.h"
#include "tests/sim/protocols/families.h"

namespace tenure::lives_tests {
namespace {

using testing::Stand;
using testing::Words;

class ProtocolTalk final : public testing::ElectorTalk {
 public:
  using ElectorTalk::ElectorTalk;

 private:
  std::int64_t number_of(const std::string& setting, const std::string& value) override {
    if (setting != "release") return ElectorTalk::number_of(setting, value);
    return std::find(std::begin(client_go::kReleases), std::end(client_go::kReleases), value) -
           std::begin(client_go::kReleases);
  }
  void hear(Stand& node, RequestId id, Words& words) override {
    if (words.take("no_row")) return node.answer(id, lease_table::NoRow{});
    if (words.take("locked")) {
      const Duration ahead = words.done() ? Duration{} : testing::duration_of(words.next()).value();
      const StoreTime now = StoreTime::from_ns((node.world.wall_now() + ahead).ns());
      return node.step(node.world.applied(id, lease_table::Locked{now + Duration::seconds(5)}, now));
    }
    if (words.take("not_found")) return node.answer(id, record::NotFound{});
    if (words.take("conflict")) return node.answer(id, record::Conflict{});
    if (words.take("stored"))
      return node.answer(id, record::Stored{static_cast<std::uint64_t>(words.number())});
    ASSERT_TRUE(words.take("found")) << words.rest();
    record::Found found{static_cast<std::uint64_t>(words.number()), {{}, {}, 4, second(1), {}}};
    found.record.renewed =
        second(words.take("as") ? words.number() : static_cast<std::int64_t>(found.version));
    words.take("by");
    if (!words.take("nobody")) found.record.holder = {NodeId{read_node(words)}, 1};
    found.record.duration = read_length(words, Duration::seconds(15));
    node.answer(id, found);
  }
  static WallTime second(std::int64_t number) { return WallTime::from_ns(Duration::seconds(number).ns()); }
};

void expect_life(const std::string& name, const ElectorKind& kind) {
  testing::expect_interaction<ProtocolTalk>("tests/sim/protocols/lives/" + name + ".txt", &kind);
}

TEST(ClientGo, lives_as_its_text_says) { expect_life("client_go", kClientGo); }
TEST(DbLease, lives_as_its_text_says) { expect_life("db_lease", kDbLease); }
TEST(HeartbeatLock, lives_as_its_text_says) { expect_life("heartbeat_lock", kHeartbeatLock); }
TEST(TokenRing, lives_as_its_text_says) { expect_life("token_ring", kTokenRing); }

// ---- validation ------------------------------------------------------------------------------------------

std::vector<Complaint> complaints(const ElectorKind& kind, const Stand::Settings& settings) {
  Parameters parameters{kind.parameters()};
  for (const auto& [name, value] : settings) parameters.set(parameters.find(name), value);
  return kind.validate(parameters);
}

TEST(DbLeaseParameters, a_poll_as_long_as_the_lock_is_unsafe) {
  const auto found = complaints(kDbLease, {{"poll_period", Duration::seconds(5).ns()}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, "poll_period");
  EXPECT_EQ(found[0].accept, "poll-beyond-lock");
  EXPECT_NE(found[0].text.find("poll_period (5s)"), std::string::npos);
}

// A beat that took 25 s is followed by the next at 30 s, which may hang as long.
TEST(HeartbeatLockParameters, beats_that_may_come_too_late_for_the_timeout_are_unsafe) {
  const auto with_timeout = [](std::int64_t seconds) {
    return complaints(kHeartbeatLock, {{"heartbeat_period", Duration::seconds(10).ns()},
                                       {"request_timeout", Duration::seconds(25).ns()},
                                       {"heartbeat_timeout", Duration::seconds(seconds).ns()}});
  };
  ASSERT_EQ(with_timeout(36).size(), 1u);
  EXPECT_EQ(with_timeout(36).front().accept, "timeout-within-a-beat");
  EXPECT_EQ(with_timeout(54).size(), 1u);
  EXPECT_TRUE(with_timeout(55).empty());
  EXPECT_EQ(with_timeout(35).size(), 1u) << "one complaint, whichever rule";
}

TEST(TokenRingParameters, a_timeout_below_the_smallest_rotation_is_unsafe) {
  EXPECT_TRUE(complaints(kTokenRing, {}).empty());
  const auto found = complaints(kTokenRing, {{"token_timeout", Duration::seconds(2).ns()}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].accept, "timeout-below-rotation");
}

}  // namespace
}  // namespace tenure::lives_tests
