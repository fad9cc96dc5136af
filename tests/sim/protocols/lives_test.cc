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

}  // namespace
}  // namespace tenure::lives_tests
