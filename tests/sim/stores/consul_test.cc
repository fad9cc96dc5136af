// The store consul: what each request does, when sessions end and what that does to their keys, and what waits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/consul/consul_store.h"

namespace tenure::consul {
namespace {

constexpr Duration kSec = Duration::seconds(1);
constexpr Duration kLeast = Duration::micros(1);  // of a store's time
constexpr Duration kTtl = Duration::seconds(15);
constexpr Incarnation kCaller{NodeId{1}, 1};

class Agent {
 public:
  template <class Answer>
  Answer ask(const Request& request) {
    std::vector<Notification> heard;
    return std::get<Answer>(*message_as<Reply>(store.apply(request, now, heard)));
  }
  std::string failure(const Request& request) {
    std::vector<Notification> heard;
    const tenure::Reply reply = store.apply(request, now, heard);
    const auto* failed = std::get_if<Failed>(&*message_as<Reply>(reply));
    return failed != nullptr ? failed->message : "";
  }
  std::optional<Found> begin(std::uint64_t ticket, const KvGet& query, Incarnation who = kCaller) {
    const auto reply = store.begin({who, Part::elector, 0}, ticket, Request{query}, now);
    if (!reply) return std::nullopt;
    return std::get<Found>(*message_as<Reply>(*reply));
  }
  std::map<std::uint64_t, Found> completed() {
    std::map<std::uint64_t, Found> all;
    for (const auto& [ticket, reply] : store.take_completed())
      all.emplace(ticket, std::get<Found>(*message_as<Reply>(reply)));
    return all;
  }
  void wait(Duration length) {
    const StoreTime until = now + length;
    while (store.next_time_out() && *store.next_time_out() <= until) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = until;
  }
  std::string session(std::optional<Duration> ttl = kTtl, std::optional<Duration> lock_delay = {},
                      std::optional<std::string> behavior = {}) {
    return ask<SessionEntry>(SessionCreate{ttl, lock_delay, std::move(behavior)}).id;
  }
  bool acquire(const std::string& session, const std::string& value = "v") {
    return ask<Done>(KvPut{"k", value, session, {}, {}}).ok;
  }
  bool release(const std::string& session) { return ask<Done>(KvPut{"k", "", {}, session, {}}).ok; }
  bool renew(const std::string& session) { return ask<Renewed>(SessionRenew{session}).session.has_value(); }
  Found get() { return ask<Found>(KvGet{"k", {}, {}}); }
  std::optional<std::string> holder() { return get().pair ? get().pair->session : std::nullopt; }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  ConsulStore store;
  StoreTime now = StoreTime::from_ns(1'767'225'600'000'000'000);
};

TEST(Consul, gives_a_key_to_one_session_until_it_releases_it) {
  Agent consul;
  const std::string one = consul.session();
  const std::string other = consul.session();
  EXPECT_TRUE(consul.acquire(one));
  EXPECT_FALSE(consul.acquire(other));
  EXPECT_TRUE(consul.acquire(one)) << "it has it already";
  EXPECT_EQ(consul.get().pair->lock_index, 1);
  EXPECT_FALSE(consul.release(other));
  EXPECT_TRUE(consul.release(one));
  EXPECT_TRUE(consul.acquire(other)) << "at once: a release has no lock delay";
  EXPECT_EQ(consul.get().pair->lock_index, 2);
  EXPECT_NE(consul.failure(KvPut{"k", "", "session-77", {}, {}}).find("invalid session"), std::string::npos);
}

TEST(Consul, invalidates_a_session_after_twice_its_ttl_and_delays_the_next_lock) {
  Agent consul;
  const std::string one = consul.session();
  const std::string other = consul.session(std::nullopt);
  EXPECT_TRUE(consul.acquire(one));
  consul.wait(kTtl);
  EXPECT_TRUE(consul.renew(one));
  consul.wait(kTtl * 2 - kLeast);
  EXPECT_EQ(consul.holder(), one);
  consul.wait(kLeast);
  EXPECT_EQ(consul.holder(), std::nullopt);
  EXPECT_FALSE(consul.renew(one));
  consul.wait(kSec * 15 - kLeast);
  EXPECT_FALSE(consul.acquire(other));
  consul.wait(kLeast);
  EXPECT_TRUE(consul.acquire(other));
}

TEST(Consul, delays_also_after_a_session_was_destroyed_for_as_long_as_that_asked) {
  Agent consul;
  const auto delay_of = [&](std::optional<Duration> asked) {
    const std::string one = consul.session(kTtl, asked);
    EXPECT_TRUE(consul.acquire(one));
    consul.ask<Done>(SessionDestroy{one});
    const std::string other = consul.session(std::nullopt);
    Duration waited;
    for (; !consul.acquire(other); waited += kSec) consul.wait(kSec);
    consul.release(other);
    return waited;
  };
  EXPECT_EQ(delay_of(std::nullopt), kSec * 15);
  EXPECT_EQ(delay_of(Duration{}), Duration{});
  EXPECT_EQ(delay_of(kSec * 5), kSec * 5);
  EXPECT_EQ(delay_of(kSec * 500), kSec * 60);
}

TEST(Consul, deletes_the_keys_of_a_session_that_asked_for_it) {
  Agent consul;
  const std::string one = consul.session(kTtl, Duration{}, "delete");
  EXPECT_TRUE(consul.acquire(one));
  consul.ask<Done>(SessionDestroy{one});
  EXPECT_EQ(consul.get().pair.has_value(), false);
}

TEST(Consul, begins_every_session_anew_with_a_new_leader_and_keeps_lock_delays) {
  Agent consul;
  const std::string one = consul.session();
  EXPECT_TRUE(consul.acquire(one));
  consul.wait(kTtl * 2 - kSec);
  consul.store.restart(consul.now);
  consul.wait(kTtl * 2 - kLeast);
  EXPECT_EQ(consul.holder(), one);
  consul.wait(kLeast);
  EXPECT_EQ(consul.holder(), std::nullopt);
  consul.store.restart(consul.now);
  EXPECT_FALSE(consul.acquire(consul.session()));
}

TEST(Consul, refuses_what_it_refuses) {
  Agent consul;
  EXPECT_NE(consul.failure(SessionCreate{kSec * 9, {}, {}}).find("between [10s=24h0m0s]"), std::string::npos);
  EXPECT_NE(consul.failure(SessionCreate{kSec * 86'401, {}, {}}), "");
  EXPECT_NE(consul.failure(SessionCreate{kTtl, {}, "keep"}), "");
  EXPECT_NE(consul.failure(KvPut{"", "", {}, {}, {}}), "");
  EXPECT_NE(consul.failure(KvPut{"k", "", "a", "b", {}}), "");
}

TEST(Consul, writes_by_the_index_that_a_caller_has_seen) {
  Agent consul;
  EXPECT_TRUE(consul.ask<Done>(KvPut{"k", "a", {}, {}, 0}).ok);
  EXPECT_FALSE(consul.ask<Done>(KvPut{"k", "b", {}, {}, 0}).ok);
  const std::int64_t index = consul.get().index;
  EXPECT_TRUE(consul.ask<Done>(KvPut{"k", "b", {}, {}, index}).ok);
  EXPECT_FALSE(consul.ask<Done>(KvDelete{"k", index}).ok);
  EXPECT_TRUE(consul.ask<Done>(KvDelete{"k", consul.get().index}).ok);
  EXPECT_FALSE(consul.get().pair.has_value());
}

TEST(Consul, writes_a_locked_key_for_whoever_asks) {
  Agent consul;
  const std::string one = consul.session();
  EXPECT_TRUE(consul.acquire(one, "a"));
  EXPECT_TRUE(consul.ask<Done>(KvPut{"k", "b", {}, {}, {}}).ok) << "locks are advisory";
  EXPECT_EQ(consul.get().pair->value, "b");
  EXPECT_EQ(consul.holder(), one);
}

TEST(Consul, answers_a_query_when_its_key_has_another_index_or_its_wait_is_over) {
  Agent consul;
  const std::string one = consul.session();
  consul.acquire(one, "a");
  const std::int64_t index = consul.get().index;
  EXPECT_TRUE(consul.begin(1, KvGet{"k", index - 1, {}}).has_value()) << "it has changed since";
  EXPECT_FALSE(consul.begin(2, KvGet{"k", index, kSec * 15}).has_value());
  EXPECT_FALSE(consul.begin(3, KvGet{"k", index, {}}).has_value());
  EXPECT_FALSE(consul.begin(4, KvGet{"k", index + 1'000, {}}).has_value())
      << "of a Consul that has gone further";
  consul.acquire(one, "a");
  consul.ask<Done>(KvPut{"another", "x", {}, {}, {}});
  EXPECT_TRUE(consul.completed().empty()) << "nothing has changed";
  consul.wait(kSec * 15);
  auto done = consul.completed();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done.at(2).index, index);
  consul.wait(kSec * 15);
  done = consul.completed();
  ASSERT_EQ(done.size(), 1U) << "the session's end";
  EXPECT_GT(done.at(3).index, index);
  EXPECT_FALSE(done.at(3).pair->session.has_value());
}

TEST(Consul, waits_for_five_minutes_or_ten_at_most) {
  Agent consul;
  consul.acquire(consul.session(std::nullopt));
  const std::int64_t index = consul.get().index;
  consul.begin(1, KvGet{"k", index, {}});
  consul.begin(2, KvGet{"k", index, kSec * 6'000});
  consul.wait(kSec * 299);
  EXPECT_TRUE(consul.completed().empty());
  consul.wait(kSec);
  EXPECT_EQ(consul.completed().count(1), 1U);
  consul.wait(kSec * 299);
  EXPECT_TRUE(consul.completed().empty());
  consul.wait(kSec);
  EXPECT_EQ(consul.completed().count(2), 1U);
}

TEST(Consul, answers_no_query_whose_client_is_gone) {
  Agent consul;
  consul.acquire(consul.session());
  consul.begin(1, KvGet{"k", consul.get().index, {}});
  consul.store.client_is_gone(kCaller, consul.now);
  consul.wait(kSec * 400);
  EXPECT_TRUE(consul.completed().empty());
}

// ---- laws -----------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(ConsulProperty, a_session_has_the_key_from_its_lock_until_it_is_released_or_invalidated, ()) {
  Agent consul;
  const Duration delay = kSec * *rc::gen::inRange(0, 20);
  std::vector<std::string> sessions;
  std::map<std::string, StoreTime> ends;
  std::optional<std::string> holder;
  StoreTime free_from;
  const auto settle = [&](StoreTime now) {
    for (const auto& [id, end] : ends)
      if (holder == id && end <= now) {
        holder.reset();
        free_from = end + delay;
      }
  };
  for (int i = 0; i < 60; ++i) {
    if (sessions.empty() || *rc::gen::inRange(0, 8) == 0) {
      sessions.push_back(consul.session(kTtl, delay));
      ends[sessions.back()] = consul.now + kTtl * 2;
    }
    const std::string one = sessions[*rc::gen::inRange<std::size_t>(0, sessions.size())];
    const bool lives = ends[one] > consul.now;
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        RC_ASSERT(consul.renew(one) == lives);
        if (lives) ends[one] = consul.now + kTtl * 2;
        break;
      case 1: {
        const bool may = free_from <= consul.now && (!holder || holder == one);
        if (!lives) break;
        RC_ASSERT(consul.acquire(one) == may);
        if (may) holder = one;
        break;
      }
      case 2: {
        RC_ASSERT(consul.release(one) == (holder == one));
        if (holder == one) holder.reset();
        break;
      }
      default: consul.wait(Duration::millis(*rc::gen::inRange<std::int64_t>(0, 20'000)));
    }
    settle(consul.now);
    RC_ASSERT(consul.holder() == holder);
  }
}

RC_GTEST_PROP(ConsulProperty, who_follows_the_index_misses_no_value_that_stays, ()) {
  Agent consul;
  std::string known;
  std::int64_t index = 0;
  std::uint64_t ticket = 0;
  bool waits = false;
  const auto learn = [&](const Found& found) {
    RC_ASSERT(found.index >= index);
    index = found.index;
    known = found.pair ? found.pair->value : "";
    waits = false;
  };
  for (int i = 0; i < 40; ++i) {
    if (!waits) {
      const auto at_once = consul.begin(++ticket, KvGet{"k", index, kSec * 10});
      waits = true;
      if (at_once) learn(*at_once);
    }
    switch (*rc::gen::inRange(0, 4)) {
      case 0: consul.ask<Done>(KvDelete{"k", {}}); break;
      case 1: consul.wait(kSec * *rc::gen::inRange(0, 12)); break;
      default: consul.ask<Done>(KvPut{"k", *rc::gen::element<std::string>("a", "b"), {}, {}, {}});
    }
    for (const auto& [of, found] : consul.completed())
      if (of == ticket) learn(found);
    const Found now = consul.get();
    if (waits) RC_ASSERT(known == (now.pair ? now.pair->value : ""));
  }
}

RC_GTEST_PROP(ConsulProperty, hashes_alike_at_any_time_and_apart_when_answers_differ, ()) {
  Agent early;
  Agent late;
  late.now += Duration::millis(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000));
  const std::vector<int> draws = *rc::gen::container<std::vector<int>>(20, rc::gen::inRange(0, 30'000));
  const auto play = [](Agent& consul, int draw) {
    switch (draw % 4) {
      case 0: consul.session(); break;
      case 1: consul.failure(KvPut{"k", std::to_string(draw), "session-1", {}, {}}); break;
      case 2: consul.ask<Done>(SessionDestroy{"session-1"}); break;
      default: consul.wait(Duration::millis(draw));
    }
  };
  for (const int draw : draws) {
    play(early, draw);
    play(late, draw);
    RC_ASSERT(early.hash() == late.hash());
  }
  Agent copy = early;
  copy.ask<Done>(KvPut{"k", "another", {}, {}, {}});
  RC_ASSERT(copy.hash() != early.hash());
}

}  // namespace
}  // namespace tenure::consul
