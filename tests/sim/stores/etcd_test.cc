// The store etcd: what each request does, what waits, and when leases end; and what must hold in any order of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/stores/etcd/etcd_store.h"

namespace tenure::etcd {
namespace {

constexpr StoreTime kBeginning = StoreTime::from_ns(1'767'225'600'000'000'000);
constexpr Duration kSecond = Duration::seconds(1);
constexpr Duration kHalf = Duration::millis(500);
constexpr Incarnation kOne{NodeId{1}, 1};
constexpr Incarnation kOther{NodeId{2}, 1};
const std::string kAll(1, '\0');

class Server {
 public:
  template <class Response>
  Response ask(const Request& request) {
    std::vector<Notification> heard;
    return std::get<Response>(*message_as<Reply>(store.apply(request, now, heard)));
  }
  std::string failure(const Request& request) {
    std::vector<Notification> heard;
    const tenure::Reply reply = store.apply(request, now, heard);
    const auto* failed = std::get_if<Failed>(&*message_as<Reply>(reply));
    return failed != nullptr ? failed->message : "";
  }
  // The answer, or none yet.
  std::optional<Reply> begin(std::uint64_t ticket, const Request& request, Incarnation who = kOne) {
    const auto reply = store.begin({who, Part::elector, 0}, ticket, request, now);
    if (!reply) return std::nullopt;
    return *message_as<Reply>(*reply);
  }
  // What has been answered since: its ticket and its answer.
  std::map<std::uint64_t, Reply> completed() {
    std::map<std::uint64_t, Reply> all;
    for (const auto& [ticket, reply] : store.take_completed()) all.emplace(ticket, *message_as<Reply>(reply));
    return all;
  }
  // Time goes by, and the store does what it does by itself.
  void go_to(StoreTime time) {
    while (store.next_time_out() && *store.next_time_out() <= time) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = time;
  }
  void wait(Duration length) { go_to(now + length); }

  std::int64_t grant(std::int64_t ttl) { return ask<LeaseGrantResponse>(LeaseGrant{ttl, {}}).id; }
  std::vector<KeyValue> all() { return ask<GetResponse>(Get{"a", kAll, {}}).kvs; }
  std::int64_t revision() { return ask<GetResponse>(Get{"none", {}, {}}).revision; }
  bool has(const std::string& key) { return !ask<GetResponse>(Get{key, {}, {}}).kvs.empty(); }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  EtcdStore store;
  StoreTime now = kBeginning;
};

std::vector<std::string> keys_of(const std::vector<KeyEvent>& events) {
  std::vector<std::string> keys;
  for (const KeyEvent& event : events) keys.push_back(event.type + " " + event.kv.key);
  return keys;
}
std::vector<KeyEvent> events_in(const std::optional<Reply>& reply) {
  return std::get<WatchResponse>(reply.value()).events;
}
using Keys = std::vector<std::string>;

TEST(Etcd, counts_revisions_and_versions_of_what_changes) {
  Server etcd;
  EXPECT_EQ(etcd.revision(), 1);
  EXPECT_EQ(etcd.ask<PutResponse>(Put{"k", "a", {}}).revision, 2);
  EXPECT_EQ(etcd.ask<PutResponse>(Put{"l", "a", {}}).revision, 3);
  EXPECT_EQ(etcd.ask<PutResponse>(Put{"k", "b", {}}).revision, 4);
  const KeyValue k = etcd.all().front();
  EXPECT_EQ(std::tuple(k.create_revision, k.mod_revision, k.version, k.value), std::tuple(2, 4, 2, "b"));
  EXPECT_EQ(etcd.ask<DeleteRangeResponse>(DeleteRange{"m", {}}).revision, 4) << "nothing has changed";
  const auto deleted = etcd.ask<DeleteRangeResponse>(DeleteRange{"k", "m"});
  EXPECT_EQ(std::pair(deleted.revision, deleted.deleted), std::pair(std::int64_t{5}, std::int64_t{2}));
  etcd.ask<PutResponse>(Put{"k", "c", {}});
  EXPECT_EQ(std::pair(etcd.all()[0].create_revision, etcd.all()[0].version),
            std::pair(std::int64_t{6}, std::int64_t{1}));
}

TEST(Etcd, reads_deletes_and_watches_a_range_without_its_end) {
  Server etcd;
  for (const char* key : {"k", "l", "m"}) etcd.ask<PutResponse>(Put{key, "a", {}});
  EXPECT_EQ(etcd.ask<GetResponse>(Get{"k", "m", {}}).kvs.size(), 2U);
  EXPECT_EQ(etcd.ask<GetResponse>(Get{"k", kAll, {}}).kvs.size(), 3U) << "from a key on";
  EXPECT_EQ(keys_of(events_in(etcd.begin(1, Watch{"k", "m", 2}))), (Keys{"PUT k", "PUT l"}));
  EXPECT_EQ(etcd.ask<DeleteRangeResponse>(DeleteRange{"k", "m"}).deleted, 2);
  EXPECT_TRUE(etcd.has("m"));
}

TEST(Etcd, does_a_transaction_at_one_revision_or_its_other_half) {
  Server etcd;
  Compare absent{.key = "k",
                 .result = {},
                 .version = {},
                 .create_revision = 0,
                 .mod_revision = {},
                 .lease = {},
                 .value = {}};
  const Txn txn{{absent}, {Put{"k", "a", {}}, Put{"l", "a", {}}}, {Get{"k", {}, {}}}};
  const auto first = etcd.ask<TxnResponse>(txn);
  EXPECT_TRUE(first.succeeded);
  EXPECT_EQ(first.revision, 2);
  EXPECT_EQ(etcd.all()[1].create_revision, 2);
  const auto second = etcd.ask<TxnResponse>(txn);
  EXPECT_FALSE(second.succeeded);
  EXPECT_EQ(second.revision, 2);
  EXPECT_EQ(std::get<GetResponse>(second.responses.at(0)).kvs.at(0).value, "a");
}

TEST(Etcd, compares_by_each_target_and_result) {
  Server etcd;
  const std::int64_t lease = etcd.grant(60);
  etcd.ask<PutResponse>(Put{"k", "b", lease});
  etcd.ask<PutResponse>(Put{"k", "b", lease});
  const auto holds = [&](auto set, std::optional<std::string> result, const char* key = "k") {
    Compare compare;
    compare.key = key;
    compare.result = std::move(result);
    set(compare);
    return etcd.ask<TxnResponse>(Txn{{compare}, {}, {}}).succeeded;
  };
  const auto version = [](std::int64_t n) { return [n](Compare& it) { it.version = n; }; };
  const auto value = [](const char* text) { return [text](Compare& it) { it.value = text; }; };
  EXPECT_TRUE(holds(version(2), {}));
  EXPECT_TRUE(holds(version(1), "GREATER"));
  EXPECT_TRUE(holds(version(3), "LESS"));
  EXPECT_TRUE(holds(version(3), "NOT_EQUAL"));
  EXPECT_FALSE(holds(version(2), "GREATER"));
  EXPECT_FALSE(holds(version(2), "LESS"));
  EXPECT_TRUE(holds([](Compare& it) { it.create_revision = 2; }, "EQUAL"));
  EXPECT_TRUE(holds([](Compare& it) { it.mod_revision = 3; }, "EQUAL"));
  EXPECT_TRUE(holds([lease](Compare& it) { it.lease = lease; }, "EQUAL"));
  EXPECT_TRUE(holds(value("a"), "GREATER"));
  EXPECT_TRUE(holds(version(0), {}, "none"));
  EXPECT_FALSE(holds(value(""), {}, "none"));
  EXPECT_FALSE(holds(value("x"), "NOT_EQUAL", "none")) << "no comparison of a value that is not there holds";
}

TEST(Etcd, refuses_what_the_server_refuses_and_changes_nothing) {
  Server etcd;
  etcd.ask<PutResponse>(Put{"k", "a", {}});
  const std::uint64_t before = etcd.hash();
  const std::string duplicate = "etcdserver: duplicate key given in txn request";
  EXPECT_EQ(etcd.failure(Put{"k", "b", 77}), "etcdserver: requested lease not found");
  EXPECT_EQ(etcd.failure(Txn{{}, {Put{"x", "", {}}, Put{"k", "b", 77}}, {}}),
            "etcdserver: requested lease not found");
  EXPECT_EQ(etcd.failure(Txn{{}, {Put{"k", "b", {}}, Put{"k", "c", {}}}, {}}), duplicate);
  EXPECT_EQ(etcd.failure(Txn{{}, {}, {Put{"k", "b", {}}, DeleteRange{"a", "z"}}}), duplicate);
  EXPECT_EQ(etcd.failure(Put{"", "b", {}}), "etcdserver: key is not provided");
  EXPECT_EQ(etcd.failure(LeaseRevoke{77}), "etcdserver: requested lease not found");
  EXPECT_EQ(etcd.failure(LeaseGrant{9'000'000'001, {}}), "etcdserver: too large lease TTL");
  EXPECT_EQ(etcd.failure(Compact{3}), "etcdserver: mvcc: required revision is a future revision");
  Compare nothing;
  nothing.key = "k";
  EXPECT_NE(etcd.failure(Txn{{nothing}, {}, {}}), "");
  nothing.version = 1;
  nothing.result = "=";
  EXPECT_NE(etcd.failure(Txn{{nothing}, {}, {}}), "");
  EXPECT_EQ(etcd.hash(), before);
}

TEST(Etcd, grants_two_seconds_at_least_and_ids_that_are_free) {
  Server etcd;
  EXPECT_EQ(etcd.ask<LeaseGrantResponse>(LeaseGrant{1, {}}).ttl, 2);
  EXPECT_EQ(etcd.ask<LeaseGrantResponse>(LeaseGrant{5, 2}).id, 2);
  EXPECT_EQ(etcd.failure(LeaseGrant{5, 2}), "etcdserver: lease already exists");
  EXPECT_EQ(etcd.ask<LeaseGrantResponse>(LeaseGrant{5, {}}).id, 3);
}

TEST(Etcd, deletes_the_keys_of_a_lease_at_the_look_after_its_end_by_one_commit) {
  Server etcd;
  etcd.revision();
  etcd.wait(Duration::millis(100));
  const std::int64_t lease = etcd.grant(3);
  etcd.ask<PutResponse>(Put{"k", "a", lease});
  etcd.ask<PutResponse>(Put{"l", "a", lease});
  etcd.ask<PutResponse>(Put{"m", "a", {}});
  etcd.go_to(kBeginning + kSecond * 3 + kHalf - Duration::nanos(1));
  EXPECT_TRUE(etcd.has("k")) << "it has ended, and nobody has looked";
  EXPECT_EQ(etcd.ask<LeaseTimeToLiveResponse>(LeaseTimeToLive{lease}).ttl, 0);
  EXPECT_EQ(etcd.revision(), 4);
  etcd.go_to(kBeginning + kSecond * 3 + kHalf);
  EXPECT_EQ(etcd.all().size(), 1U);
  EXPECT_EQ(etcd.revision(), 5);
  EXPECT_EQ(etcd.ask<LeaseTimeToLiveResponse>(LeaseTimeToLive{lease}).ttl, -1);
}

TEST(Etcd, says_what_is_left_of_a_lease_in_whole_seconds_cut) {
  Server etcd;
  const std::int64_t lease = etcd.grant(5);
  const auto left = [&] { return etcd.ask<LeaseTimeToLiveResponse>(LeaseTimeToLive{lease}).ttl; };
  EXPECT_EQ(left(), 5);
  etcd.wait(Duration::millis(1));
  EXPECT_EQ(left(), 4);
  etcd.wait(kSecond - Duration::millis(1));
  EXPECT_EQ(left(), 4);
  etcd.wait(kSecond * 4 - Duration::millis(1));
  EXPECT_EQ(left(), 0);
}

TEST(Etcd, takes_a_key_from_its_lease_when_it_is_put_without_one) {
  Server etcd;
  etcd.ask<PutResponse>(Put{"k", "a", etcd.grant(2)});
  etcd.ask<PutResponse>(Put{"k", "b", {}});
  etcd.wait(kSecond * 5);
  EXPECT_TRUE(etcd.has("k"));
}

TEST(Etcd, answers_a_renewal_that_comes_too_late_once_the_lease_is_revoked) {
  Server etcd;
  etcd.revision();
  etcd.wait(Duration::millis(200));
  const std::int64_t lease = etcd.grant(2);
  etcd.wait(kSecond * 2 - Duration::nanos(1));
  EXPECT_EQ(std::get<LeaseKeepAliveResponse>(*etcd.begin(1, LeaseKeepAlive{lease})).ttl, 2);
  etcd.wait(kSecond * 2);
  EXPECT_EQ(etcd.begin(2, LeaseKeepAlive{lease}), std::nullopt);
  EXPECT_TRUE(etcd.completed().empty());
  etcd.wait(kHalf);
  const auto done = etcd.completed();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(std::get<LeaseKeepAliveResponse>(done.at(2)).ttl, 0);
  EXPECT_EQ(std::get<LeaseKeepAliveResponse>(*etcd.begin(3, LeaseKeepAlive{lease})).ttl, 0);
}

TEST(Etcd, begins_every_lease_anew_with_a_new_leader) {
  Server etcd;
  const std::int64_t lease = etcd.grant(5);
  etcd.ask<PutResponse>(Put{"k", "a", lease});
  etcd.wait(kSecond * 4);
  etcd.store.restart(etcd.now);
  etcd.wait(kSecond * 6 - Duration::nanos(1));
  EXPECT_TRUE(etcd.has("k")) << "its second, and the time-out of an election";
  etcd.wait(kHalf);
  EXPECT_FALSE(etcd.has("k"));
}

TEST(Etcd, answers_a_watch_with_the_next_commit_of_its_keys) {
  Server etcd;
  EXPECT_EQ(etcd.begin(1, Watch{"k", {}, {}}), std::nullopt);
  EXPECT_EQ(etcd.begin(2, Watch{"k", "m", {}}), std::nullopt);
  etcd.ask<PutResponse>(Put{"l", "a", {}});
  auto done = etcd.completed();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(keys_of(events_in(done.at(2))), Keys{"PUT l"});
  etcd.ask<TxnResponse>(Txn{{}, {Put{"k", "a", {}}, Put{"x", "a", {}}}, {}});
  done = etcd.completed();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(keys_of(events_in(done.at(1))), Keys{"PUT k"});
  etcd.ask<PutResponse>(Put{"k", "b", {}});
  EXPECT_TRUE(etcd.completed().empty()) << "each is answered once";
}

TEST(Etcd, tells_a_watch_of_the_end_of_a_lease) {
  Server etcd;
  etcd.ask<PutResponse>(Put{"k", "a", etcd.grant(2)});
  EXPECT_EQ(etcd.begin(1, Watch{"k", {}, {}}), std::nullopt);
  etcd.wait(kSecond * 3);
  EXPECT_EQ(keys_of(events_in(etcd.completed().at(1))), Keys{"DELETE k"});
}

TEST(Etcd, resumes_a_watch_from_a_revision_and_says_when_that_is_forgotten) {
  Server etcd;
  etcd.ask<PutResponse>(Put{"k", "a", {}});
  etcd.ask<DeleteRangeResponse>(DeleteRange{"k", {}});
  etcd.ask<PutResponse>(Put{"k", "b", {}});
  EXPECT_EQ(keys_of(events_in(etcd.begin(1, Watch{"k", {}, 2}))), (Keys{"PUT k", "DELETE k", "PUT k"}));
  EXPECT_EQ(keys_of(events_in(etcd.begin(2, Watch{"k", {}, 3}))), (Keys{"DELETE k", "PUT k"}));
  EXPECT_EQ(etcd.begin(3, Watch{"k", {}, 5}), std::nullopt);
  EXPECT_EQ(etcd.begin(4, Watch{"l", {}, 2}), std::nullopt) << "nothing has happened to it";
  etcd.ask<CompactionResponse>(Compact{4});
  EXPECT_EQ(std::get<WatchResponse>(*etcd.begin(5, Watch{"k", {}, 3})).compact_revision, 4);
  EXPECT_TRUE(etcd.completed().empty()) << "who waits has seen what is forgotten";
  EXPECT_EQ(etcd.failure(Compact{4}), "etcdserver: mvcc: required revision has been compacted");
}

TEST(Etcd, forgets_deletions_of_the_revision_that_it_is_compacted_to) {
  Server etcd;
  etcd.ask<PutResponse>(Put{"k", "a", {}});
  etcd.ask<TxnResponse>(Txn{{}, {DeleteRange{"k", {}}, Put{"l", "a", {}}}, {}});
  etcd.ask<CompactionResponse>(Compact{3});
  EXPECT_EQ(keys_of(events_in(etcd.begin(1, Watch{"k", "m", 3}))), Keys{"PUT l"});
}

TEST(Etcd, answers_no_watch_whose_client_is_gone_or_whose_server_was) {
  Server etcd;
  EXPECT_EQ(etcd.begin(1, Watch{"k", {}, {}}), std::nullopt);
  EXPECT_EQ(etcd.begin(2, Watch{"k", {}, {}}, kOther), std::nullopt);
  etcd.store.client_is_gone(kOne, etcd.now);
  etcd.ask<PutResponse>(Put{"k", "a", {}});
  EXPECT_EQ(etcd.completed().count(1), 0U);
  EXPECT_EQ(etcd.begin(3, Watch{"k", {}, {}}), std::nullopt);
  etcd.store.restart(etcd.now);
  etcd.ask<PutResponse>(Put{"k", "b", {}});
  EXPECT_TRUE(etcd.completed().empty());
}

// ---- laws -----------------------------------------------------------------------------------------------------------

std::string some_key() { return *rc::gen::element<std::string>("k", "l", "m"); }

// Puts, deletes and transactions, with and without leases; time goes by.
void do_something(Server& etcd, std::vector<std::int64_t>& leases) {
  const auto lease = [&]() -> std::optional<std::int64_t> {
    if (leases.empty() || *rc::gen::arbitrary<bool>()) return std::nullopt;
    return leases[*rc::gen::inRange<std::size_t>(0, leases.size())];
  };
  switch (*rc::gen::inRange(0, 7)) {
    case 0: leases.push_back(etcd.grant(*rc::gen::inRange<std::int64_t>(1, 5))); break;
    case 1: etcd.failure(DeleteRange{some_key(), *rc::gen::element<std::string>("l", "z")}); break;
    case 2: etcd.failure(Txn{{}, {Put{"k", "t", lease()}, DeleteRange{"l", {}}}, {}}); break;
    case 3: etcd.wait(Duration::millis(*rc::gen::inRange<std::int64_t>(0, 3'000))); break;
    case 4:
      if (const auto one = lease()) etcd.begin(0, LeaseKeepAlive{*one});
      break;
    default: etcd.failure(Put{some_key(), *rc::gen::element<std::string>("a", "b"), lease()});
  }
}

// Commits of other keys are behind it as well.
TEST(Etcd, a_watch_that_waits_is_not_ended_by_a_compaction_of_what_it_has_seen) {
  Server etcd;
  EXPECT_FALSE(etcd.begin(1, Watch{"k", {}, {}}).has_value());
  for (int i = 0; i < 3; ++i) etcd.ask<PutResponse>(Put{"other", "x", {}});
  etcd.ask<CompactionResponse>(Compact{etcd.revision()});
  EXPECT_TRUE(etcd.completed().empty());
  etcd.ask<PutResponse>(Put{"k", "a", {}});
  EXPECT_EQ(events_in(etcd.completed().at(1)).size(), 1U);
}

RC_GTEST_PROP(EtcdProperty, who_follows_the_watch_knows_the_keys, ()) {
  Server etcd;
  std::vector<std::int64_t> leases;
  std::map<std::string, KeyValue> known;
  std::int64_t next = 1;
  std::uint64_t ticket = 1;
  bool waits = false;
  const auto learn = [&](const Reply& reply) {
    const auto& seen = std::get<WatchResponse>(reply);
    RC_ASSERT(!seen.events.empty());
    for (const KeyEvent& event : seen.events) {
      RC_ASSERT(event.kv.mod_revision >= next);
      next = event.kv.mod_revision;
      if (event.type == "PUT")
        known[event.kv.key] = event.kv;
      else
        RC_ASSERT(known.erase(event.kv.key) == 1U);
    }
    next = seen.revision + 1;
  };
  for (int i = 0; i < 60; ++i) {
    if (!waits && *rc::gen::arbitrary<bool>()) {
      if (const auto at_once = etcd.begin(++ticket, Watch{"a", kAll, next}))
        learn(*at_once);
      else
        waits = true;
    }
    do_something(etcd, leases);
    for (const auto& [of, reply] : etcd.completed())
      if (of == ticket && waits) {
        learn(reply);
        waits = false;
      }
  }
  if (!waits)
    if (const auto at_once = etcd.begin(++ticket, Watch{"a", kAll, next})) learn(*at_once);
  std::map<std::string, std::int64_t> own;
  std::map<std::string, std::int64_t> theirs;
  for (const auto& [key, kv] : known) own[key] = kv.mod_revision;
  for (const KeyValue& kv : etcd.all()) theirs[kv.key] = kv.mod_revision;
  RC_ASSERT(own == theirs);
}

RC_GTEST_PROP(EtcdProperty, of_racing_creators_exactly_the_first_has_the_key,
              (const std::vector<std::uint8_t>& order)) {
  Server etcd;
  std::optional<std::string> holder;
  for (const std::uint8_t draw : order) {
    const std::string who = std::to_string(draw % 3);
    Compare absent;
    absent.key = "leader";
    absent.create_revision = 0;
    if (draw % 5 == 0) {
      etcd.ask<DeleteRangeResponse>(DeleteRange{"leader", {}});
      holder.reset();
    }
    const bool won = etcd.ask<TxnResponse>(Txn{{absent}, {Put{"leader", who, {}}}, {}}).succeeded;
    RC_ASSERT(won == !holder.has_value());
    if (won) holder = who;
    RC_ASSERT(etcd.all().at(0).value == holder);
  }
}

RC_GTEST_PROP(EtcdProperty, a_lease_is_there_until_its_end_and_gone_half_a_second_later, ()) {
  Server etcd;
  etcd.revision();
  etcd.wait(Duration::micros(*rc::gen::inRange<std::int64_t>(0, 1'000'000)));
  const std::int64_t ttl = *rc::gen::inRange<std::int64_t>(2, 6);
  const std::int64_t lease = etcd.grant(ttl);
  etcd.ask<PutResponse>(Put{"k", "a", lease});
  StoreTime ends = etcd.now + kSecond * ttl;
  for (int i = 0; i < 6; ++i) {
    const StoreTime at = etcd.now + Duration::micros(*rc::gen::inRange<std::int64_t>(0, 3'000'000));
    if (at >= ends) break;
    etcd.go_to(at);
    RC_ASSERT(std::get<LeaseKeepAliveResponse>(etcd.begin(1, LeaseKeepAlive{lease}).value()).ttl == ttl);
    ends = at + kSecond * ttl;
  }
  etcd.go_to(ends - Duration::nanos(1));
  RC_ASSERT(etcd.has("k"));
  etcd.go_to(ends + kHalf);
  RC_ASSERT(!etcd.has("k"));
}

RC_GTEST_PROP(EtcdProperty, hashes_alike_at_any_time_and_apart_when_answers_differ, ()) {
  Server early;
  Server late;
  late.now += kHalf * *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  const std::vector<int> draws = *rc::gen::container<std::vector<int>>(20, rc::gen::inRange(0, 4'000));
  const auto play = [](Server& etcd, int draw) {
    switch (draw % 4) {
      case 0: etcd.grant(draw % 5); break;
      case 1: etcd.failure(Put{"k", std::to_string(draw), draw % 3}); break;
      case 2: etcd.failure(DeleteRange{"k", {}}); break;
      default: etcd.wait(Duration::millis(draw));
    }
  };
  for (const int draw : draws) {
    play(early, draw);
    play(late, draw);
    RC_ASSERT(early.hash() == late.hash());
  }
  Server copy = early;
  const std::uint64_t was = early.hash();
  copy.failure(Put{"k", "another", {}});
  RC_ASSERT(copy.hash() != was);
}

}  // namespace
}  // namespace tenure::etcd
