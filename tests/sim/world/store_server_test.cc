#include "sim/world/store_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/store/store_kind.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/registry.h"

namespace tenure::sim {
namespace {

class StoreServerTest : public testing::Test, public StoreWorld {
 protected:
  void store_answered(const InFlightRequest& transit, StoreReplied&& reply) override {
    answers.push_back({timeline.now(), transit.id.counter, reply.outcome, reply.rejection});
  }
  void store_notified(StoreId, const Notification&) override {}

  std::unique_ptr<StoreServer> make(std::int64_t concurrent, std::int64_t queue,
                                    const char* kind = "record") {
    std::vector<std::unique_ptr<StoreMachine>> machines;
    machines.push_back(find_store_kind(kind)->make());
    return std::make_unique<StoreServer>(
        timeline, history, *this, KeyedRng(1),
        StoreServer::Setting{StoreId{0}, Quantiles::constant(Duration::millis(10)), concurrent, queue,
                             RateClock()},
        std::move(machines));
  }
  static InFlightRequest request(std::uint32_t counter, Endpoint from) {
    return {.from = from,
            .who = {NodeId{from}, 1},
            .store = {},
            .id = {{NodeId{from}, 1}, counter},
            .sent_at = {},
            .request = record::Request{record::Get{}}};
  }
  void run_for(Duration d) {
    const TrueTime until = timeline.now() + d;
    while (timeline.run_next(until)) {
    }
  }
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> result;
    for (const Answer& answer : answers) result.push_back(answer.counter);
    return result;
  }

  struct Answer {
    TrueTime at;
    std::uint32_t counter = 0;
    RequestOutcome outcome = RequestOutcome::unknown;
    Rejection rejection = Rejection::none;
  };
  Timeline timeline;
  History history{timeline};
  std::vector<Answer> answers;
};

TEST_F(StoreServerTest, load_beyond_capacity_waits_and_then_is_refused) {
  const auto store = make(2, 1);
  for (std::uint32_t i = 1; i <= 4; ++i) store->arrive(request(i, i));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].counter, 4U);
  EXPECT_EQ(answers[0].rejection, Rejection::overloaded);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{4, 1, 2, 3}));
  EXPECT_EQ(answers[3].at, TrueTime{} + Duration::millis(20)) << "the third had to wait for a place";
}

TEST_F(StoreServerTest, requests_of_one_connection_are_executed_one_after_the_other) {
  const auto store = make(10, 10);
  for (std::uint32_t i = 1; i <= 3; ++i) store->arrive(request(i, 7));
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(answers[2].at, TrueTime{} + Duration::millis(30));
}

TEST_F(StoreServerTest, a_new_life_does_not_wait_for_what_the_last_one_had_asked) {
  const auto store = make(10, 10);
  store->turn(1, {.slow = Duration::seconds(10)});
  store->arrive(request(1, 7));
  store->turn_back(1);
  InFlightRequest next = request(2, 7);
  next.who.number = next.id.incarnation.number = 2;
  store->arrive(std::move(next));
  run_for(Duration::seconds(20));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{2, 1}));
}

TEST_F(StoreServerTest, the_trace_hash_tells_one_refusal_from_another) {
  const auto full = make(1, 0);
  full->arrive(request(1, 1));
  full->arrive(request(2, 2));
  Timeline other_timeline;
  History other_history{other_timeline};
  std::vector<std::unique_ptr<StoreMachine>> machines;
  machines.push_back(find_store_kind("record")->make());
  StoreServer down(other_timeline, other_history, *this, KeyedRng(1),
                   {StoreId{0}, Quantiles::constant(Duration::millis(10)), 1, 0, RateClock()},
                   std::move(machines));
  down.arrive(request(1, 1));
  down.turn(1, {.down = true, .slow = {}});
  down.arrive(request(2, 2));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NE(answers[0].rejection, answers[1].rejection);
  EXPECT_NE(timeline.trace_hash(), other_timeline.trace_hash());
}

TEST_F(StoreServerTest, a_store_that_is_down_refuses_and_has_lost_what_it_was_executing) {
  const auto store = make(10, 10);
  store->arrive(request(1, 1));
  store->turn(5, {.down = true, .slow = {}});
  store->arrive(request(2, 2));
  store->turn_back(5);
  run_for(Duration::seconds(1));
  ASSERT_EQ(order(), std::vector<std::uint32_t>{2});
  EXPECT_EQ(answers[0].rejection, Rejection::unreachable);
}

TEST_F(StoreServerTest, a_store_that_hangs_executes_everything_when_it_moves_again) {
  const auto store = make(1, 10);
  store->arrive(request(1, 1));
  store->turn(5, {.hang = true, .slow = {}});
  store->arrive(request(2, 2));
  run_for(Duration::seconds(30));
  EXPECT_TRUE(answers.empty());
  store->turn_back(5);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(StoreServerTest, after_a_hang_connections_are_in_no_order_and_each_keeps_its_own) {
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t fault = 1; fault <= 60; ++fault) {
    answers.clear();
    const auto store = make(1, 10);
    store->turn(fault, {.hang = true, .slow = {}});
    for (const std::uint32_t counter : {1, 2, 3, 4}) store->arrive(request(counter, counter % 2));
    store->turn_back(fault);
    run_for(Duration::seconds(1));
    const std::vector<std::uint32_t> served = order();
    ASSERT_EQ(served.size(), 4U);
    const auto place = [&](std::uint32_t counter) {
      return std::find(served.begin(), served.end(), counter);
    };
    EXPECT_LT(place(1), place(3));
    EXPECT_LT(place(2), place(4));
    orders.insert(served);
  }
  EXPECT_EQ(orders.size(), 6U) << "all that there are";
}

TEST_F(StoreServerTest, a_hang_holds_up_even_what_would_have_ended_after_it) {
  const auto store = make(1, 10);
  store->arrive(request(1, 1));  // 10 ms of work
  run_for(Duration::millis(2));
  store->turn(5, {.hang = true, .slow = {}});
  run_for(Duration::millis(3));
  store->turn_back(5);
  run_for(Duration::seconds(1));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].at, TrueTime{} + Duration::millis(13));
}

struct AppliedCounter : Observer {
  void see(TrueTime, const Record& record) override {
    count += std::holds_alternative<Applied>(record) ? 1 : 0;
  }
  int count = 0;
};

TEST_F(StoreServerTest, a_lost_acknowledgement_means_applied_and_a_lost_request_does_not) {
  AppliedCounter applied;
  history.add(applied);
  const auto store = make(10, 10);
  store->turn(1, {.slow = {}, .ack_lost_ppm = 1'000'000});
  store->arrive(request(1, 1));
  run_for(Duration::seconds(1));
  EXPECT_EQ(applied.count, 1);
  store->turn_back(1);
  store->turn(2, {.slow = {}, .request_lost_ppm = 1'000'000});
  store->arrive(request(2, 1));
  run_for(Duration::seconds(1));
  EXPECT_EQ(applied.count, 1);
  EXPECT_TRUE(answers.empty());
}

TEST_F(StoreServerTest, a_step_of_its_clock_stays) {
  const auto store = make(1, 1);
  run_for(Duration::seconds(5));
  store->step_clock(-Duration::hours(1));
  EXPECT_EQ(store->now(), StoreTime{} + Duration::seconds(5) - Duration::hours(1));
}

TEST_F(StoreServerTest, a_rejected_request_is_refused_at_once_and_never_executed) {
  AppliedCounter applied;
  history.add(applied);
  const auto store = make(10, 10);
  StoreKnobs knobs;
  knobs.rejected_ppm = 1'000'000;
  store->turn(1, knobs);
  store->arrive(request(1, 1));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].rejection, Rejection::overloaded);
  store->turn_back(1);
  store->arrive(request(2, 1));
  run_for(Duration::seconds(1));
  EXPECT_EQ(applied.count, 1);
}

// ---- locks on the lease row ----

struct AppliedLog : Observer {
  void see(TrueTime now, const Record& record) override {
    if (const auto* applied = std::get_if<Applied>(&record))
      log.push_back({now, applied->id.counter, applied->store_now});
  }
  struct Line {
    TrueTime at;
    std::uint32_t counter;
    StoreTime store_now;
  };
  std::vector<Line> log;
};

class LockTest : public StoreServerTest {
 protected:
  LockTest() { history.add(applied); }
  static InFlightRequest asking(std::uint32_t counter, const reference::Request& asked) {
    InFlightRequest transit = request(counter, counter);
    transit.request = asked;
    return transit;
  }
  static reference::Request acquire() {
    return reference::Acquire{ResourceId{}, {NodeId{1}, 1}, 0, 7, Duration::seconds(10)};
  }
  static reference::Request renew() {
    return reference::Renew{ResourceId{}, {NodeId{1}, 1}, {1, 1, 7}, Duration::seconds(10)};
  }
  static StoreKnobs held(RowLock lock) {
    StoreKnobs knobs;
    knobs.lease_lock = lock;
    return knobs;
  }
  AppliedLog applied;
};

TEST_F(LockTest, who_waits_for_a_lock_is_executed_in_order_once_it_is_gone_at_the_time_that_it_is_then) {
  const auto store = make(10, 10, "reference");
  store->turn(1, held(RowLock::update));
  store->arrive(asking(1, acquire()));
  run_for(Duration::millis(1));
  store->arrive(asking(2, renew()));
  store->arrive(asking(3, reference::ChangesSince{}));
  run_for(Duration::seconds(5));
  ASSERT_EQ(applied.log.size(), 1U) << "a read waits for nobody";
  EXPECT_EQ(applied.log[0].counter, 3U);
  store->turn_back(1);
  run_for(Duration::seconds(1));
  ASSERT_EQ(applied.log.size(), 3U);
  EXPECT_EQ(applied.log[1].counter, 1U);
  EXPECT_EQ(applied.log[2].counter, 2U);
  EXPECT_EQ(applied.log[1].store_now, StoreTime{} + Duration::millis(5'001));
}

// Trace 8.
TEST_F(LockTest, a_shared_lock_stops_an_acquire_and_neither_renewals_nor_commits) {
  const auto store = make(10, 10, "reference");
  store->turn(1, held(RowLock::key_share));
  store->arrive(asking(1, acquire()));
  store->arrive(asking(2, renew()));
  store->arrive(asking(3, reference::CommitFires{}));
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{2, 3}));
  store->turn_back(1);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{2, 3, 1}));
}

TEST_F(LockTest, who_waits_for_a_lock_holds_a_place) {
  const auto store = make(1, 10, "reference");
  store->turn(1, held(RowLock::update));
  store->arrive(asking(1, renew()));
  store->arrive(asking(2, reference::ChangesSince{}));
  run_for(Duration::seconds(1));
  EXPECT_TRUE(answers.empty());
  store->turn_back(1);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(LockTest, of_two_locks_the_last_to_go_lets_them_through_and_a_hang_holds_them_longer) {
  const auto store = make(10, 10, "reference");
  store->turn(1, held(RowLock::update));
  store->turn(2, held(RowLock::key_share));
  store->arrive(asking(1, acquire()));
  run_for(Duration::seconds(1));
  store->turn_back(1);
  run_for(Duration::seconds(1));
  EXPECT_TRUE(answers.empty());
  store->turn(3, {.hang = true, .slow = {}});
  store->turn_back(2);
  run_for(Duration::seconds(1));
  EXPECT_TRUE(answers.empty());
  store->turn_back(3);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), std::vector<std::uint32_t>{1});
}

// ---- failover ----

TEST_F(LockTest, a_failover_loses_what_the_replica_had_not_and_what_was_under_way) {
  const auto store = make(10, 10, "reference");
  const Incarnation who{NodeId{1}, 1};
  store->apply_now(who, acquire());
  store->stall_replica();
  EXPECT_TRUE(store->replica_stalled());
  const Reply extended = store->apply_now(who, renew());
  EXPECT_TRUE(std::holds_alternative<reference::Granted>(std::get<reference::Reply>(extended)));
  store->apply_now(who, reference::Release{ResourceId{}, who, {1, 1, 7}});
  store->arrive(asking(1, acquire()));
  store->fail_over();
  EXPECT_FALSE(store->replica_stalled());
  run_for(Duration::seconds(1));
  EXPECT_TRUE(answers.empty()) << "its answer never comes";

  // The release is lost: the lease is held, as the replica knows it, and on another branch.
  const Reply refused = store->apply_now(
      {NodeId{2}, 1}, reference::Acquire{ResourceId{}, {NodeId{2}, 1}, 1, 8, Duration::seconds(10)});
  const auto* why = std::get_if<reference::Refused>(&std::get<reference::Reply>(refused));
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->why, reference::Denial::other_branch);
  EXPECT_EQ(why->holder, who);
  EXPECT_EQ(why->remaining, Duration::seconds(10));
}

TEST_F(LockTest, a_lock_and_a_hang_die_with_their_server) {
  enum class End { failover, down };
  for (const End end : {End::failover, End::down}) {
    answers.clear();
    const auto store = make(10, 10, "reference");
    store->turn(1, held(RowLock::update));
    store->turn(2, {.hang = true, .slow = {}});
    store->arrive(asking(1, renew()));
    if (end == End::failover) {
      store->stall_replica();
      store->fail_over();
    } else {
      store->turn(3, {.down = true, .slow = {}});
      store->turn_back(3);
    }
    store->arrive(asking(2, renew()));
    run_for(Duration::seconds(1));
    EXPECT_EQ(order(), std::vector<std::uint32_t>{2})
        << "what had waited is lost, and nothing waits any more";
    store->turn_back(1);
    store->turn_back(2);
    run_for(Duration::seconds(1));
    EXPECT_EQ(order(), std::vector<std::uint32_t>{2});
  }
}

TEST_F(LockTest, a_store_that_is_down_has_no_transaction_that_could_take_a_lock) {
  const auto store = make(10, 10, "reference");
  store->turn(1, {.down = true, .slow = {}});
  store->turn(2, held(RowLock::update));
  store->turn_back(1);
  store->arrive(asking(1, renew()));
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), std::vector<std::uint32_t>{1});
}

// ---- a store with sessions ------------------------------------------------------------------------------------

// One lock: a request with version 1 takes it and keeps it, with 2 gives it back, and with 3 waits for it.
class OneLock final : public StoreMachine, public SessionStore {
 public:
  explicit OneLock(bool aside) : aside_(aside) {}
  bool handles(const Request&) const override { return true; }
  Reply apply(const Request&, StoreTime, std::vector<Notification>&) override { return {}; }
  RowLock lease_lock(const Request&) const override { return RowLock::none; }
  void promote(std::uint32_t) override {}
  std::unique_ptr<StoreMachine> clone() const override { return nullptr; }
  void hash(Hasher&, StoreTime) const override {}
  SessionStore* sessions() override { return this; }

  std::optional<Reply> begin(const StoreSession& session, std::uint64_t ticket, const Request& request,
                             StoreTime now) override {
    const auto what = std::get<record::Put>(*message_as<record::Request>(request)).version;
    if (what == 3 && holder_) {
      waiting_.push_back(ticket);
      ends_ = now + Duration::seconds(60);
      return std::nullopt;
    }
    if (what == 1) holder_ = session.who;
    if (what == 2) free();
    return Reply{};
  }
  Completed take_completed() override { return std::exchange(completed_, {}); }
  bool waits_aside() const override { return aside_; }
  void client_is_gone(Incarnation who, StoreTime) override {
    if (holder_ == who) free();
  }
  std::optional<StoreTime> next_time_out() const override { return ends_; }
  void time_out(StoreTime) override {
    ++time_outs;
    free();
  }
  // One whose requests wait for something to happen has a time-out from then on, as a lease begins anew.
  void restart(StoreTime now) override {
    holder_.reset();
    waiting_.clear();
    ends_.reset();
    if (aside_) ends_ = now + Duration::seconds(60);
  }
  int time_outs = 0;

 private:
  const bool aside_;
  void free() {
    holder_.reset();
    ends_.reset();
    for (const std::uint64_t ticket : std::exchange(waiting_, {})) completed_.emplace_back(ticket, Reply{});
  }
  std::optional<Incarnation> holder_;
  std::vector<std::uint64_t> waiting_;
  std::optional<StoreTime> ends_;
  Completed completed_;
};

class SessionsTest : public StoreServerTest {
 protected:
  std::unique_ptr<StoreServer> make_sessions(std::int64_t concurrent, bool aside = false) {
    std::vector<std::unique_ptr<StoreMachine>> machines;
    auto made = std::make_unique<OneLock>(aside);
    lock = made.get();
    machines.push_back(std::move(made));
    return std::make_unique<StoreServer>(
        timeline, history, *this, KeyedRng(1),
        StoreServer::Setting{StoreId{0}, Quantiles::constant(Duration::millis(10)), concurrent, 10,
                             RateClock(0, 0)},
        std::move(machines));
  }
  OneLock* lock = nullptr;  // of the store made last
  static InFlightRequest asks(std::uint32_t counter, Endpoint from, std::uint64_t what) {
    InFlightRequest asked = request(counter, from);
    asked.request = record::Request{record::Put{.resource = {}, .version = what, .record = {}}};
    return asked;
  }
};

TEST_F(SessionsTest, a_request_that_waits_is_answered_when_another_one_lets_it_go_on) {
  const auto store = make_sessions(10);
  store->arrive(asks(1, 1, 1));
  store->arrive(asks(2, 2, 3));
  run_for(Duration::seconds(5));
  EXPECT_EQ(order(), std::vector<std::uint32_t>{1});
  store->arrive(asks(3, 1, 2));
  run_for(Duration::seconds(5));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 3, 2}));
}

TEST_F(SessionsTest, a_request_that_waits_keeps_its_place_and_its_connections_turn) {
  const auto store = make_sessions(2);
  store->arrive(asks(1, 1, 1));
  run_for(Duration::seconds(1));
  store->arrive(asks(2, 2, 3));
  store->arrive(asks(3, 2, 1));
  store->arrive(asks(4, 3, 3));
  store->arrive(asks(5, 4, 2));
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), std::vector<std::uint32_t>{1}) << "both places are taken by those that wait";
  store->client_is_gone({NodeId{1}, 1});
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 2, 4, 3, 5}));
}

TEST_F(SessionsTest, a_request_that_waits_for_something_to_happen_holds_up_nobody) {
  const auto store = make_sessions(1, true);
  store->arrive(asks(1, 1, 1));
  store->arrive(asks(2, 2, 3));
  store->arrive(asks(3, 2, 3));
  store->arrive(asks(4, 2, 1));
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 4}))
      << "neither the one place nor the connection is taken";
  store->arrive(asks(5, 2, 2));
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 4, 5, 2, 3}));
}

TEST_F(SessionsTest, a_store_that_is_down_does_nothing_by_itself_and_begins_anew_when_it_is_there_again) {
  const auto store = make_sessions(10, true);
  store->arrive(asks(1, 1, 1));
  run_for(Duration::millis(10));
  store->arrive(asks(2, 2, 3));
  run_for(Duration::seconds(1));
  store->turn(1, {.down = true, .slow = {}});
  run_for(Duration::seconds(1));
  ASSERT_EQ(answers.size(), 2U) << "who waits is told that its connection has broken";
  EXPECT_EQ(answers[1].outcome, RequestOutcome::unknown);
  run_for(Duration::seconds(100));
  EXPECT_EQ(lock->time_outs, 0);
  store->turn_back(1);
  run_for(Duration::seconds(59));
  EXPECT_EQ(lock->time_outs, 0) << "it counts from when it is there again";
  run_for(Duration::seconds(2));
  EXPECT_EQ(lock->time_outs, 1);
}

TEST_F(SessionsTest, a_time_out_of_the_store_goes_off_by_the_stores_clock) {
  const auto store = make_sessions(10);
  store->arrive(asks(1, 1, 1));
  run_for(Duration::millis(10));
  store->arrive(asks(2, 2, 3));
  run_for(Duration::seconds(5));
  store->step_clock(Duration::seconds(30));
  run_for(Duration::seconds(60));
  ASSERT_EQ(order(), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(answers[1].at, TrueTime{} + Duration::millis(20) + Duration::seconds(30));
}

TEST_F(SessionsTest, a_store_that_hangs_is_late_with_its_time_outs) {
  const auto store = make_sessions(10);
  store->arrive(asks(1, 1, 1));
  run_for(Duration::millis(10));
  store->arrive(asks(2, 2, 3));
  run_for(Duration::seconds(5));
  store->turn(5, {.hang = true, .slow = {}});
  store->step_clock(Duration::seconds(1));
  run_for(Duration::seconds(100));
  EXPECT_EQ(order(), std::vector<std::uint32_t>{1});
  store->turn_back(5);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(SessionsTest, a_store_that_hangs_notices_late_that_a_client_is_gone) {
  const auto store = make_sessions(10);
  store->arrive(asks(1, 1, 1));
  run_for(Duration::millis(10));
  store->arrive(asks(2, 2, 3));
  run_for(Duration::seconds(1));
  store->turn(5, {.hang = true, .slow = {}});
  store->client_is_gone({NodeId{1}, 1});
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), std::vector<std::uint32_t>{1});
  store->turn_back(5);
  run_for(Duration::seconds(1));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(SessionsTest, a_server_that_dies_loses_what_waits_and_its_locks) {
  const auto store = make_sessions(1);
  store->arrive(asks(1, 1, 1));
  run_for(Duration::millis(10));
  store->arrive(asks(2, 2, 3));
  run_for(Duration::seconds(1));
  store->turn(5, {.down = true, .slow = {}});
  store->turn_back(5);
  store->arrive(asks(3, 3, 3));
  run_for(Duration::seconds(100));
  EXPECT_EQ(order(), (std::vector<std::uint32_t>{1, 3}));
}

}  // namespace
}  // namespace tenure::sim
