// What a client is told when things go wrong on a real server, and what has become of its request.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <chrono>
#include <cstdlib>
#include <future>

#include "adapters/postgres/fence.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/postgres/port_kept.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

constexpr Duration kLease = Duration::seconds(60);

class PostgresFates : public ::testing::Test {
 protected:
  std::unique_ptr<PostgresStore> open_through(const loopback::TcpProxy& proxy) {
    auto opened = PostgresStore::open(
        {.connection = database_.connection() + " " + through(proxy), .zones = &testing::few_zones()});
    if (const auto* error = std::get_if<OpenError>(&opened)) throw std::runtime_error(error->message);
    return std::move(std::get<std::unique_ptr<PostgresStore>>(opened));
  }
  static Answer acquire(StoreBackend& store, Incarnation holder, Duration lease = kLease,
                        Duration timeout = kPatience) {
    const auto audit = store.audit(kResource);
    return store.execute(reference::Acquire{kResource, holder, audit ? audit->lease.epoch : 0, 7, lease},
                         timeout);
  }
  static Token lead(StoreBackend& store, Incarnation holder, Duration lease = kLease) {
    const Answer answer = acquire(store, holder, lease);
    const auto* granted = std::get_if<reference::Granted>(&answer.reply);
    EXPECT_NE(granted, nullptr) << answer.message;
    return granted == nullptr ? Token{} : granted->token;
  }
  static reference::Renew renewal(Incarnation holder, const Token& token) {
    return {kResource, holder, token, kLease};
  }
  reference::Lease stored() { return direct_->audit(kResource)->lease; }
  // Locks the lease row until it is destroyed.
  std::unique_ptr<Raw> locked(const std::string& strength) {
    auto raw = std::make_unique<Raw>(database_.connection());
    EXPECT_EQ(raw->ask("BEGIN; SELECT FROM tenure.lease WHERE resource = 1 " + strength), "");
    return raw;
  }
  // Returns once somebody waits for a lock, and does `then` to the backends that do.
  void when_somebody_waits(const std::string& then = "count(*)") {
    Raw control("dbname=postgres");
    const std::string who = fmt::format(
        " FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'", database_.name());
    while (control.ask("SELECT count(*)" + who) == "0") {
    }
    control.ask("SELECT " + then + who);
  }

  FreshDatabase database_;
  std::unique_ptr<PostgresStore> direct_ = database_.open();
};

constexpr std::uint32_t kAlways = 1'000'000;
constexpr std::uint32_t kReady = 6;  // the length of ReadyForQuery, with which the server's answer ends

struct Lost {
  loopback::Direction direction;
  loopback::DirectionRule rule;
  bool applied;
};

TEST_F(PostgresFates, what_was_sent_and_not_answered_is_unknown_whether_it_was_applied_or_not) {
  const Duration bound =
      kSecond * 6;  // always the same: another would first be said to the server, and that be lost
  using enum loopback::Direction;
  for (const Lost& lost :
       {Lost{to_client, {.cut_ppm = kAlways}, true},
        Lost{to_client, {.cut_ppm = kAlways, .cut_tail = kReady}, true},
        Lost{to_server, {.cut_ppm = kAlways}, false}, Lost{to_server, {.swallow = true}, false}}) {
    loopback::TcpProxy proxy(server_address());
    const auto store = open_through(proxy);
    const Token token = lead(*store, node(1));
    EXPECT_EQ(outcome(store->execute(renewal(node(1), token), bound)), "applied");
    const reference::Lease before = stored();

    proxy.set(lost.direction, lost.rule);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(outcome(store->execute(renewal(node(1), token), bound)), "unknown: lost");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(stored() != before, lost.applied) << lost.rule.cut_tail << " " << lost.rule.swallow;

    proxy.set_both({});
    EXPECT_EQ(outcome(store->execute(renewal(node(1), token), bound)), "applied");
    EXPECT_EQ(outcome(store->execute(reference::Release{kResource, node(1), token}, kPatience)), "applied");
  }
}

TEST_F(PostgresFates, a_server_that_ends_the_connection_half_way_leaves_the_fate_unknown) {
  lead(*direct_, node(1));
  const auto store = database_.open();
  auto stalled = locked("FOR UPDATE");
  auto answer = std::async(std::launch::async, [&] { return acquire(*store, node(2), kLease, kPatience); });
  when_somebody_waits("pg_terminate_backend(pid)");
  EXPECT_EQ(outcome(answer.get()), "unknown: lost");
  stalled.reset();
  EXPECT_EQ(outcome(acquire(*store, node(2))), "applied");
  EXPECT_EQ(stored().holder, node(1));
}

TEST_F(PostgresFates, a_stalled_commit_keeps_an_acquire_waiting_in_bounds_and_a_renewal_not_at_all) {
  const Token token = lead(*direct_, node(1));
  const auto other = database_.open();
  const auto stalled = locked("FOR KEY SHARE");
  EXPECT_EQ(outcome(direct_->execute(renewal(node(1), token), kPatience)), "applied");
  const Answer refused =
      answer_of_the_server(*other, reference::Acquire{kResource, node(2), token.epoch, 7, kLease});
  EXPECT_EQ(outcome(refused), "rejected: busy") << refused.message;
  EXPECT_EQ(refused.rejection, Rejection::overloaded);
}

TEST_F(PostgresFates, a_renewal_that_waited_for_the_lock_does_not_revive_an_expired_lease) {
  const Token token = lead(*direct_, node(1), kSecond);
  const auto stalled = locked("FOR UPDATE");
  stalled->send("SELECT pg_sleep(3); COMMIT");
  const Answer answer = direct_->execute(renewal(node(1), token), kPatience);
  stalled->receive();
  const auto* refused = std::get_if<reference::Refused>(&answer.reply);
  ASSERT_NE(refused, nullptr) << answer.message;
  EXPECT_EQ(refused->why, reference::Denial::expired);
}

TEST_F(PostgresFates, a_restart_half_way_is_unknown_then_unreachable_and_then_over) {
  const Token token = lead(*direct_, node(1), Duration::minutes(10));
  const auto store = database_.open();
  const auto stalled = locked("FOR UPDATE");
  auto answer = std::async(std::launch::async, [&] { return acquire(*store, node(2), kLease, kPatience); });
  when_somebody_waits();
  const PortKept port_kept;
  ASSERT_EQ(std::system("pg_ctlcluster 15 regress stop -m immediate >/dev/null 2>&1"), 0);
  EXPECT_EQ(outcome(answer.get()), "unknown: lost");
  EXPECT_EQ(outcome(store->execute(renewal(node(1), token), kPatience)), "rejected: unreachable");
  ASSERT_EQ(std::system("pg_ctlcluster 15 regress start >/dev/null 2>&1"), 0);
  EXPECT_EQ(outcome(direct_->execute(renewal(node(1), token), kPatience)), "applied");
  EXPECT_EQ(outcome(store->execute(renewal(node(1), token), kPatience)), "applied");
}

TEST_F(PostgresFates, a_commit_that_waited_for_another_takes_the_numbers_after_it) {
  const Token token = lead(*direct_, node(1));
  const Definition hourly{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  direct_->execute(reference::PutSchedule{kResource, {1}, 0, hourly}, kPatience);
  Raw other(database_.connection());
  other.ask("UPDATE tenure.segment SET cursor_us = 0, begin_us = 0, covered_us = 0");
  other.ask("BEGIN; UPDATE tenure.head SET outbox_seq = outbox_seq + 5");
  const StoreTime slot;
  const reference::CommitFires fires{
      kResource,
      node(1),
      token,
      {{{1}, 1, slot, slot + Duration::hours(1), slot, slot, reference::Disposition::fired}}};
  auto answer = std::async(std::launch::async, [&] { return direct_->execute(fires, kPatience); });
  when_somebody_waits();
  other.ask("COMMIT");
  EXPECT_EQ(outcome(answer.get()), "applied");
  EXPECT_EQ(other.ask("SELECT seq FROM tenure.outbox"), "6");
}

TEST_F(PostgresFates, an_edit_that_waited_beyond_its_first_slot_searches_again) {
  database_.own_clock();
  const StoreTime early = StoreTime{} + Duration::seconds(1'000);
  const StoreTime late = early + Duration::seconds(100);
  database_.set_clock(early);
  direct_->execute(reference::PutSchedule{kResource, {9}, 0, {.recurrence = Interval{StoreTime{}, kSecond}}},
                   kSecond);
  Raw other(database_.connection());
  other.ask("BEGIN; SELECT 1 FROM tenure.head FOR UPDATE");
  const reference::PutSchedule put{kResource, {1}, 0, {.recurrence = Interval{StoreTime{}, kSecond * 7}}};
  auto answer = std::async(std::launch::async, [&] { return direct_->execute(put, kPatience); });
  when_somebody_waits();
  database_.set_clock(late);
  other.ask("COMMIT");
  EXPECT_EQ(std::get<reference::Edited>(answer.get().reply).since, late);
  EXPECT_EQ(other.ask("SELECT cursor_us FROM tenure.segment WHERE schedule = 1"), "1106000000");
}

// Its slots are so near that each is past before the edit can be written, and each look takes a while.
TEST_F(PostgresFates, an_edit_that_never_fits_is_refused_before_its_deadline) {
  Raw slow(database_.connection());
  ASSERT_EQ(
      slow.ask(
          "CREATE OR REPLACE FUNCTION tenure.now_us() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$ BEGIN"
          "  PERFORM pg_sleep(0.05);"
          "  RETURN floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint;"
          "END $$"),
      "");
  const Definition always{.recurrence = Interval{{}, Duration::micros(1)}};
  const Answer answer = direct_->execute(reference::PutSchedule{kResource, {1}, 0, always}, kSecond * 4);
  EXPECT_EQ(outcome(answer), "rejected: busy") << answer.message;
  EXPECT_EQ(answer.message.find("timeout"), std::string::npos) << answer.message;
  EXPECT_EQ(slow.ask("SELECT count(*) FROM tenure.segment"), "0");
}

TEST_F(PostgresFates, a_fence_on_the_users_own_connection_says_whose_term_it_is) {
  const Token token = lead(*direct_, node(1));
  const std::unique_ptr<PGconn, decltype(&PQfinish)> user(PQconnectdb(database_.connection().c_str()),
                                                          &PQfinish);
  PQclear(PQexec(user.get(), "BEGIN"));
  EXPECT_EQ(fence(user.get(), kResource, token), std::nullopt);
  EXPECT_EQ(outcome(answer_of_the_server(*direct_, reference::Release{kResource, node(1), token})),
            "rejected: busy");
  PQclear(PQexec(user.get(), "COMMIT"));
  Token other = token;
  other.nonce += 1;
  EXPECT_EQ(fence(user.get(), kResource, other), "not the leader of resource 1: another term has begun");
  EXPECT_EQ(outcome(direct_->execute(reference::Release{kResource, node(1), token}, kPatience)), "applied");
  EXPECT_EQ(fence(user.get(), kResource, token), "not the leader of resource 1: nobody holds the lease");
}

TEST_F(PostgresFates, a_transaction_of_the_users_own_goes_through_under_its_term_alone) {
  const Token token = lead(*direct_, node(1));
  Raw user(database_.connection());
  const auto guard = [&](std::uint64_t epoch, std::uint64_t nonce) {
    return user.ask(fmt::format("SELECT tenure.assert_epoch(1, {}, {})", epoch, nonce));
  };
  EXPECT_EQ(guard(token.epoch, token.nonce), "");
  EXPECT_EQ(guard(token.epoch, token.nonce + 1), "!TN001");
  EXPECT_EQ(guard(token.epoch + 1, token.nonce), "!TN001");
  // Nobody else is granted the lease while such a transaction is open.
  EXPECT_EQ(user.ask(fmt::format("BEGIN; SELECT tenure.assert_epoch(1, {}, {})", token.epoch, token.nonce)),
            "");
  EXPECT_EQ(outcome(answer_of_the_server(*direct_, reference::Release{kResource, node(1), token})),
            "rejected: busy");
  EXPECT_EQ(user.ask("COMMIT"), "");
  EXPECT_EQ(outcome(direct_->execute(reference::Release{kResource, node(1), token}, kPatience)), "applied");
  EXPECT_EQ(guard(token.epoch, token.nonce), "!TN001");
}

// The server says `committed` then, and adds a warning.
TEST_F(PostgresFates, a_commit_whose_wait_for_a_synchronous_standby_was_cancelled_is_unknown) {
  Raw control("dbname=postgres");
  control.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  control.ask("SELECT pg_reload_conf()");
  const std::string waiting =
      fmt::format(" FROM pg_stat_activity WHERE datname = '{}' AND wait_event = 'SyncRep'", database_.name());
  std::string fate = "applied";
  for (std::uint32_t life = 1; fate == "applied" && life < 50;
       ++life) {  // until the server has read its settings
    auto asked = std::async(std::launch::async, [&] {
      return direct_->execute(reference::Acquire{ResourceId{life}, node(1), 0, 7, kLease}, kPatience);
    });
    while (asked.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      control.ask("SELECT pg_cancel_backend(pid)" + waiting);
    fate = outcome(asked.get());
  }
  control.ask("ALTER SYSTEM RESET synchronous_standby_names");
  control.ask("SELECT pg_reload_conf()");
  EXPECT_EQ(fate, "unknown: lost");
}

}  // namespace
}  // namespace tenure::pgtest
