// The store etcd: what must hold in any order of requests. interactions/etcd.txt has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/stores/etcd/etcd_store.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::etcd {
namespace {

constexpr Duration kSecond = Duration::seconds(1);
constexpr Duration kHalf = Duration::millis(500);
const std::string kAll(1, '\0');

struct Server : testing::MachineUnderTest<EtcdStore, Request, Reply> {
  std::int64_t grant(std::int64_t ttl) { return ask<LeaseGrantResponse>(LeaseGrant{ttl, {}}).id; }
  std::vector<KeyValue> all() { return ask<GetResponse>(Get{"a", kAll, {}}).kvs; }
  std::int64_t revision() { return ask<GetResponse>(Get{"none", {}, {}}).revision; }
  bool has(const std::string& key) { return !ask<GetResponse>(Get{key, {}, {}}).kvs.empty(); }
};

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
  testing::check_hashes<Server>(
      kHalf * *rc::gen::inRange<std::int64_t>(1, 1'000'000), 4'000,
      [](Server& etcd, int draw) {
        switch (draw % 4) {
          case 0: etcd.grant(draw % 5); break;
          case 1: etcd.failure(Put{"k", std::to_string(draw), draw % 3}); break;
          case 2: etcd.failure(DeleteRange{"k", {}}); break;
          default: etcd.wait(Duration::millis(draw));
        }
      },
      [](Server& etcd) {
        etcd.failure(Put{"k", "another", {}});
      });
}

}  // namespace
}  // namespace tenure::etcd
