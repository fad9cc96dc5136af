// The store zookeeper: what each request does, when sessions end and what goes with them, and what watches tell.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/stores/zookeeper/zookeeper_store.h"

namespace tenure::zookeeper {
namespace {

constexpr Duration kSec = Duration::seconds(1);
constexpr Duration kLeast = Duration::micros(1);  // of a store's time
constexpr Incarnation kCaller{NodeId{1}, 1};
constexpr std::uint64_t kEvents = 7;

class Server {
 public:
  std::optional<Reply> begin(const Request& request, std::uint32_t connection = 0, std::uint64_t ticket = 1) {
    const auto reply = store.begin({kCaller, Part::elector, connection}, ticket, request, now);
    return reply ? std::optional(*message_as<Reply>(*reply)) : std::nullopt;
  }
  template <class Answer>
  Answer ask(const Request& request, std::uint32_t connection = 0) {
    return std::get<Answer>(begin(request, connection).value());
  }
  // "": it was done.
  std::string code(const Request& request, std::uint32_t connection = 0) {
    const Reply reply = begin(request, connection).value();
    const auto* failed = std::get_if<Failed>(&reply);
    return failed != nullptr ? failed->code : "";
  }
  std::int64_t session(Duration timeout = kSec * 10) { return ask<Connected>(Connect{timeout, {}}).session; }
  std::string create(std::int64_t session, const std::string& path, bool ephemeral = false,
                     bool sequential = false) {
    return ask<Created>(Create{session, path, "", ephemeral, sequential}).path;
  }
  bool exists(std::int64_t session, const std::string& path, bool watch = false) {
    return ask<Existing>(Exists{session, path, watch}).stat.has_value();
  }
  // The session's next event, if there is one; whoever waited before waits no more.
  std::string event(std::int64_t session) {
    EXPECT_FALSE(begin(NextEvent{session}, 0, kEvents));
    std::string told;
    for (const auto& [ticket, reply] : store.take_completed()) {
      EXPECT_EQ(ticket, kEvents);
      const auto& event = std::get<WatchedEvent>(*message_as<Reply>(reply));
      told += event.type + " " + event.path;
    }
    store.client_is_gone(kCaller, now);
    return told;
  }
  void wait(Duration length) {
    const StoreTime until = now + length;
    while (store.next_time_out() && *store.next_time_out() <= until) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = until;
  }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  ZookeeperStore store;
  StoreTime now = StoreTime::from_ns(1'767'225'600'000'000'000);  // at a tick
};

TEST(Zookeeper, bounds_a_sessions_timeout_by_2_and_20_ticks) {
  Server server;
  EXPECT_EQ(server.ask<Connected>(Connect{kSec * 60, {}}).session_timeout, kSec * 40)
      << "Curator asks for that";
  EXPECT_EQ(server.ask<Connected>(Connect{kSec, {}}).session_timeout, kSec * 4);
  EXPECT_EQ(server.ask<Connected>(Connect{kSec * 15, {}}).session_timeout, kSec * 15);
}

TEST(Zookeeper, ends_a_session_at_the_tick_after_its_timeout_and_deletes_what_goes_with_it) {
  Server server;
  server.now = server.now + Duration::millis(500);
  const std::int64_t other = server.session(kSec * 40);
  const std::int64_t one = server.session(kSec * 10);
  server.create(one, "/a", true);
  server.create(one, "/b", false);
  server.wait(kSec * 11 + Duration::millis(500) - kLeast);  // 10.5 s, rounded up to 12
  EXPECT_TRUE(server.exists(other, "/a"));
  server.wait(kLeast);
  EXPECT_FALSE(server.exists(other, "/a"));
  EXPECT_TRUE(server.exists(other, "/b"));
}

TEST(Zookeeper, adds_a_tick_to_a_timeout_that_ends_at_one) {
  Server server;
  const std::int64_t other = server.session(kSec * 40);
  server.create(server.session(kSec * 10), "/a", true);
  server.wait(kSec * 12 - kLeast);
  EXPECT_TRUE(server.exists(other, "/a"));
  server.wait(kLeast);
  EXPECT_FALSE(server.exists(other, "/a"));
}

TEST(Zookeeper, keeps_a_session_for_which_anything_is_asked) {
  Server server;
  const std::int64_t one = server.session(kSec * 10);
  server.create(one, "/a", true);
  for (int i = 0; i < 10; ++i) {
    server.wait(kSec * 9);
    if (i % 2 == 0)
      server.ask<Done>(Ping{one});
    else
      EXPECT_TRUE(server.exists(one, "/a"));
  }
  EXPECT_TRUE(server.exists(one, "/a"));
}

TEST(Zookeeper, tells_of_the_end_of_a_session_when_it_comes_back) {
  Server server;
  const std::int64_t one = server.session(kSec * 10);
  server.begin(NextEvent{one}, 0, kEvents);
  server.wait(kSec * 12);
  const auto told = server.store.take_completed();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(std::get<Failed>(*message_as<Reply>(told.front().second)).code, "CONNECTIONLOSS");
  EXPECT_EQ(server.code(Ping{one}), "CONNECTIONLOSS")
      << "its connection is closed, and that is all it is told";
  EXPECT_EQ(server.code(Connect{kSec * 10, one}, 1), "SESSIONEXPIRED");
}

TEST(Zookeeper, has_a_session_on_the_connection_that_connected_it_last) {
  Server server;
  const std::int64_t one = server.session();
  server.create(one, "/a", true);
  EXPECT_EQ(server.code(Ping{one}, 1), "CONNECTIONLOSS") << "a connection begins with connect";
  EXPECT_EQ(server.ask<Connected>(Connect{kSec * 20, one}, 1).session, one);
  EXPECT_EQ(server.code(Delete{one, "/a", {}}, 0), "SESSIONMOVED");
  EXPECT_TRUE(std::get<Existing>(*server.begin(Exists{one, "/a", {}}, 1)).stat.has_value());
  server.wait(kSec * 20);
  EXPECT_EQ(server.code(Ping{one}, 1), "") << "the timeout is that of the last connect";
}

TEST(Zookeeper, a_request_on_an_earlier_connection_does_not_keep_a_session) {
  Server server;
  const std::int64_t one = server.session(kSec * 10);
  server.ask<Connected>(Connect{kSec * 10, one}, 1);
  server.wait(kSec * 9);
  server.code(Ping{one}, 0);
  server.wait(kSec * 3);
  EXPECT_EQ(server.code(Connect{kSec * 10, one}, 2), "SESSIONEXPIRED");
}

TEST(Zookeeper, counts_sequential_names_by_all_children_that_a_parent_has_had) {
  Server server;
  const std::int64_t one = server.session();
  server.create(one, "/p");
  EXPECT_EQ(server.create(one, "/p/a-", false, true), "/p/a-0000000000");
  EXPECT_EQ(server.create(one, "/p/b-", true, true), "/p/b-0000000001");
  server.create(one, "/p/plain");
  server.ask<Done>(Delete{one, "/p/b-0000000001", {}});
  EXPECT_EQ(server.create(one, "/p/a-", false, true), "/p/a-0000000003");
  const Stat stat = server.ask<Existing>(Exists{one, "/p", {}}).stat.value();
  EXPECT_EQ(stat.num_children, 3);
  EXPECT_EQ(stat.cversion, 5) << "four came, and one went";
}

TEST(Zookeeper, refuses_what_does_not_fit_the_tree) {
  Server server;
  const std::int64_t one = server.session();
  server.create(one, "/p");
  server.create(one, "/p/e", true);
  EXPECT_EQ(server.code(Create{one, "/p", "", {}, {}}), "NODEEXISTS");
  EXPECT_EQ(server.code(Create{one, "/q/a", "", {}, {}}), "NONODE");
  EXPECT_EQ(server.code(Create{one, "/p/e/a", "", {}, {}}), "NOCHILDRENFOREPHEMERALS");
  EXPECT_EQ(server.code(Create{one, "p", "", {}, {}}), "BADARGUMENTS");
  EXPECT_EQ(server.code(Delete{one, "/p", {}}), "NOTEMPTY");
  EXPECT_EQ(server.code(Delete{one, "/q", {}}), "NONODE");
  EXPECT_EQ(server.code(Delete{one, "/p/e", 3}), "BADVERSION");
  EXPECT_EQ(server.code(SetData{one, "/p", "x", 3}), "BADVERSION");
  EXPECT_EQ(server.code(SetData{one, "/q", "x", {}}), "NONODE");
  EXPECT_EQ(server.code(GetData{one, "/q", {}}), "NONODE");
  EXPECT_EQ(server.code(GetChildren{one, "/q", {}}), "NONODE");
  EXPECT_EQ(server.ask<Stat>(SetData{one, "/p", "x", 0}).version, 1);
  EXPECT_EQ(server.ask<Data>(GetData{one, "/p", {}}).data, "x");
  EXPECT_EQ(server.ask<Children>(GetChildren{one, "/", {}}).children, std::vector<std::string>{"p"});
}

TEST(Zookeeper, tells_a_watch_once_of_the_next_change) {
  Server server;
  const std::int64_t one = server.session();
  const std::int64_t other = server.session();
  EXPECT_FALSE(server.exists(one, "/a", true));
  EXPECT_EQ(server.event(one), "");
  server.create(other, "/a");
  server.ask<Stat>(SetData{other, "/a", "x", {}});
  EXPECT_EQ(server.event(one), "NodeCreated /a");
  EXPECT_EQ(server.event(one), "") << "it told once";
  server.ask<Data>(GetData{one, "/a", true});
  server.ask<Stat>(SetData{other, "/a", "y", {}});
  EXPECT_EQ(server.event(one), "NodeDataChanged /a");
  server.ask<Data>(GetData{one, "/a", true});
  server.ask<Children>(GetChildren{one, "/a", true});
  server.ask<Children>(GetChildren{one, "/", true});
  server.ask<Done>(Delete{other, "/a", {}});
  EXPECT_EQ(server.event(one), "NodeDeleted /a") << "of two watches, once";
  EXPECT_EQ(server.event(one), "NodeChildrenChanged /");
  EXPECT_EQ(server.event(one), "");
  EXPECT_EQ(server.event(other), "");
}

TEST(Zookeeper, tells_whoever_watches_children_of_one_that_comes) {
  Server server;
  const std::int64_t one = server.session();
  server.create(one, "/p");
  server.ask<Children>(GetChildren{one, "/p", true});
  server.create(one, "/p/a");
  server.create(one, "/p/b");
  EXPECT_EQ(server.event(one), "NodeChildrenChanged /p");
  EXPECT_EQ(server.event(one), "");
}

TEST(Zookeeper, a_refused_read_sets_no_watch) {
  Server server;
  const std::int64_t one = server.session();
  server.code(GetData{one, "/a", true});
  server.code(GetChildren{one, "/a", true});
  server.create(one, "/a");
  server.create(one, "/a/b");
  EXPECT_EQ(server.event(one), "");
}

TEST(Zookeeper, tells_whoever_waits_on_an_earlier_connection_that_it_is_lost) {
  Server server;
  const std::int64_t one = server.session();
  server.begin(NextEvent{one}, 0, kEvents);
  server.ask<Connected>(Connect{kSec * 10, one}, 1);
  const auto told = server.store.take_completed();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(std::get<Failed>(*message_as<Reply>(told.front().second)).code, "CONNECTIONLOSS");
}

TEST(Zookeeper, tells_whoever_waits_and_keeps_events_for_who_does_not) {
  Server server;
  const std::int64_t one = server.session(kSec * 40);
  server.exists(one, "/a", true);
  server.begin(NextEvent{one}, 0, kEvents);
  EXPECT_TRUE(server.store.take_completed().empty());
  const std::int64_t other = server.session(kSec * 4);
  server.create(other, "/a", true);
  EXPECT_EQ(server.store.take_completed().size(), 1U);
  server.exists(one, "/a", true);
  server.begin(NextEvent{one}, 0, kEvents);
  server.wait(kSec * 6);
  EXPECT_EQ(server.store.take_completed().size(), 1U) << "the end of a session is a change like another";
}

TEST(Zookeeper, begins_every_session_anew_when_it_is_there_again_and_each_has_to_come_back) {
  Server server;
  const std::int64_t one = server.session(kSec * 10);
  server.create(one, "/a", true);
  server.exists(one, "/b", true);
  server.wait(kSec * 9);
  server.now = server.now + kSec * 60;  // down: nothing ends
  server.store.restart(server.now);
  EXPECT_EQ(server.code(Ping{one}), "CONNECTIONLOSS");
  server.wait(kSec * 9);
  EXPECT_EQ(server.ask<Connected>(Connect{kSec * 10, one}).session, one);
  EXPECT_TRUE(server.exists(one, "/a"));
  server.create(one, "/b");
  EXPECT_EQ(server.event(one), "NodeCreated /b");
}

TEST(Zookeeper, gives_each_write_a_zxid_also_one_that_is_refused) {
  Server server;
  const std::int64_t one = server.session();  // 1
  server.create(one, "/a");                   // 2
  server.code(Create{one, "/a", "", {}, {}});
  server.ask<Data>(GetData{one, "/a", {}});
  server.create(one, "/b");
  EXPECT_EQ(server.ask<Data>(GetData{one, "/a", {}}).stat.czxid, 2);
  EXPECT_EQ(server.ask<Data>(GetData{one, "/b", {}}).stat.czxid, 4);
  EXPECT_EQ(server.ask<Stat>(SetData{one, "/a", "", {}}).mzxid, 5);
}

TEST(Zookeeper, close_ends_a_session_at_once) {
  Server server;
  const std::int64_t one = server.session();
  server.create(one, "/a", true);
  const std::int64_t other = server.session();
  server.exists(other, "/a", true);
  server.ask<Done>(Close{one});
  EXPECT_EQ(server.event(other), "NodeDeleted /a");
  EXPECT_EQ(server.code(Ping{one}), "CONNECTIONLOSS");
}

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
