// The store zookeeper: what must hold in any order of requests. interactions/zookeeper.txt has what it answers to
// each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/stores/zookeeper/zookeeper_store.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::zookeeper {
namespace {

constexpr Duration kSec = Duration::seconds(1);
constexpr Duration kLeast = Duration::micros(1);  // of a store's time

struct Server : testing::MachineUnderTest<ZookeeperStore, Request, Reply> {
  std::optional<Reply> begin(const Request& request, std::uint32_t connection = 0) {
    return MachineUnderTest::begin(1, request, connection);
  }
  template <class Answer>
  Answer ask(const Request& request) {
    return std::get<Answer>(begin(request).value());
  }
  std::string code(const Request& request, std::uint32_t connection = 0) {
    return failure_of(begin(request, connection).value());
  }
  std::int64_t session(Duration timeout = kSec * 10) { return ask<Connected>(Connect{timeout, {}}).session; }
  void create(std::int64_t session, const std::string& path) {
    ask<Created>(Create{session, path, "", {}, {}});
  }
};

// ---- laws, of any history ----

Request drawn_request(std::uint32_t bits) {
  const std::int64_t session = 1 + (bits & 3);
  const std::string path = (bits >> 2) & 1 ? "/p/a" : "/p/b";
  const bool flag = ((bits >> 3) & 1) != 0;
  switch ((bits >> 4) % 9) {
    case 0: return Connect{kSec * 4, flag ? std::optional<std::int64_t>(session) : std::nullopt};
    case 1: return Ping{session};
    case 2: return flag ? Request{Close{session}} : Request{Ping{session}};
    case 3: return Create{session, path, "x", flag, {}};
    case 4: return Create{session, "/p/s-", "x", flag, true};
    case 5: return Delete{session, path, {}};
    case 6: return SetData{session, path, "y", {}};
    case 7: return Exists{session, path, flag};
    default: return GetChildren{session, "/p", flag};
  }
}

RC_GTEST_PROP(ZookeeperLaws, an_ephemeral_node_is_there_only_while_its_session_is, ()) {
  Server server;
  const std::int64_t watcher = server.session(kSec * 40);
  server.create(watcher, "/p");
  std::set<std::string> sequential;
  for (const std::uint32_t bits :
       *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>())) {
    const auto reply = server.begin(drawn_request(bits), 0);
    RC_ASSERT(reply.has_value());
    if (const auto* created = std::get_if<Created>(&*reply);
        created != nullptr && created->path.starts_with("/p/s-"))
      RC_ASSERT(sequential.insert(created->path).second);  // no name comes twice
    server.wait(Duration::millis((bits >> 20) % 3'000));
    Server seen = server;
    const auto children = seen.begin(GetChildren{watcher, "/p", {}});
    const auto* all = children ? std::get_if<Children>(&*children) : nullptr;
    if (all == nullptr) return;  // the watcher was closed
    for (const std::string& name : all->children) {
      const Stat stat = seen.ask<Existing>(Exists{watcher, "/p/" + name, {}}).stat.value();
      if (stat.ephemeral_owner == 0) continue;
      Server comes_back = seen;
      RC_ASSERT(comes_back.code(Connect{kSec * 4, stat.ephemeral_owner}, 9) == "");
    }
    server.begin(Ping{watcher});
  }
}

RC_GTEST_PROP(ZookeeperLaws, a_session_ends_after_its_timeout_and_within_a_tick_of_it, ()) {
  Server server;
  server.wait(Duration::millis(*rc::gen::inRange(0, 4'000)));
  const Duration timeout = Duration::millis(*rc::gen::inRange(4'000, 40'000));
  const std::int64_t one = server.session(timeout);
  server.wait(Duration::millis(*rc::gen::inRange(0, 3'999)));
  server.ask<Done>(Ping{one});
  const StoreTime touched = server.now;
  const StoreTime ends = server.store.next_time_out().value();
  RC_ASSERT(ends > touched + timeout);
  RC_ASSERT(ends <= touched + timeout + kSec * 2);
  server.wait(ends - server.now - kLeast);
  Server before = server;
  RC_ASSERT(before.code(Ping{one}) == "");
  server.wait(kLeast);
  RC_ASSERT(server.code(Connect{timeout, one}, 1) == "SESSIONEXPIRED");
}

RC_GTEST_PROP(ZookeeperLaws, the_hash_tells_apart_what_will_behave_differently, ()) {
  Server server;
  server.create(server.session(), "/p");
  for (const std::uint32_t bits :
       *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>()))
    server.begin(drawn_request(bits));
  Server same = server;
  RC_ASSERT(same.hash() == server.hash());
  same.wait(Duration::millis(1));
  server.wait(Duration::millis(1));
  RC_ASSERT(same.hash() == server.hash());
  const auto probe = drawn_request(*rc::gen::arbitrary<std::uint32_t>());
  const auto reply = server.begin(probe);
  RC_ASSERT(reply.has_value() == same.begin(probe).has_value());
  RC_ASSERT(same.hash() == server.hash());
}

}  // namespace
}  // namespace tenure::zookeeper
