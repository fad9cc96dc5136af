// A store's server: places, connections, faults, locks on the lease row, failovers, and a store with sessions. As text
// in store_server.txt.
#include "sim/world/store_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/describe.h"
#include "core/store/store_kind.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/registry.h"
#include "tests/support/field_words.h"

namespace tenure::sim {
namespace {

using testing::Words;

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

// A server on one timeline: each request takes 10 ms, and tells what became of it.
class Served : public StoreWorld, public Observer {
 public:
  Served() { history.add(*this); }
  void store_answered(const InFlightRequest& transit, StoreReplied&& reply) override {
    order.push_back(transit.id.counter);
    const std::string what = reply.outcome == RequestOutcome::rejected ? std::string(name_of(reply.rejection))
                             : reply.outcome == RequestOutcome::unknown ? "unknown"
                                                                        : "answered";
    tell("#" + std::to_string(transit.id.counter) + " " + what);
  }
  void store_notified(StoreId, const Notification&) override {}
  void store_returned(StoreId, TrueTime) override {}
  void see(TrueTime, const Record& record) override {
    if (const auto* applied = std::get_if<Applied>(&record))
      tell(fmt::format("#{} applied ({})", applied->id.counter, describe(applied->store_now - StoreTime{})));
  }
  void make(std::int64_t concurrent, std::int64_t queue, std::unique_ptr<StoreMachine> machine) {
    std::vector<std::unique_ptr<StoreMachine>> machines;
    machines.push_back(std::move(machine));
    store = std::make_unique<StoreServer>(
        timeline, history, *this, KeyedRng(1),
        StoreServer::Setting{
            StoreId{0},
            Quantiles::constant(Duration::millis(10)),
            {{reference::Request{reference::Prune{}}.index(), Quantiles::constant(Duration::millis(40))}},
            concurrent,
            queue,
            RateClock()},
        std::move(machines));
  }
  void arrive(std::uint32_t counter, Endpoint from, const Request& request = record::Request{record::Get{}},
              std::uint32_t life = 1) {
    const Incarnation who{NodeId{from}, life};
    store->arrive(
        {.from = from, .who = who, .store = {}, .id = {who, counter}, .sent_at = {}, .request = request});
  }
  void run_for(Duration d) {
    const TrueTime until = timeline.now() + d;
    while (timeline.run_next(until)) {
    }
  }
  void tell(const std::string& what) {
    told.push_back(what + " at " + describe(timeline.now() - TrueTime{}));
  }

  Timeline timeline;
  History history{timeline};
  std::unique_ptr<StoreServer> store;
  std::vector<std::uint32_t> order;
  std::vector<std::string> told;
};

// in 2 places, 1 waiting; in 1 place of sessions [aside]   # of the reference store, or OneLock
// ask 1 2 3; ask 1 acquire; ask 2 from 7 wait              # each from a connection of its own, or from that one
// fault 5 hang; over 5; +1s; step -1h; gone n1; stall; fail-over
class ServerTalk : Served {
 public:
  explicit ServerTalk(const std::string&) {}
  std::string say(const std::string& line) {
    told.clear();
    for (const std::string& statement : testing::parts(line, ';')) do_one(Words(statement));
    return testing::wrapped(told, "; ");
  }
  std::string end() { return ""; }

 private:
  static Request request(const std::string& what) {
    const Incarnation who{NodeId{1}, 1};
    if (what == "acquire")
      return reference::Request{reference::Acquire{{}, who, 0, 7, Duration::seconds(10)}};
    if (what == "acquire-again")
      return reference::Request{reference::Acquire{{}, {NodeId{2}, 1}, 1, 8, Duration::seconds(10)}};
    if (what == "renew")
      return reference::Request{reference::Renew{{}, who, {1, 1, 7}, Duration::seconds(10)}};
    if (what == "release") return reference::Request{reference::Release{{}, who, {1, 1, 7}}};
    if (what == "prune") return reference::Request{reference::Prune{}};
    if (what == "commit") return reference::Request{reference::CommitFires{}};
    const std::uint64_t version = what == "take" ? 1 : what == "free" ? 2 : what == "wait" ? 3 : 0;
    if (version != 0) return record::Request{record::Put{.resource = {}, .version = version, .record = {}}};
    return reference::Request{reference::ChangesSince{}};
  }
  static StoreKnobs knobs(Words& words) {
    StoreKnobs made;
    const std::string what = words.next();
    made.down = what == "down";
    made.hang = what == "hang";
    if (what == "slow") made.slow = testing::duration_of(words.next()).value();
    if (what == "ack-lost") made.ack_lost_ppm = 1'000'000;
    if (what == "request-lost") made.request_lost_ppm = 1'000'000;
    if (what == "rejected") made.rejected_ppm = 1'000'000;
    if (what == "lock") made.lease_lock = words.take("update") ? RowLock::update : RowLock::key_share;
    if (made.lease_lock == RowLock::key_share) words.take("key_share");
    return made;
  }

  void do_one(Words words) {
    if (words.peek().starts_with('+')) run_for(testing::duration_of(words.next()).value());
    if (words.take("in")) {
      const std::int64_t places = words.number();
      words.next();
      std::unique_ptr<StoreMachine> machine = find_store_kind("reference")->make();
      if (words.take("of sessions")) {
        auto made = std::make_unique<OneLock>(words.take("aside"));
        lock_ = made.get();
        machine = std::move(made);
      }
      make(places, words.done() ? 10 : words.number(), std::move(machine));
      words.rest();
    } else if (words.take("ask")) {
      const std::string from = words.cut("from");
      const std::string life = words.cut("life");
      std::vector<std::uint32_t> numbers;
      while (!words.done() && words.peek().find_first_not_of("0123456789") == std::string::npos)
        numbers.push_back(static_cast<std::uint32_t>(words.number()));
      const Request asked = request(words.done() ? "" : words.next());
      for (const std::uint32_t number : numbers)
        arrive(number, from.empty() ? number : static_cast<Endpoint>(std::stoul(from)), asked,
               life.empty() ? 1 : static_cast<std::uint32_t>(std::stoul(life)));
    } else if (words.take("fault")) {
      const auto fault = static_cast<std::uint64_t>(words.number());
      store->turn(fault, knobs(words));
    } else if (words.take("over")) {
      store->turn_back(static_cast<std::uint64_t>(words.number()));
    } else if (words.take("step")) {
      store->step_clock(testing::duration_of(words.next()).value());
      told.push_back("the store's time is " + describe(store->now() - StoreTime{}));
    } else if (words.take("gone n1")) {
      store->client_is_gone({NodeId{1}, 1});
    } else if (words.take("now")) {
      const Request asked = request(words.next());
      told.push_back(describe(store->apply_now({NodeId{1}, 1}, asked)));
    } else if (words.take("stall")) {
      store->stall_replica();
      told.emplace_back(store->replica_stalled() ? "the replica stalls" : "");
    } else if (words.take("fail-over")) {
      store->fail_over();
      EXPECT_FALSE(store->replica_stalled());
    } else if (words.take("time-outs")) {
      told.push_back(std::to_string(lock_->time_outs) + " time-outs");
    }
    EXPECT_TRUE(words.done()) << words.rest() << ": not understood";
  }

  OneLock* lock_ = nullptr;
};

TEST(StoreServer, does_as_its_text_says) {
  testing::expect_interaction<ServerTalk>("tests/sim/world/store_server.txt");
}

TEST(StoreServer, tells_one_refusal_from_another_in_the_trace_hash) {
  Served full;
  full.make(1, 0, find_store_kind("record")->make());
  Served down;
  down.make(1, 0, find_store_kind("record")->make());
  for (Served* served : {&full, &down}) served->arrive(1, 1);
  down.store->turn(1, {.down = true, .slow = {}});
  for (Served* served : {&full, &down}) served->arrive(2, 2);
  EXPECT_NE(full.told.back(), down.told.back());
  EXPECT_NE(full.timeline.trace_hash(), down.timeline.trace_hash());
}

TEST(StoreServer, after_a_hang_connections_are_in_no_order_and_each_keeps_its_own) {
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t fault = 1; fault <= 60; ++fault) {
    Served served;
    served.make(1, 10, find_store_kind("record")->make());
    served.store->turn(fault, {.hang = true, .slow = {}});
    for (const std::uint32_t counter : {1U, 2U, 3U, 4U}) served.arrive(counter, counter % 2);
    served.store->turn_back(fault);
    served.run_for(Duration::seconds(1));
    ASSERT_EQ(served.order.size(), 4U);
    const auto place = [&](std::uint32_t counter) {
      return std::find(served.order.begin(), served.order.end(), counter);
    };
    EXPECT_LT(place(1), place(3));
    EXPECT_LT(place(2), place(4));
    orders.insert(served.order);
  }
  EXPECT_EQ(orders.size(), 6U) << "all that there are";
}

}  // namespace
}  // namespace tenure::sim
